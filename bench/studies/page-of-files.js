/** Makes a page view of an app's path and the files of its prefixes, where no HAR file names the requests of a page. */
import { plural } from '../shared/format.js'
import { mergeHeaders } from '../shared/merge-headers.js'
import { randomFrom, shuffle } from '../shared/random.js'
import { checkRoot } from './own-files.js'

/** @import { HopbenchError } from '../errors.js' */
/** @import { Arm, FilePrefix, Plan } from '../types.js' */

/** Files of a page view at most, as many as the built-in page has (bench/shared/page-view.js). */
const MOST_FILES = 20
/** Largest file of a page view, in bytes, because a single one would take up most of the load. */
const MOST_BYTES = 10 * 2 ** 20
/** Files that browsers do not request: source maps, and precompressed twins, which are sent under another name. */
const UNREQUESTED = /\.(map|gz|br|zst)$/

/**
 * Returns the plan with page views in place of requests: the path of each arm, and up to 20 files of the prefixes. With
 * more files the seed chooses. Clients accept gzip, as all browsers do.
 *
 * @param {Plan} plan
 * @param {FilePrefix[]} prefixes at least one
 * @returns {{ plan: Plan, note: string }} note: what is requested
 * @throws {HopbenchError} root-unreadable, root-empty
 */
export function withPageOfFiles (plan, prefixes) {
  const all = listFiles(prefixes)
  const chosen = all.length > MOST_FILES ? shuffle(all, randomFrom(plan.seed, 'page')).slice(0, MOST_FILES) : all
  const files = [...chosen].sort()
  const toPageView = (/** @type {Arm} */ { load, ...arm }) => ({
    ...arm,
    load: { ...load, paths: [load.path, ...files], headers: mergeHeaders({ 'Accept-Encoding': 'gzip' }, load.headers) }
  })
  const count = chosen.length < all.length
    ? `${chosen.length} of ${plural(all.length, 'file')}, chosen by the seed`
    : plural(all.length, 'file')
  return {
    plan: { ...plan, unit: 'pages', arms: plan.arms.map(toPageView) },
    note: `A page view is ${plan.arms[0].load.path} and ${count}. --har takes the requests of a real page.`
  }
}

/**
 * Lists the files of all prefixes that a browser may request.
 *
 * @param {FilePrefix[]} prefixes
 * @returns {string[]} paths of requests
 */
const listFiles = prefixes => prefixes.flatMap(({ prefix, folder }) => checkRoot(folder)
  .filter(({ path, bytes }) => bytes <= MOST_BYTES && !UNREQUESTED.test(path))
  .map(({ path }) => `${prefix}${path}`))

/**
 * Whether all arms send a plain GET for one path, so that a page view can take its place.
 *
 * @param {Pick<Plan, 'unit' | 'arms'>} plan
 */
export const requestsOnePath = ({ unit, arms }) => unit === 'requests' && arms.every(({ load }) =>
  [load.method, load.body, load.paths, load.requests].every(value => value === undefined))
