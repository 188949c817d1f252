/** Waits for a program that listens, and names the program that occupies an address. */
import { basename } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { listNumbers } from '../../machine/files/system-files.js'
import { findListeningProcess, getExecutable } from '../../machine/kernel-counts.js'
import { findNetworkKeeper } from '../../machine/network/lab.js'
import { waitUntil } from '../../machine/process.js'

/** @import { Child } from '../../machine/types.js' @import { Address } from '../../types.js' */

/**
 * Waits until a program listens. Reports an address that is in use.
 * @param {Child} child
 * @param {Address} address
 * @param {() => Promise<boolean>} check returns whether the program responds; may throw the reason why it never will
 * @param {number} timeoutSeconds
 * @param {number} [pollMs]
 * @throws {HopbenchError} port-in-use, process-died, not-ready
 */
export async function waitUntilListening (child, address, check, timeoutSeconds, pollMs) {
  try {
    await waitUntil(child, check, { timeoutSeconds, pollMs })
  } catch (error) {
    const output = error instanceof HopbenchError ? String(error.details.output) : ''
    if (!/EADDRINUSE|Address (already )?in use/i.test(output)) throw error
    const what = address.kind === 'unix' ? `The socket ${address.path}` : `Port ${address.port}`
    const holder = findHolder(address, child.enter)
    throw new HopbenchError('port-in-use', { what, holder, output }, { cause: error })
  }
}

/**
 * Names the process that listens at an address.
 * @param {Address} address
 * @param {string[]} [enter] argv prefix that enters the network of the address; left out: the network of hopbench
 * @returns {string | null} program, and its PID or network; null: the kernel does not show it to this account
 */
export function findHolder (address, enter = []) {
  const holder = findListeningProcess([findNetworkKeeper(enter), ...listNumbers('/proc')], address)
  const executable = holder === null ? null : getExecutable(holder)
  if (executable === null) return null
  const name = basename(executable)
  // The PID of a process in a private network is one of the namespace of the suite.
  return enter.length > 0 ? `${name} inside the private network of its topology` : `${name} (process ${holder})`
}
