/**
 * Assigns cores to the generator and to the served side, so that the generator takes no CPU time from what is measured.
 */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { run } from './process.js'
import { onPath } from './setup/path.js'
import { readText } from './files/system-files.js'

/** @import { CoreSplit } from './types.js' */

/**
 * Assigns the first core to the generator and the others to the served side, because each engine that is paused and
 * resumed is one process.
 * @param {'split' | 'shared'} [use]
 * @param {number} [loadShare] share of the cores for a generator of many processes: at least one core
 * @param {Parameters<typeof allowedCores>[0]} [system]
 * @returns {CoreSplit}
 */
export function splitCores (use = 'split', loadShare = 0, system = {}) {
  const { cores, pinnable } = allowedCores(system)
  if (cores.length < 2 || use === 'shared' || !pinnable) return { load: cores, served: cores, split: false }
  // At least one core remains for the served side.
  const load = Math.min(cores.length - 1, Math.max(1, Math.floor(cores.length * loadShare)))
  return { load: cores.slice(0, load), served: cores.slice(load), split: true }
}

/** Assigns all cores to the served side, for load from other machines. @returns {CoreSplit} */
export const allCoresServe = () => ({ load: [], served: allowedCores().cores, split: false })

/** Pins the suite itself to the cores of the generator. @param {CoreSplit} cores */
export async function pinSuite (cores) {
  if (cores.split) await run(['taskset', '-a', '-c', '-p', cores.load.join(','), String(process.pid)])
}

/**
 * Returns the cores that this process may use.
 * @param {{ root?: string, env?: NodeJS.ProcessEnv }} [system] `root` is prepended to /proc
 * @returns {{ cores: number[], pinnable: boolean }} pinnable: processes can be pinned to them. Without /proc the
 * numbers only count the cores.
 */
export function allowedCores ({ root = '/', env = process.env } = {}) {
  const cores = parseCores(readText(join(root, 'proc/self/status')))
  if (cores.length > 0) return { cores, pinnable: onPath('taskset', env) !== null }
  return { cores: Array.from({ length: availableParallelism() }, (_, i) => i), pinnable: false }
}

/**
 * Parses a list of cores: "0-3,8" → 0, 1, 2, 3, 8.
 * @param {string} status as in proc_pid_status(5)
 * @returns {number[]} empty: the status contains no list
 */
function parseCores (status) {
  const list = /^Cpus_allowed_list:\s*([\d,-]+)\s*$/m.exec(status)?.[1]
  return (list?.split(',') ?? []).flatMap(range => {
    const [first, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, i) => first + i)
  })
}
