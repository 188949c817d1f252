/** Inspects builds, and visits them during a rollout, by a child process in the network of the clients. */
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { HopbenchError } from '../../../errors.js'
import { toAddress } from '../../../load/scenario-client.js'
import { converse, readLastLines } from '../../../machine/process.js'
import { attempt } from '../../../shared/attempt.js'
import { findFault } from '../../../shared/first-response.js'

/** @import { Site, Visits } from '../types.js' */
/** @import { Found } from './find-site.js' */
/** @import { VisitOrder } from './visits-child.js' */

/** Argv prefix that enters the network of the clients, and folder of a log.
 * @typedef {{ url: string, enter: string[], dir: string }} Target */

const CHILD = fileURLToPath(new URL('visits-child.js', import.meta.url))
const EXIT_SECONDS = 2 // The child ends by itself after its last line.
/** Limit of the inspection, for half of which files are looked for. */
const INSPECT_SECONDS = 20
/** Limit for the start of the process, on a busy machine. */
const START_SECONDS = 15
/** Limit for the requests in flight at the end: a late file, the page, its files, the late file again and an idle
 * connection, each of which may be sent twice. */
const END_SECONDS = 100

/**
 * Requests a page of a build that runs alone, with its files.
 * @param {Target & { page: string, api: string[] }} options api: paths that the page requests later
 * @returns {Promise<Site>} api: the paths that have a successful response
 * @throws {HopbenchError} gate-refused
 */
export async function inspectSite ({ page, api, ...target }) {
  const client = startClient(target, { task: 'inspect', page, api })
  /** @type {Found} */
  const { site, ...look } = await client.read(INSPECT_SECONDS)
  await client.close()
  const fault = findFault({ request: `GET ${page}`, isPrivate: target.enter.length > 0, ...look })
  if (site && !fault) return site
  const { why = 'its page cannot be read', remedy } = fault?.params ?? {}
  // The page has an option of its own.
  throw new HopbenchError('gate-refused', { name: 'app', why, remedy: remedy?.replace('--path', '--page') })
}

/**
 * Starts visits of simulated browsers.
 * @param {Target & Omit<VisitOrder, 'address'>} options
 * @returns {Promise<{ end: () => Promise<Visits> }>} end: begins no further visit, and returns what was seen
 * @throws {HopbenchError} gate-refused
 */
export async function openVisits ({ url, enter, dir, ...order }) {
  const client = startClient({ url, enter, dir }, { task: 'visit', ...order })
  await client.read(START_SECONDS)
  return {
    async end () {
      client.end()
      const visits = await client.read(END_SECONDS)
      await client.close()
      return visits
    }
  }
}

/**
 * @param {Target} target
 * @param {object} order of the child, without the address
 * @returns {{ read: (seconds: number) => Promise<any>, end: () => void, close: () => Promise<void> }} read: returns the
 *   next value of the child, or ends the child and rejects with gate-refused; end: lets visits end
 */
function startClient ({ url, enter, dir }, order) {
  const log = join(dir, 'clients.log')
  const child = converse({ name: 'the clients of a rollout', argv: [process.execPath, CHILD], enter, log })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  // The child may have ended.
  child.stdin.on('error', () => {})
  child.stdin.write(`${JSON.stringify({ ...order, address: toAddress({ url, socketPath: null }) })}\n`)
  return {
    async read (seconds) {
      const line = await Promise.race([lines.next(), sleep(seconds * 1000, null, { ref: false })])
      const value = attempt(() => JSON.parse(String(line?.value)), () => null)
      if (value !== null) return value
      await child.ends(0)
      const why = line === null ? `its clients returned nothing within ${seconds} s` : 'its clients have ended'
      throw new HopbenchError('gate-refused', { name: 'app', why, output: readLastLines(log) })
    },
    end: () => { child.stdin.write('end\n') },
    close: () => child.ends(EXIT_SECONDS)
  }
}
