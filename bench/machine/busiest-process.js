/** The process that uses most CPU time, by its name. */
import { join } from 'node:path'
import { listNumbers, readStat, readText } from './system-files.js'

/** Processes that are read at most, so that a machine with very many does not delay a run. */
const MOST_PROCESSES = 5000
/** Indexes of user and system time in readStat(), in clock ticks (fields 14 and 15 of proc_pid_stat(5)). */
const USER_TIME = 11
const SYSTEM_TIME = 12
/** Length to which Linux cuts a name in /proc/PID/comm. */
const MOST_LETTERS = 15

/**
 * Reads the CPU time of all processes.
 *
 * @param {string} proc folder /proc
 * @returns {Map<number, number>} clock ticks by PID
 */
export function readProcessTicks (proc) {
  /** @type {Map<number, number>} */
  const ticks = new Map()
  for (const pid of listNumbers(proc).slice(0, MOST_PROCESSES)) {
    const fields = readStat(join(proc, String(pid), 'stat'))
    const used = Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])
    if (Number.isFinite(used)) ticks.set(pid, used)
  }
  return ticks
}

/**
 * Finds the name under which processes used most CPU time. Processes of the same name count together.
 *
 * @param {string} proc folder /proc
 * @param {Map<number, number>} before from readProcessTicks(), some time ago
 * @param {object} during
 * @param {number} during.ticks of all cores in this time
 * @param {number} [during.except] PID of hopbench itself
 * @returns {{ name: string, share: number } | null} share: of the time of all cores; null: nothing used any
 */
export function findBusiest (proc, before, { ticks, except }) {
  /** @type {Map<string, number>} */
  const byName = new Map()
  for (const [pid, used] of readProcessTicks(proc)) {
    const more = used - (before.get(pid) ?? used)
    if (more <= 0 || pid === except) continue
    const name = toPrintable(readText(join(proc, String(pid), 'comm')))
    if (name !== '') byName.set(name, (byName.get(name) ?? 0) + more)
  }
  const [busiest] = [...byName].sort(([, a], [, b]) => b - a)
  return busiest && ticks > 0 ? { name: busiest[0], share: Math.min(1, busiest[1] / ticks) } : null
}

/** Keeps printable ASCII, because any process can choose its name. @param {string} comm */
const toPrintable = comm => comm.replace(/[^ -~]/g, '').trim().slice(0, MOST_LETTERS)
