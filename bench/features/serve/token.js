/** Creates the token of a live page, and passes it to a browser without a command line. */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { badOption } from '../../errors.js'

const VARIABLE = 'HOPBENCH_TOKEN' // Keeps the token constant, for programs that read /metrics.
const ACCEPTABLE = /^[\w-]{16,200}$/ // Only characters that need no escape in a URL.

/**
 * @param {Record<string, string | undefined>} env
 * @returns {string}
 */
export function tokenFrom ({ [VARIABLE]: given }) {
  if (given === undefined) return randomBytes(24).toString('base64url')
  if (ACCEPTABLE.test(given)) return given
  throw badOption(VARIABLE, '…', 'it takes 16 to 200 letters, digits, hyphens and underscores')
}

/**
 * Writes a file that redirects to the page. Unlike a command line, other accounts of the machine cannot read it.
 *
 * @param {string} dir
 * @param {string} url with the token
 * @returns {string} its path
 */
export function writeEntrance (dir, url) {
  const file = join(dir, 'open.html')
  writeFileSync(file, `<!doctype html><title>hopbench</title><meta http-equiv="refresh" content="0;url=${url}">\n`,
    { mode: 0o600, flag: 'wx' })
  return file
}
