/** Keeps configurations and logs of arms with their run, without secrets. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { readPlainFile } from '../machine/system-files.js'
import { secretsOf, textWithoutSecrets } from '../shared/secrets.js'

/** @import { Arm, Description } from '../types.js' */

/** Returns the paths of rendered files, relative to the arm's folder. @param {Description} description */
export const configPaths = ({ proxy, origin }) =>
  [...Object.keys(proxy?.files ?? {}), ...Object.keys(origin?.files ?? {}).map(file => `origin/${file}`)]

/**
 * Copies configurations and logs, including logs of load generators. Ignores a failure to copy, such as a full disk,
 * because it would hide the error for which a run ends.
 * @param {{ arm: Arm, dir: string, configs: string[] }[]} folders
 * @param {string} keepIn
 */
export function keepFiles (folders, keepIn) {
  try {
    for (const { arm, dir, configs } of folders) {
      const logs = findLogs(dir)
      const kept = [...configs.filter(file => existsSync(join(dir, file))), ...logs]
      for (const file of kept) keepFile(join(dir, file), join(keepIn, fileName(arm.name), file), arm)
    }
  } catch {}
}

/**
 * Returns the paths of plain log files below a folder, relative to the folder. Does not follow links, because a server
 * can create some.
 * @param {string} dir
 */
const findLogs = dir => readdirSync(dir, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile() && /\.(log|err)$/.test(entry.name))
  .map(entry => relative(dir, join(entry.parentPath, entry.name)))

/**
 * Copies a file. The output of a command may contain secrets, which are removed.
 * @param {string} from
 * @param {string} to
 * @param {Arm} arm
 */
function keepFile (from, to, { topology, load }) {
  const bytes = readPlainFile(from)
  mkdirSync(dirname(to), { recursive: true })
  if (!topology.server?.command || !from.endsWith('.log')) return writeFileSync(to, bytes)
  writeFileSync(to, textWithoutSecrets(bytes.toString(), secretsOf(load, process.env)))
}

/** @param {string} armName */
export const fileName = armName => armName.replace(/[^\w.@+=-]+/g, '_')
