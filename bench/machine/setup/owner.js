/** Identifies a process so that other processes can test whether it still runs. Imports only node: modules. */
import { readFileSync, readlinkSync } from 'node:fs'
import { getErrorCode } from '../../errors.js'

/**
 * @typedef {object} Owner
 * @property {number} pid
 * @property {string} started start time, because a PID can be reused
 * @property {string} namespace PID namespace, because another container that shares a folder has other PIDs
 */

/** @returns {Owner} this process */
export const ownOwner = () => ({ pid: process.pid, started: startOf(process.pid), namespace: pidNamespace() })

/**
 * @param {Owner} owner
 * @returns {boolean | null} null: unknown, because the process is in another PID namespace
 */
export const isRunning = ({ pid, started, namespace }) =>
  namespace === pidNamespace() ? startOf(pid) === started : null

/**
 * Returns a process's start in clock ticks since boot; empty if there is no such process or only its zombie.
 * @param {number} pid
 */
function startOf (pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ')
    return 'ZX'.includes(fields[0]) ? '' : fields[19]
  } catch {
    try {
      process.kill(pid, 0)
      return 'unknown'
    } catch (error) {
      return getErrorCode(error) === 'EPERM' ? 'unknown' : ''
    }
  }
}

function pidNamespace () {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return 'host'
  }
}
