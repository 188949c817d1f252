/** Fetches one release of an npm package without its dependencies, and compares its checksum with a pinned one. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../process.js'
import { listNames } from '../files/system-files.js'
import { findNpm, NPM_FLAGS, npmFolders } from './install.js'

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url))
const UNPACK_SECONDS = 120 // The largest archive has 190 MB (Deno), unpacked on a slow disk.

/**
 * Fetches a release and unpacks it into `root/package` of a folder.
 * @param {{ name: string, version: string, integrity: string }} release integrity: "sha512-…"
 * @param {{ work: string, env: NodeJS.ProcessEnv, timeoutSeconds: number, retries?: number }} options work: an empty
 * folder; env: with the caller's settings of npm, such as a registry or a proxy; retries: of a request
 * @returns {Promise<{ fault: 'timeout' | 'npm' | 'checksum' | 'archive' | null, output: string }>} timeout: of npm;
 * npm: npm failed; archive: tar failed; output: of the program that failed, or the found checksum
 * @throws {HopbenchError} install-failed: there is no npm
 */
export async function unpackRelease ({ name, version, integrity }, { work, env, timeoutSeconds, retries = 1 }) {
  const argv = [...findNpm(env), 'pack', `${name}@${version}`, '--pack-destination', work, ...NPM_FLAGS,
    `--fetch-retries=${retries}`]
  const npm = await run(argv, { cwd: work, env: { ...env, ...npmFolders(PROJECT, env) }, timeoutSeconds })
  const file = listNames(work).find(name => name.endsWith('.tgz'))
  if (npm.exit !== 0 || file === undefined) {
    return { fault: npm.timedOut ? 'timeout' : 'npm', output: `${npm.stdout}\n${npm.stderr}` }
  }
  const [algorithm] = integrity.split('-', 1)
  const checksum = createHash(algorithm).update(readFileSync(join(work, file))).digest('base64')
  const found = `${algorithm}-${checksum}`
  if (found !== integrity) return { fault: 'checksum', output: found }
  mkdirSync(join(work, 'root'))
  const tar = await run(['tar', '-xzf', join(work, file), '-C', join(work, 'root')], { timeoutSeconds: UNPACK_SECONDS })
  return tar.exit === 0 ? { fault: null, output: '' } : { fault: 'archive', output: tar.stderr }
}
