/** Reads the configurations that a run was measured with from its folder. */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** Temporary folder of one topology in one run. The path can contain spaces, because the configurations quote it. */
const TEMP = /(?:\/[^"';{}()|\n]*?)?\/hopbench-\w+\/\d+/g

/**
 * @param {string} dir the run's folder
 * @returns {Promise<Record<string, string>>} text by path ("uds/nginx.conf"), with <dir> in place of the temporary
 * folder; empty where the run kept no configuration
 */
export async function readConfigs (dir) {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter(entry => entry.isFile()).map(entry => relative(dir, join(entry.parentPath, entry.name)))
  // Folders of topologies contain configurations and logs only.
  const configs = files.filter(file => file.includes(sep) && !/\.(log|err)$/.test(file)).sort()
  return Object.fromEntries(
    await Promise.all(
      configs.map(async file => [file, (await readFile(join(dir, file), 'utf8')).replace(TEMP, '<dir>')])
    )
  )
}
