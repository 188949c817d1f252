/** The configurations that a run was measured with, as they lie in its folder. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder that is made for each run, and one in it for each topology: no two runs have the same. Spaces and more may
 * be in its path, where it is quoted. */
const TEMP = /(?:\/[^"';{}()|\n]*?)?\/hopbench-\w+\/\d+/g

/** @param {string} dir the run's folder
 * @returns {Promise<Record<string, string>>} "uds/nginx.conf" → text, with <dir> where its own folder was; empty where
 * a run has kept none */
export async function readConfigs (dir) {
  const files = await readdir(dir, { recursive: true }).catch(() => [])
  const configs = files.filter(file => file.endsWith('.conf')).sort()
  return Object.fromEntries(
    await Promise.all(
      configs.map(async file => [file, (await readFile(join(dir, file), 'utf8')).replace(TEMP, '<dir>')])
    )
  )
}
