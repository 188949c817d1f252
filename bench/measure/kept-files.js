/** Keeps configurations and logs of arms with their run, without secrets. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
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
      const logs = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter(file => /\.(log|err)$/.test(file))
      const kept = [...configs.filter(file => existsSync(join(dir, file))), ...logs]
      for (const file of kept) keepFile(join(dir, file), join(keepIn, fileName(arm.name), file), arm)
    }
  } catch {}
}

/**
 * Copies a file. The output of a command may contain secrets, which are removed.
 * @param {string} from
 * @param {string} to
 * @param {Arm} arm
 */
function keepFile (from, to, { topology, load }) {
  if (!topology.server?.command || !from.endsWith('.log')) return cpSync(from, to)
  mkdirSync(dirname(to), { recursive: true })
  writeFileSync(to, textWithoutSecrets(readFileSync(from, 'utf8'), secretsOf(load, process.env)))
}

/** @param {string} armName */
export const fileName = armName => armName.replace(/[^\w.@+=-]+/g, '_')
