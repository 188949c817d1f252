/** Finds the program that occupies an address. */
import { basename } from 'node:path'
import { findListeningProcess, getExecutable } from '../machine/kernel-counts.js'
import { listNumbers } from '../machine/system-files.js'

/** @import { Address } from '../types.js' */

/**
 * Names the process that listens at an address.
 * @param {number} pid process that tried to listen, whose network is searched; if it has ended, the network of hopbench
 * @param {Address} address
 * @returns {string | null} program and PID; null: the kernel does not show it to this account
 */
export function findHolder (pid, address) {
  const holder = findListeningProcess([pid, process.pid, ...listNumbers('/proc')], address)
  if (holder === null) return null
  const executable = getExecutable(holder)
  return executable && `${basename(executable)} (process ${holder})`
}
