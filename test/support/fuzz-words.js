/** Random words that may or may not describe a topology. */
import fc from 'fast-check'
import { HopbenchError } from '../../bench/errors.js'

/** Valid and invalid pieces of a spec. */
const piece = fc.constantFrom('nginx', 'apache', 'st', 'files', 'express-json', ':', 'tcp', 'uds', 'keepalive',
  'uds-keepalive', '/', '+', '=', '@', 'pm2', 'cluster', 'node', '4', 'max', '-1', '0', 'cache', 'gzip', '5s', './',
  '../', 'my-app.js', ' ', '', '::', '//', '%2f', 'ü', '\0', '\n', '__proto__', 'constructor')
export const spec = fc.oneof(fc.array(piece, { maxLength: 12 }).map(pieces => pieces.join('')),
  fc.string({ maxLength: 40 }))

/**
 * Returns the result of a function, or the HopbenchError that it throws. Any other error is thrown again.
 * @param {() => unknown} work
 * @returns {unknown}
 */
export function resultOrKnown (work) {
  try {
    return work()
  } catch (error) {
    if (error instanceof HopbenchError) return error
    throw error
  }
}
