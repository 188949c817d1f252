/** Sends a signal after its handler is in place. A program may serve requests before it has its handlers. */
import { constants } from 'node:os'
import { waitUntil } from './process.js'
import { readText } from './files/system-files.js'

/** @import { Child } from './types.js' */

/**
 * Sends a signal to the first process of a child when that process has a handler for it. HAProxy accepts connections up
 * to 20 ms before its master process handles SIGUSR2, which is lost before that.
 * @param {Child} child
 * @param {NodeJS.Signals} signal
 * @throws {HopbenchError} process-died, not-ready
 */
export async function signalWhenHandled (child, signal) {
  await waitUntil(child, () => handlesSignal(child.pid, signal))
  process.kill(child.pid, signal)
}

/**
 * Returns whether a process has a handler for a signal and does not block it.
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
function handlesSignal (pid, signal) {
  const status = readText(`/proc/${pid}/status`)
  const bit = 1n << BigInt(constants.signals[signal] - 1)
  const isIn = (/** @type {string} */ name) => {
    const mask = new RegExp(`^${name}:\\t(.+)$`, 'm').exec(status)?.[1] ?? '0'
    return (BigInt(`0x${mask}`) & bit) !== 0n
  }
  return isIn('SigCgt') && !isIn('SigBlk')
}
