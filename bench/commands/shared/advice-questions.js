/** Questions of `hopbench advise` in a terminal: what it cannot find out by itself. */
import { ask as askHere } from './confirm.js'
import { count, responseTime } from './option-values.js'

/** Most requests per second of a sizing. */
export const MOST_RPS = 100_000_000
const GOAL = '100ms'

/**
 * Options that questions fill in, and those that suppress the questions.
 *
 * @typedef {{ rps?: number, p99?: number, provider?: string, target?: string, yes?: boolean, json?: boolean,
 *   resume?: string | true }} Asked
 */

/**
 * Prompts for the half of the load that is not typed. If neither half is typed, prompts for the platform as well.
 *
 * @template {Asked} O
 * @param {O} options as typed
 * @param {object} terminal
 * @param {boolean} terminal.isTerminal
 * @param {(options: O) => void} terminal.check throws for misused options, before a question
 * @param {(question: string) => Promise<string>} [terminal.ask]
 * @returns {Promise<O>}
 * @throws {import('../../errors.js').HopbenchError} bad-option, for a reply that is no number or time
 */
export async function withReplies (options, { isTerminal, check, ask = askHere }) {
  const { yes = false, json = false, resume, provider, target } = options
  const hasRate = options.rps !== undefined
  const hasGoal = options.p99 !== undefined
  const isAsked = isTerminal && !yes && !json && resume === undefined && !(hasRate && hasGoal)
  if (!isAsked) return options
  // The other half of the load is not known yet.
  check({ ...options, rps: options.rps ?? 1, p99: options.p99 ?? 1 })
  const { rps = await askRate(ask) } = options
  const p99 = rps === undefined ? undefined : options.p99 ?? await askGoal(ask)
  const isPlatformKnown = hasRate || hasGoal || provider !== undefined || target !== undefined
  const platform = isPlatformKnown ? '' : await ask('Platform, as in fly (empty: all, and a kit for docker):')
  return { ...options, rps, p99, ...platform && { provider: platform } }
}

/**
 * @param {(question: string) => Promise<string>} ask
 * @returns {Promise<number | undefined>}
 */
async function askRate (ask) {
  const reply = await ask('Requests per second at the peak (empty: no instances are counted):')
  return reply === '' ? undefined : count('--rps', MOST_RPS)(reply)
}

/**
 * @param {(question: string) => Promise<string>} ask
 * @returns {Promise<number>} seconds
 */
const askGoal = async ask =>
  responseTime('--p99')(await ask(`99 of 100 responses within (empty: ${GOAL}):`) || GOAL)
