/**
 * Which cores make load and which serve: by affinity, so that the generator can never take time
 * from what it measures.
 */
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { run } from './process.js'

/**
 * @typedef {object} CoreSplit
 * @property {number[]} load
 * @property {number[]} served
 * @property {boolean} split false: both share the same cores, or one side is on another machine
 */

/**
 * The first core makes load (every engine that is frozen and thawed here is one process), the
 * others serve.
 * @param {'split' | 'shared'} [use]
 * @param {number} [loadShare] for a generator of many processes: this share of the cores, one at least
 * @returns {CoreSplit}
 */
export function splitCores (use = 'split', loadShare = 0) {
  const allowed = allowedCores()
  if (allowed.length < 2 || use === 'shared') return { load: allowed, served: allowed, split: false }
  const load = Math.max(1, Math.floor(allowed.length * loadShare))
  return { load: allowed.slice(0, load), served: allowed.slice(load), split: true }
}

/**
 * Where load is made on other machines, or served on this one for them.
 * @returns {CoreSplit}
 */
export const allCoresServe = () => ({ load: [], served: allowedCores(), split: false })

/**
 * Moves the suite itself to the load cores.
 * @param {CoreSplit} cores
 */
export async function pinSuite (cores) {
  if (cores.split) await run(['taskset', '-a', '-c', '-p', cores.load.join(','), String(process.pid)])
}

/** @returns {number[]} */
function allowedCores () {
  try {
    const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''
    return list.split(',').flatMap(range => {
      const [first, last = first] = range.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_, i) => first + i)
    })
  } catch {
    // No /proc, no affinity: the numbers only count cores.
    return Array.from({ length: availableParallelism() }, (_, i) => i)
  }
}
