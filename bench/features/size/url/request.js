/** Turns the options of `hopbench size --url` into a request, and checks them before any load. */
import { offeringName } from '../prices/offering-choice.js'
import { badOption } from '../../../errors.js'
import { computeScore } from '../../../judge/machines.js'
import { createArm } from '../../../plan/plan.js'
import { toOption } from '../../../shared/commands.js'
import { count, duration, percent } from '../../../shared/format.js'
import { printSizingWhy } from '../why-words.js'
import { requestFrom } from '../../../request/user-request.js'
import { storedRun } from '../../../run/stored-run.js'
import { isUrl, pinAddress, urlFrom } from '../../../request/urls.js'
import { getLeast, MIN_RATE } from './windows.js'

/** @import { HopbenchError } from '../../../errors.js' */
/** @import { Deployed, Sizing } from '../../../types.js' */
/** @import { UrlRequest } from './study.js' */

/** Default of --max-time, in seconds: six searches and the curve take about five minutes. */
const MAX_SECONDS = 600
/** Options that only --url has, by their names in `options`. */
const OF_URL = ['allowHost', 'maxRps', 'maxRequests', 'maxTime', 'yes', 'from']
/** Options about what hopbench starts, or about the prices of offerings. */
const NOT_OF_URL = ['app', 'listen', 'readyWithin', 'quietApp', 'files', 'filesHidden', 'har', 'harMethods',
  'harOrigin', 'logFormat', 'paths', 'ownNode', 'release', 'profile', 'max', 'provider', 'plans', 'newConnections',
  'memoryExtra', 'assumeVcpu', 'list', 'emulate', 'soak']

/**
 * Rejects options that require --url.
 *
 * @param {Record<string, any>} options
 * @throws {HopbenchError} bad-option
 */
export function rejectWithoutUrl (options) {
  const name = OF_URL.find(name => options[name] !== undefined)
  if (name) throw badOption(toOption(name), options[name], 'it requires --url, a deployed instance')
}

/**
 * @param {string[]} words
 * @param {Record<string, any>} options as typed, with the number of connections
 * @param {{ headroom: number, confidence: number, spare: number, min: number }} wish with its defaults
 * @returns {Promise<UrlRequest>}
 * @throws {HopbenchError} bad-option, url-host, url-unreachable, url-certificate, url-redirects, and those of --from
 */
export async function urlRequestFrom (words, options, { headroom, confidence, spare, min }) {
  const { url, allowHost, rps, p99, connections, quick = false, json = false, results } = options
  if (!isUrl(url)) throw badOption('--url', undefined, 'it takes an address with http:// or https://')
  const { name, origin, path } = urlFrom(url)
  if (words.length > 0) throw badOption('--url', name, `it replaces the topologies, and ${words[0]} is one`)
  const other = NOT_OF_URL.find(key => options[key] !== undefined)
  if (other) {
    throw badOption(toOption(other), options[other], 'it does not apply to a deployed instance, --url', 'Leave it out.')
  }
  if (options.path !== undefined) throw badOption('--path', options.path, 'the URL has a path')
  const topology = { proxy: null, server: null, url: origin }
  const load = { engine: 'paced', connections, path, ...requestFrom(options) }
  const arm = { ...createArm(topology, load), name }
  const goal = { rate: rps, p99Ms: p99 * 1000, headroom, confidence, spare, fewest: Math.max(min, 1 + spare) }
  const caps = capsFrom(options, goal)
  const estimates = await estimatesFrom(options, goal)
  const address = await pinAddress(arm, allowHost)
  const seed = options.seed ?? Math.floor(Math.random() * 2 ** 32)
  return { arm, address, caps, goal, estimates, quick, json, seed, results }
}

/**
 * @param {Record<string, any>} options
 * @param {{ p99Ms: number }} goal
 * @returns {UrlRequest['caps']}
 * @throws {HopbenchError} bad-option
 */
function capsFrom ({ maxRps, maxTime = MAX_SECONDS, maxRequests, quick = false }, { p99Ms }) {
  if (maxRps === undefined) {
    throw badOption('--url', undefined, 'it requires --max-rps, the rate that may be sent at most',
      'Add --max-rps with a rate that the instance may be loaded with, somewhat above its expected capacity.')
  }
  if (maxRps < MIN_RATE) {
    throw badOption('--max-rps', maxRps, `below ${MIN_RATE} a window has too few requests for a 99th percentile`)
  }
  const caps = { mostRps: maxRps, mostRequests: maxRequests ?? Math.floor(maxRps * maxTime), seconds: maxTime }
  const least = getLeast(maxRps, { p99Ms, quick })
  if (caps.seconds < least.seconds) {
    throw badOption('--max-time', duration(maxTime), `one search and the curve may take ${Math.ceil(least.seconds)} s`)
  }
  if (caps.mostRequests < least.requests) {
    throw badOption('--max-requests', caps.mostRequests,
      `one search and the curve may send ${count(least.requests)} requests at a --max-rps of ${count(maxRps)}`,
      `Permit ${least.requests} or more, lower --max-rps${quick ? '' : ', or add --quick'}.`)
  }
  return caps
}

/**
 * Returns the estimates of a stored sizing for an offering.
 *
 * @param {Record<string, any>} options
 * @param {Pick<Deployed['goal'], 'p99Ms' | 'confidence'>} goal
 * @returns {Promise<UrlRequest['estimates']>}
 * @throws {HopbenchError} bad-option, unknown-run
 */
async function estimatesFrom ({ from, plan, results }, goal) {
  if (from === undefined && plan === undefined) return []
  if (from === undefined) {
    throw badOption('--plan', plan[0], 'with --url it requires --from, the sizing whose estimate is compared')
  }
  if (plan?.length !== 1) {
    throw badOption('--from', from, 'it requires --plan, the one offering on which the instance runs')
  }
  const { record: { sizing, run, environment } } = await storedRun(from, results)
  if (!sizing) throw badOption('--from', from, 'it is not a sizing')
  rejectOtherGoal(from, sizing.goal, goal)
  const rows = sizing.table.filter(({ offering }) => offeringName(offering).toLowerCase() === plan[0].toLowerCase())
  if (rows.length === 0) throw badOption('--plan', plan[0], `the sizing ${run} has no such offering`)
  const own = computeScore(environment.calibration)
  const estimates = rows.flatMap(({ offering, topology, perInstance, atLeast, speed = { middle: 1 } }) => {
    // A CPU that is not promised changes from hour to hour, so the rate does not show how fast its cores are.
    const score = offering.vcpu === null || rows.length > 1 ? null : own && own * speed.middle
    return perInstance ? [{ run, offering: offeringName(offering), topology, perInstance, atLeast, score }] : []
  })
  if (estimates.length > 0) return estimates
  const why = printSizingWhy(rows[0].why) ?? 'no rate'
  throw badOption('--plan', plan[0], `the sizing ${run} has no estimate for it: ${why}`)
}

/**
 * @param {string} from
 * @param {Sizing['goal']} stored
 * @param {Pick<Deployed['goal'], 'p99Ms' | 'confidence'>} goal
 * @throws {HopbenchError} bad-option
 */
function rejectOtherGoal (from, { p99Ms, confidence }, goal) {
  if (p99Ms !== goal.p99Ms) {
    throw badOption('--from', from, `its goal is a p99 of ${p99Ms} ms, and another goal has another capacity`,
      `Use --p99 ${p99Ms}ms.`)
  }
  if (confidence === goal.confidence) return
  const share = `${Number((confidence * 100).toFixed(2))}%`
  throw badOption('--from', from, `${share} of the windows meet the goal at its capacities, here ` +
    `${percent(goal.confidence)} do`, `Use --confidence ${share}.`)
}

/**
 * Returns the question whether the load is permitted.
 *
 * @param {Pick<UrlRequest, 'arm' | 'address' | 'caps'>} request
 */
export const toQuestion = ({ arm: { name, load }, address, caps: { mostRps, mostRequests, seconds } }) =>
  `Load ${name} (${address}) with up to ${count(mostRps)} ${load.method ?? 'GET'} requests a second, ` +
  `${count(mostRequests)} in all, for up to ${duration(seconds)}?`
