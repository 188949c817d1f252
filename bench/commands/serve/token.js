/** The token of a live page, and how a browser gets it without reading it on a command line. */
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'

const VARIABLE = 'HOPBENCH_TOKEN' // Kept from start to start, for programs that read /metrics.
const ACCEPTABLE = /^[\w-]{16,200}$/ // Of characters that stand in an address as they are.

/**
 * @param {Record<string, string | undefined>} env
 * @returns {string}
 */
export function tokenFrom ({ [VARIABLE]: given }) {
  if (given === undefined) return randomBytes(24).toString('base64url')
  if (ACCEPTABLE.test(given)) return given
  throw new HopbenchError('bad-option', {
    option: VARIABLE,
    value: '…',
    why: 'it takes 16 to 200 letters, digits, hyphens and underscores'
  })
}

/**
 * A file that leads to the page. Command lines can be read by every account of the machine, this file by one.
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
