/** The topology that the probes are sent to. */
import { setTimeout as sleep } from 'node:timers/promises'
import { HopbenchError, isHopbenchError } from '../../errors.js'
import { readLastLines } from '../../machine/process.js'
import { memoryMiB, readCpuSeconds } from '../../machine/probe.js'
import { openArm } from '../../measure/stage.js'
import { readLink } from '../../machine/files/system-files.js'
import { makeTempDir } from '../../machine/files/temp.js'
import { NoResponse, onNoResponse, send } from './client.js'
import { restoreSite } from './site.js'
import { readdirSync } from 'node:fs'
import { attempt } from '../../shared/attempt.js'
import { findFault } from '../../shared/first-response.js'

/** @import { Arm } from '../../types.js' */
/** @import { StagedArm } from '../../measure/types.js' */
/** @import { findProxies } from '../../measure/find-programs.js' */
/** @import { Context, Site } from './types.js' */

/** Origin of the requests, which have this Host. */
const HERE = 'http://localhost'
const REDIRECTS = [301, 302, 303, 307, 308]
/** Most redirects of a request: to a path without .html, and to a folder with its slash. */
const MAX_REDIRECTS = 3
const PROXY_STATUSES = [502, 504] // Sent by a proxy if the server behind it did not respond.

/**
 * Returns whether a browser resolves a redirect to another host.
 *
 * @param {string} location
 * @param {string} path of the request
 */
export function isElsewhere (location, path) {
  const url = URL.parse(location, URL.canParse(HERE + path) ? HERE + path : HERE)
  return url !== null && url.hostname !== new URL(HERE).hostname
}

/** Returns whether a redirect stays within the site. @param {string} location */
const isHere = location => URL.parse(location, HERE)?.hostname === new URL(HERE).hostname

/**
 * @param {Pick<Context, 'address' | 'site' | 'proxied'> & { pids: () => number[] }} parts
 * @returns {Context}
 */
export function createContext ({ address, site, proxied, pids }) {
  /** @type {Context['request']} */
  const request = async (path, headers = {}, more = {}) => {
    const shortPath = path.length > 60 ? `${path.slice(0, 20)}… (${path.length} characters)` : path
    const { method = 'GET', redirects = MAX_REDIRECTS } = more
    const fail = (/** @type {string} */ why) => {
      throw new NoResponse(`${method} ${shortPath}: ${why}`)
    }
    const [response] = await send(address, [{ path, headers, ...more }])
      .catch(onNoResponse(({ message }) => fail(message)))
    const { status, body, surplus, complete, headers: { location, 'content-length': length } } = response
    if (proxied && PROXY_STATUSES.includes(status)) fail(`the proxy got no response (${status})`)
    if (!complete) fail(`the response broke off after ${body.length} of ${length ?? 'unknown'} bytes`)
    const hasNoBody = method === 'HEAD' || [204, 304].includes(status)
    if (surplus.length > 0 && !hasNoBody) {
      fail(`the body is ${surplus.length} bytes longer than the Content-Length of ${length}`)
    }
    const isFollowed = redirects > 0 && ['GET', 'HEAD'].includes(method) && REDIRECTS.includes(status)
    if (!isFollowed || location === undefined || !isHere(location)) return response
    const { pathname, search } = new URL(location, `${HERE}${path}`)
    return request(pathname + search, headers, { ...more, redirects: redirects - 1 })
  }
  return {
    address,
    site,
    proxied,
    request,
    openFiles: () => total(pids(), countFiles),
    memoryMiB: () => total(pids(), pid => memoryMiB([pid])),
    cpuSeconds: () => total(pids(), pid => readCpuSeconds([pid]).get(pid) ?? NaN)
  }
}

/**
 * Counts the open files of a process without connections, which a proxy may keep in a pool.
 *
 * @param {number} pid
 */
const countFiles = pid => readdirSync(`/proc/${pid}/fd`).map(fd => readLink(`/proc/${pid}/fd/${fd}`))
  .filter(target => target.startsWith('/')).length

/**
 * @param {number[]} pids
 * @param {(pid: number) => number} read fails without /proc, or if the process is gone
 */
const total = (pids, read) =>
  attempt(() => pids.length === 0 ? null : pids.reduce((sum, pid) => sum + read(pid), 0), () => null)

const NO_FILE = 'it does not send the file alive.txt of the folder $ROOT'
const DEATH_MS = 500 // Until the end of a process is noticed.
// Wait for the first response. Varnish rejects connections for a moment after its start.
const READY_MS = 2000
const STARTS = 3 // Attempts to start a topology, because another program can take a port that was just free.
const LOG_LINES = 40 // Lines of an uncaught error with its stack.

/** @typedef {ReturnType<typeof createTestedChain>} TestedChain */

/**
 * Returns functions that start and stop a topology, and describe its state.
 *
 * @param {Arm} arm
 * @param {Site} site
 * @param {object} options of all chains of a check
 * @param {string} options.temp
 * @param {string} options.cwd
 * @param {Awaited<ReturnType<typeof findProxies>>} options.proxies
 * @param {() => number} options.next returns the number of a new folder
 */
export function createTestedChain (arm, site, { temp, cwd, proxies, next }) {
  const { server } = arm.topology
  let opened = /** @type {{ staged: StagedArm, close: () => Promise<void> } | null} */ (null)

  /** Starts the topology with restored files, and stops it before that if it is up. */
  async function start () {
    await stop()
    restoreSite(site)
    const { root, outside: reach } = site
    opened = await openRepeatedly(arm, () => {
      const dir = makeTempDir(temp, String(next()))
      return openArm(arm, { root, reach, dir, proxies, lab: false, cores: null, cwd, temp })
    })
    for (let ms = 0; ms < READY_MS && !await isResponding(context()); ms += 50) await sleep(50)
    if (server?.command) await rejectOtherFiles()
  }

  /**
   * Rejects an app of your own that does not serve the folder of the check, because each probe would fail.
   *
   * @throws {HopbenchError} gate-refused
   */
  async function rejectOtherFiles () {
    const tested = context()
    if (await isResponding(tested)) return
    const answer = await tested.request('/alive.txt').then(({ status, headers }) => ({
      status, headers, location: headers.location
    }), onNoResponse(() => undefined))
    const output = readLastLines(opened?.staged.running.serverLog ?? '', LOG_LINES)
    await stop()
    const fault = findFault({ request: 'GET /alive.txt', answer, failure: 'no response', output })
    throw createRejection(arm.name, fault?.params.why ?? NO_FILE)
  }

  function context () {
    const { running } = /** @type {{ staged: StagedArm }} */ (opened).staged
    const { hostname, port } = new URL(running.target.url)
    return createContext({
      address: { host: hostname, port: Number(port) },
      site,
      proxied: running.proxied && server !== null,
      pids: () => server ? running.pids().server : running.pids().proxy
    })
  }

  /**
   * Describes how the server ended.
   *
   * @param {number} patienceMs
   * @returns {Promise<string | null>} null: the server responds, and is still up after this time
   */
  async function death (patienceMs) {
    if (await isResponding(context())) {
      await sleep(patienceMs)
      return describeEnd()
    }
    for (let ms = 0; ms < DEATH_MS && !describeEnd(); ms += 20) await sleep(20)
    return describeEnd() ?? 'the server no longer responds'
  }

  async function stop () {
    const last = opened
    opened = null
    await last?.close()
  }

  function describeEnd () {
    const running = opened?.staged.running
    const failure = running?.failure()
    if (!failure) return null
    const log = readLastLines(running?.serverLog ?? '', LOG_LINES).replaceAll(site.root, '')
    const errors = log.split('\n').filter(line => /^\w*Error\b.*: /.test(line))
    return `the server ${failure.details.how}${errors.length > 0 ? `: ${errors[errors.length - 1].slice(0, 100)}` : ''}`
  }

  return { start, context, death, stop }
}

/**
 * Opens a topology, again if another program took its port.
 *
 * @param {Arm} arm
 * @param {() => ReturnType<typeof openArm>} open
 */
async function openRepeatedly (arm, open) {
  for (let left = STARTS; ; left--) {
    try {
      return await open()
    } catch (error) {
      // Probes request paths of their own.
      const isPath = isHopbenchError(error, 'gate-refused') && error.details.add?.[0] === '--path'
      if (isPath) throw createRejection(arm.name, error.details.why)
      if (left === 1 || !isHopbenchError(error, 'port-in-use')) throw error
    }
  }
}

/**
 * Creates the error of an app that does not serve the folder of the check. The probes send no headers of a session.
 *
 * @param {string} name
 * @param {string} why
 */
const createRejection = (name, why) => new HopbenchError('gate-refused', {
  name, why, remedy: "Let it serve the folder in $ROOT without a login, as in --app 'npx serve -l $PORT $ROOT'."
})

/** @param {Context} context */
const isResponding = ({ request }) =>
  request('/alive.txt').then(({ body }) => String(body) === 'alive').catch(onNoResponse(() => false))
