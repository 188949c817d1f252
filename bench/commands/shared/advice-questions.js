/** Questions of `hopbench advise` in a terminal: what it cannot find out by itself. */
import { ask as askHere } from './confirm.js'
import { count, responseTime } from './option-values.js'

/** Most requests per second of a sizing. */
export const MOST_RPS = 100_000_000
const GOAL = '100ms'

/** @typedef {{ rps?: number, p99?: number, provider?: string, yes?: boolean, json?: boolean, resume?: string | true }}
 * Asked options that are asked for, and those with which nothing is asked */

/**
 * Asks for the load and the provider, where no load is typed.
 *
 * @template {Asked} O
 * @param {O} options as typed
 * @param {{ isTerminal: boolean, ask?: (question: string) => Promise<string> }} terminal
 * @returns {Promise<O>}
 * @throws {import('../../errors.js').HopbenchError} bad-option, for a reply that is no number or time
 */
export async function withReplies (options, { isTerminal, ask = askHere }) {
  const { rps, p99, yes = false, json = false, resume } = options
  const isAsked = isTerminal && !yes && !json && resume === undefined && rps === undefined && p99 === undefined
  if (!isAsked) return options
  const rate = await ask('Requests per second at the peak (empty: no instances are counted):')
  if (rate === '') return options
  const goal = await ask(`99 of 100 responses within (empty: ${GOAL}):`)
  const provider = options.provider ?? await ask('Platform, as in fly (empty: all, and a kit for docker):')
  return {
    ...options,
    rps: count('--rps', MOST_RPS)(rate),
    p99: responseTime('--p99')(goal || GOAL),
    ...provider && { provider }
  }
}
