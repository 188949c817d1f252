/** Finds the program that occupies an address. */
import { basename } from 'node:path'
import { findListeningProcess, getExecutable } from '../../machine/kernel-counts.js'
import { findNetworkKeeper } from '../../machine/network/lab.js'
import { listNumbers } from '../../machine/files/system-files.js'

/** @import { Address } from '../../types.js' */

/**
 * Names the process that listens at an address.
 * @param {Address} address
 * @param {string[]} [enter] argv prefix that enters the network of the address; left out: the network of hopbench
 * @returns {string | null} program, and its PID or network; null: the kernel does not show it to this account
 */
export function findHolder (address, enter = []) {
  const holder = findListeningProcess([findNetworkKeeper(enter), ...listNumbers('/proc')], address)
  if (holder === null) return null
  const executable = getExecutable(holder)
  if (executable === null) return null
  const name = basename(executable)
  // The PID of a process in a private network is one of the namespace of the suite.
  return enter.length > 0 ? `${name} inside the private network of its topology` : `${name} (process ${holder})`
}
