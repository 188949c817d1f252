/** Reads facts of other processes from /proc. */
import { readStat, readText } from './system-files.js'

/** Number of SIGTERM (signal(7)). */
const SIGTERM = 15n

/** Returns the parent of a process; null: it has ended. @param {number} pid */
export const getParent = pid => {
  const parent = Number(readStat(`/proc/${pid}/stat`)[1])
  return Number.isInteger(parent) ? parent : null
}

/**
 * Returns whether a process descends from another one. Guards signals to PIDs that another program has named.
 * @param {number} pid
 * @param {number} ancestor
 */
export function isDescendant (pid, ancestor) {
  for (let current = getParent(pid); current !== null && current > 1; current = getParent(current)) {
    if (current === ancestor) return true
  }
  return false
}

/**
 * Returns whether a process has a handler for SIGTERM, by the mask SigCgt of its status (proc_pid_status(5)).
 * @param {number} pid
 * @returns {boolean | null} null: unknown
 */
export function catchesTermination (pid) {
  const [, mask] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readText(`/proc/${pid}/status`)) ?? []
  return mask === undefined ? null : (BigInt(`0x${mask}`) >> (SIGTERM - 1n) & 1n) === 1n
}

/** Returns whether a process runs, and is no zombie. @param {number} pid */
export const isAlive = pid => ![undefined, '', 'Z', 'X'].includes(readStat(`/proc/${pid}/stat`)[0])
