/** An address in use is a person's to mend: says which. */
import { HopbenchError } from '../errors.js'

/** @import { Address } from '../types.js' */

/** @param {Address} address @param {() => Promise<void>} wait @throws {HopbenchError} port-in-use, or the wait's own */
export async function nameTakenAddress (address, wait) {
  try {
    await wait()
  } catch (error) {
    const output = error instanceof HopbenchError ? String(error.details.output) : ''
    if (!/EADDRINUSE|Address (already )?in use/i.test(output)) throw error
    const what = address.kind === 'unix' ? `The socket ${address.path}` : `Port ${address.port}`
    throw new HopbenchError('port-in-use', { what, output }, { cause: error })
  }
}
