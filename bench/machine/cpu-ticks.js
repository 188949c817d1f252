/** CPU time of the whole machine, and its run queue, as the kernel counts them. */
import { join } from 'node:path'
import { readText } from './files/system-files.js'

/** @import { CpuTicks } from '../types.js' */

/**
 * Reads /proc/stat (proc_stat(5)): user, nice, system, idle, iowait, irq, softirq and steal time of all cores, and
 * procs_running.
 *
 * @param {string} [root] prepended to /proc
 * @returns {CpuTicks | null} null: the system does not show it
 */
export function readCpuTicks (root = '/') {
  const text = readText(join(root, 'proc/stat'))
  const line = /^cpu .*$/m.exec(text)?.[0]
  if (!line) return null
  const ticks = line.split(/\s+/).slice(1, 9).map(Number)
  const total = ticks.reduce((sum, value) => sum + value, 0)
  const running = /^procs_running (\d+)$/m.exec(text)?.[1]
  return { total, idle: ticks[3] + (ticks[4] ?? 0), steal: ticks[7] ?? 0, running: Number(running ?? NaN) || null }
}
