/** Inspects a build that runs alone: its page, its files and their hashes. */
import { HopbenchError } from '../../../errors.js'
import { findFault } from '../../../shared/first-response.js'
import { startClient } from './client.js'

/** @import { Site } from '../types.js' */
/** @import { Found } from './find-site.js' */

/** Limit of the inspection, for half of which files are looked for. */
const LIMIT_SECONDS = 20

/**
 * Requests a page of a build with its files.
 * @param {{ url: string, enter: string[], page: string, api: string[], dir: string }} options enter: argv prefix that
 *   enters the network of the build; api: paths that the page requests later; dir: folder of a log
 * @returns {Promise<Site>} api: the paths that have a successful response
 * @throws {HopbenchError} gate-refused
 */
export async function inspectSite ({ page, api, ...target }) {
  const client = startClient(target, { task: 'inspect', page, api })
  /** @type {Found} */
  const { site, ...look } = await client.read(LIMIT_SECONDS)
  await client.close()
  const fault = findFault({ request: `GET ${page}`, isPrivate: target.enter.length > 0, ...look })
  if (site && !fault) return site
  const { why = 'its page cannot be read', remedy } = fault?.params ?? {}
  // The page has an option of its own.
  throw new HopbenchError('gate-refused', { name: 'app', why, remedy: remedy?.replace('--path', '--page') })
}
