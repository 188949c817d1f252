/** What of an arm's folder is kept with its run: configurations and logs, without secrets. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { secretsOf, textWithoutSecrets } from '../shared/secrets.js'

/** @import { Arm, Description } from '../types.js' */

/** What is rendered, relative to the arm's folder. @param {Description} description */
export const configsOf = ({ proxy, origin }) =>
  [...Object.keys(proxy?.files ?? {}), ...Object.keys(origin?.files ?? {}).map(file => `origin/${file}`)]

/** Copies configurations and logs, those of the load generators too. Whatever they contain, that they cannot be
 * copied (a full disk) is not what failed. @param {Arm[]} arms @param {string[]} dirs
 * @param {{ into: string, configs: Map<string, string[]> }} options */
export function keepFiles (arms, dirs, { into, configs }) {
  try {
    arms.forEach((arm, i) => {
      const logs = readdirSync(dirs[i], { recursive: true, encoding: 'utf8' }).filter(file => /\.(log|err)$/.test(file))
      const written = (configs.get(dirs[i]) ?? []).filter(file => existsSync(join(dirs[i], file)))
      const kept = [...written, ...logs]
      for (const file of kept) keepFile(join(dirs[i], file), join(into, fileName(arm.name), file), arm)
    })
  } catch {}
}

/** What a command has printed may hold secrets. @param {string} from @param {string} to @param {Arm} arm */
function keepFile (from, to, { topology, load }) {
  if (!topology.server?.command || !from.endsWith('.log')) return cpSync(from, to)
  mkdirSync(dirname(to), { recursive: true })
  writeFileSync(to, textWithoutSecrets(readFileSync(from, 'utf8'), secretsOf(load, process.env)))
}

/** @param {string} armName */
export const fileName = armName => armName.replace(/[^\w.@+=-]+/g, '_')
