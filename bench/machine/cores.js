/** Which cores make load and which serve: by affinity, so that the generator takes no time from what it measures. */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { run } from './process.js'
import { onPath } from './setup/path.js'

/** @import { CoreSplit } from './shapes.js' */

/**
 * The first core makes load (every engine that is paused and resumed here is one process), the others serve.
 * @param {'split' | 'shared'} [use]
 * @param {number} [loadShare] for a generator of many processes: at least one core
 */
export function splitCores (use = 'split', loadShare = 0) {
  const { cores, pinnable } = allowedCores()
  return splitOf(cores, pinnable ? use : 'shared', loadShare)
}

/**
 * The split of such cores (pure).
 * @param {number[]} allowed numbers of the cores that may be used.
 * @param {'split' | 'shared'} use
 * @param {number} [loadShare]
 * @returns {CoreSplit}
 */
export function splitOf (allowed, use, loadShare = 0) {
  if (allowed.length < 2 || use === 'shared') return { load: allowed, served: allowed, split: false }
  // Whatever share load may take, one core at least is left to what is measured.
  const load = Math.min(allowed.length - 1, Math.max(1, Math.floor(allowed.length * loadShare)))
  return { load: allowed.slice(0, load), served: allowed.slice(load), split: true }
}

/** Where load is made on other machines, or served on this one for them. @returns {CoreSplit} */
export const allCoresServe = () => ({ load: [], served: allowedCores().cores, split: false })

/** Moves the suite itself to the load cores. @param {CoreSplit} cores */
export async function pinSuite (cores) {
  if (cores.split) await run(['taskset', '-a', '-c', '-p', cores.load.join(','), String(process.pid)])
}

/**
 * @param {{ root?: string, env?: NodeJS.ProcessEnv }} [system] `root` stands before /proc
 * @returns {{ cores: number[], pinnable: boolean }} pinnable: processes can be bound to them; where the system does not
 * show which cores there are (no /proc) the numbers only count them
 */
export function allowedCores ({ root = '/', env = process.env } = {}) {
  const cores = coresOf(statusOf(root))
  if (cores.length > 0) return { cores, pinnable: onPath('taskset', env) !== null }
  return { cores: Array.from({ length: availableParallelism() }, (_, i) => i), pinnable: false }
}

function statusOf (/** @type {string} */ root) {
  try {
    return readFileSync(join(root, 'proc/self/status'), 'utf8')
  } catch {
    return ''
  }
}

/** "0-3,8" → 0, 1, 2, 3, 8; empty: it does not say. @param {string} status as in proc_pid_status(5) */
function coresOf (status) {
  const list = /^Cpus_allowed_list:\s*([\d,-]+)\s*$/m.exec(status)?.[1]
  return (list?.split(',') ?? []).flatMap(range => {
    const [first, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, i) => first + i)
  })
}
