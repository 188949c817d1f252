/** Computes a digest of files on which the measurements of an advice depend, so that --resume notices a change. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { callerCwd } from '../../machine/caller-cwd.js'
import { attempt } from '../../shared/attempt.js'
import { LOCKS } from '../deploy/node-project.js'

/**
 * Digests package.json, the lock files, and the files that name the requests. Leaves out the code of the app, because
 * an app may write to its own folder.
 *
 * @param {{ har?: string, paths?: string }} options as typed
 * @returns {string}
 */
export function digestProject ({ har, paths }) {
  const hash = createHash('sha256')
  for (const name of ['package.json', ...Object.keys(LOCKS), har, paths]) {
    const bytes = name === undefined ? null : attempt(() => readFileSync(resolve(callerCwd(), name)), () => null)
    hash.update(`${name} ${bytes?.length}\n`)
    if (bytes !== null) hash.update(bytes)
  }
  return hash.digest('hex').slice(0, 16)
}
