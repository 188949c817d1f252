/** Waits for a program that listens, and reports an address that is in use. */
import { HopbenchError } from '../../errors.js'
import { waitUntil } from '../../machine/process.js'
import { findHolder } from './port-holder.js'

/** @import { Child } from '../../machine/types.js' @import { Address } from '../../types.js' */

/**
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
