/** Words that might be topologies, and what a function does with them. */
import fc from 'fast-check'
import { HopbenchError } from '../../bench/errors.js'

/** Pieces of which words are made, right and wrong ones. */
const piece = fc.constantFrom('nginx', 'apache', 'st', 'files', 'express-json', ':', 'tcp', 'uds', 'keepalive',
  'uds-keepalive', '/', '+', '=', '@', 'pm2', 'cluster', 'node', '4', 'max', '-1', '0', 'cache', 'gzip', '5s', './',
  '../', 'my-app.js', ' ', '', '::', '//', '%2f', 'ü', '\0', '\n', '__proto__', 'constructor')
export const word = fc.oneof(fc.array(piece, { maxLength: 12 }).map(pieces => pieces.join('')),
  fc.string({ maxLength: 40 }))

/**
 * @param {() => unknown} work
 * @returns {unknown} what it returns, or the error of the catalog that it throws
 */
export function resultOrKnown (work) {
  try {
    return work()
  } catch (error) {
    if (error instanceof HopbenchError) return error
    throw error
  }
}
