/** Which process something belongs to, so that others can see whether it still runs. node: imports only. */
import { readFileSync, readlinkSync } from 'node:fs'
import { getErrorCode } from '../../errors.js'

/**
 * @typedef {object} Owner
 * @property {number} pid
 * @property {string} started a pid alone may have been given out again
 * @property {string} namespace of process ids: another container that shares a folder numbers its processes otherwise
 */

/** @returns {Owner} this process */
export const ownOwner = () => ({ pid: process.pid, started: startOf(process.pid), namespace: pidNamespace() })

/**
 * @param {Owner} owner
 * @returns {boolean | null} null: it lives where its number says nothing here
 */
export const isRunning = ({ pid, started, namespace }) =>
  namespace === pidNamespace() ? startOf(pid) === started : null

/** In clock ticks since boot; empty when there is no such process, or only its zombie. @param {number} pid */
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
