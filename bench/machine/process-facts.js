/** Reads facts of other processes from /proc. */
import { readStat } from './files/system-files.js'

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

/** Returns whether a process runs, and is no zombie. @param {number} pid */
export const isAlive = pid => ![undefined, '', 'Z', 'X'].includes(readStat(`/proc/${pid}/stat`)[0])
