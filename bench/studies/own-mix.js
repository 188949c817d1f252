/** Requests many paths of an app in place of one: those of a page (--har), or of an access log (--paths). */
import { resolve } from 'node:path'
import { badOption } from '../errors.js'
import { callerCwd } from '../machine/caller-cwd.js'
import { makesOwnContent } from '../measure/gate/reference.js'
import { readPage } from './own-har.js'
import { mixForApp, sequenceOf } from './own-paths.js'

/** @import { HopbenchError } from '../errors.js' */
/** @import { Plan } from '../types.js' */
/** @import { RunFlags } from './types.js' */

/** Options that describe one request. */
const OF_ONE_REQUEST = /** @type {const} */ ([
  ['path', '--path'], ['method', '--method'], ['body', '--body'], ['bodyFile', '--body-file']
])

/**
 * Requests in their proportions.
 *
 * @typedef {object} Mix
 * @property {Map<string, number>} mix number of requests by path
 * @property {string | null} acceptEncoding header of most requests; null: not sent
 * @property {string[]} notes what is left out, and how often
 */

/**
 * Reads the requests.
 *
 * @param {Pick<RunFlags, 'har' | 'paths' | 'path' | 'method' | 'body' | 'bodyFile'>} options
 * @returns {Mix | null} null: one path is requested
 * @throws {HopbenchError} bad-option, har-unreadable, har-empty, paths-unreadable, paths-empty
 */
export function readMix (options) {
  const { har, paths } = options
  if (har === undefined && paths === undefined) return null
  if (har !== undefined && paths !== undefined) throw badOption('--har', har, 'it and --paths are mutually exclusive')
  const [option, file] = har === undefined ? ['--paths', String(paths)] : ['--har', har]
  const other = OF_ONE_REQUEST.find(([field]) => options[field] !== undefined)
  if (other) throw badOption(option, file, `its requests are GET with paths of their own, so ${other[1]} has no effect`)
  const from = resolve(callerCwd(), file)
  return har === undefined ? { ...mixForApp(from), acceptEncoding: null } : readPage(from)
}

/**
 * Returns the plan with the requests of a mix.
 *
 * @param {Plan} plan
 * @param {Mix} mix
 * @returns {Promise<Plan>}
 * @throws {HopbenchError} bad-option, if a topology has no app
 */
export async function withOwnMix (plan, { mix, acceptEncoding }) {
  for (const arm of plan.arms) {
    if (!arm.topology.url && await makesOwnContent(arm)) continue
    throw badOption('--har or --paths', arm.name, 'only an app of your own has pages',
      "Name the app, as in --app 'npm start', or the folder of static files with --root.")
  }
  const paths = sequenceOf(mix, plan.seed)
  /** @type {Record<string, string>} */
  const accept = acceptEncoding === null ? {} : { 'Accept-Encoding': acceptEncoding }
  const arms = plan.arms.map(arm => ({
    ...arm, load: { ...arm.load, path: paths[0], paths, headers: { ...accept, ...arm.load.headers } }
  }))
  return { ...plan, arms }
}
