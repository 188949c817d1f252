/** Sends many requests to an app in place of one: those of a page (--har), or of an access log (--paths). */
import { resolve } from 'node:path'
import { badOption } from '../errors.js'
import { callerCwd } from '../machine/caller-cwd.js'
import { makesOwnContent } from '../measure/gate/reference.js'
import { toMixLoad } from '../plan/request-mix.js'
import { readPage } from './own-har.js'
import { LONGEST_SEQUENCE, mixForApp, sequenceOf } from './own-paths.js'
import { listMethods } from './own-request.js'

/** @import { HopbenchError } from '../errors.js' */
/** @import { Arm, MixedRequest, Plan } from '../types.js' */
/** @import { RunFlags } from './types.js' */

/** Options that describe one request. */
const OF_ONE_REQUEST = /** @type {const} */ ([
  ['path', '--path'], ['method', '--method'], ['body', '--body'], ['bodyFile', '--body-file']
])

/**
 * Requests in their proportions.
 *
 * @typedef {object} Mix
 * @property {Map<MixedRequest, number>} mix number of equal requests
 * @property {string[]} notes what is left out, and how often
 * @property {boolean} [hasSecrets] cookies or credentials are left out of requests
 */

/**
 * Reads the requests.
 *
 * @param {Pick<RunFlags, 'har' | 'harMethods' | 'paths' | 'path' | 'method' | 'body' | 'bodyFile'>} options
 * @returns {Mix | null} null: one path is requested
 * @throws {HopbenchError} bad-option, har-unreadable, har-empty, paths-unreadable, paths-empty
 */
export function readMix (options) {
  const { har, harMethods, paths } = options
  if (har === undefined && harMethods !== undefined) {
    throw badOption('--har-methods', harMethods, 'it requires --har, the file with the requests')
  }
  if (har === undefined && paths === undefined) return null
  if (har !== undefined && paths !== undefined) throw badOption('--har', har, 'it and --paths are mutually exclusive')
  const [option, file] = har === undefined ? ['--paths', String(paths)] : ['--har', har]
  const other = OF_ONE_REQUEST.find(([field]) => options[field] !== undefined)
  if (other) {
    throw badOption(option, file, `its requests have paths and methods of their own, so ${other[1]} has no effect`)
  }
  const from = resolve(callerCwd(), file)
  if (har !== undefined) {
    return readPage(from, harMethods === undefined ? [] : listMethods('--har-methods', harMethods))
  }
  const { mix, notes } = mixForApp(from)
  return { mix: new Map([...mix].map(([path, times]) => [{ path }, times])), notes }
}

/**
 * Whether the sequence of requests has each request of the page exactly as often as the page, so that one pass through
 * it is a page view.
 *
 * @param {Mix} mix of a HAR file
 */
export const isWholePage = ({ mix }) => [...mix.values()].reduce((sum, times) => sum + times, 0) <= LONGEST_SEQUENCE

/**
 * Returns the plan with the requests of a mix.
 *
 * @param {Plan} plan
 * @param {Mix} mix
 * @returns {Promise<Plan>}
 * @throws {HopbenchError} bad-option, if a topology has no app
 */
export const withOwnMix = async (plan, mix) => ({ ...plan, arms: await toMixedArms(plan.arms, plan.seed, mix) })

/**
 * Returns arms that send the requests of a mix.
 *
 * @param {Arm[]} arms
 * @param {number} seed of the sequence of requests
 * @param {Mix} mix
 * @returns {Promise<Arm[]>}
 * @throws {HopbenchError} bad-option, if a topology has no app
 */
export async function toMixedArms (arms, seed, { mix }) {
  for (const arm of arms) {
    if (!arm.topology.url && await makesOwnContent(arm)) continue
    throw badOption('--har or --paths', arm.name, 'only an app of your own has pages',
      "Name the app, as in --app 'npm start', or the folder of static files with --root.")
  }
  const drawn = sequenceOf(mix, seed)
  return arms.map(arm => ({ ...arm, load: { ...arm.load, ...toMixLoad(drawn, arm.load.headers) } }))
}
