/** Fetches the archive of one release of an npm package, without dependencies. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../process.js'
import { findNpm, npmFolders } from './install.js'

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * @param {string} release "package@1.2.3"
 * @param {{ work: string, env: NodeJS.ProcessEnv, timeoutSeconds: number }} options work: folder for the archive
 * @returns {Promise<{ archive: string | null, said: string, timedOut: boolean }>} archive null: npm failed; said: its
 * output
 * @throws {HopbenchError} install-failed: there is no npm
 */
export async function npmPack (release, { work, env, timeoutSeconds }) {
  const argv = [...findNpm(env), 'pack', release, '--pack-destination', work, '--ignore-scripts',
    '--no-update-notifier', '--no-progress', '--fetch-retries=1', '--loglevel=error']
  // The caller's settings of npm apply, such as a registry or a proxy.
  const { exit, stdout, stderr, timedOut } = await run(argv, {
    cwd: work, env: { ...onlyTexts(env), ...npmFolders(PROJECT, env) }, timeoutSeconds
  })
  const file = readdirSync(work).find(name => name.endsWith('.tgz'))
  return { archive: exit === 0 && file ? join(work, file) : null, said: `${stdout}\n${stderr}`, timedOut }
}

/** @returns {Record<string, string>} */
const onlyTexts = (/** @type {NodeJS.ProcessEnv} */ env) =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => value === undefined ? [] : [[name, value]]))
