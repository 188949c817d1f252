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
import net from 'node:net'
import { attempt } from '../../shared/attempt.js'
import { findFault } from '../../shared/first-response.js'
import { readMessage } from '../../shared/http/read-message.js'

/** @import { Arm } from '../../types.js' */
/** @import { StagedArm } from '../../measure/types.js' */
/** @import { findProxies } from '../../measure/find-programs.js' */
/** @import { Context, IdleTime, Site } from './types.js' */

const RESPONSE_MS = 1500 // Limit of a response.
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
const isHere = location =>
  URL.canParse(location, HERE) && new URL(location, HERE).hostname === new URL(HERE).hostname

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
    timeIdle: (path, longestMs) => timeIdle(address, path, longestMs),
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

/**
 * Sends a request, and waits until the server closes the connection. Does not wait where the response announces the
 * timeout.
 *
 * @param {Context['address']} address
 * @param {string} path
 * @param {number} longestMs limit of the wait
 * @returns {Promise<IdleTime>}
 * @throws {NoResponse}
 */
function timeIdle (address, path, longestMs) {
  return new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const chunks = []
    let answeredAt = NaN
    let failure = ''
    const socket = net.connect(address, () => socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`))
    let limit = setTimeout(() => end(() => reject(new NoResponse(`no response within ${RESPONSE_MS / 1000} s`))),
      RESPONSE_MS)
    const end = (/** @type {() => void} */ settle) => {
      clearTimeout(limit)
      socket.removeAllListeners('close').destroy()
      settle()
    }
    socket.on('data', chunk => {
      chunks.push(chunk)
      const message = readMessage(Buffer.concat(chunks), { method: 'GET', closed: false })
      if (!message?.complete || !Number.isNaN(answeredAt)) return
      answeredAt = performance.now()
      const announced = /\btimeout=(\d+)/.exec(message.headers['keep-alive'] ?? '')?.[1]
      if (announced !== undefined) {
        return end(() => resolve({ announcedSeconds: Number(announced), closedAfterMs: null }))
      }
      clearTimeout(limit)
      limit = setTimeout(() => end(() => resolve({ announcedSeconds: null, closedAfterMs: null })), longestMs)
    })
    socket.on('error', error => { failure = ` (${error.message})` })
    socket.on('close', () => end(() => Number.isNaN(answeredAt)
      ? reject(new NoResponse(`the connection ended without a response${failure}`))
      : resolve({ announcedSeconds: null, closedAfterMs: performance.now() - answeredAt })))
  })
}

const NO_FILE = 'it does not send the file alive.txt of the folder $ROOT'
const DEATH_MS = 500 // Until the end of a process is noticed.
// Wait for the first response. Varnish rejects connections for a moment after its start.
const READY_MS = 2000
const STARTS = 3 // Attempts to start a topology, because another program can take a port that was just free.
const LOG_LINES = 40 // Lines of an uncaught error with its stack.

export class TestedChain {
  #arm
  #site
  #options
  /** @type {{ staged: StagedArm, close: () => Promise<void> } | null} */
  #opened = null

  /**
   * @param {Arm} arm
   * @param {Site} site
   * @param {object} options of all chains of a check
   * @param {string} options.temp
   * @param {string} options.cwd
   * @param {Awaited<ReturnType<typeof findProxies>>} options.proxies
   * @param {() => number} options.next returns the number of a new folder
   */
  constructor (arm, site, options) {
    this.#arm = arm
    this.#site = site
    this.#options = options
  }

  /** Starts the topology with restored files, and stops it before that if it is up. */
  async start () {
    await this.stop()
    restoreSite(this.#site)
    for (let left = STARTS; ; left--) {
      try {
        const { temp, cwd, proxies, next } = this.#options
        const { root, outside: reach } = this.#site
        const dir = makeTempDir(temp, String(next()))
        const options = { root, reach, dir, proxies, lab: false, cores: null, cwd, temp }
        this.#opened = await openArm(this.#arm, options)
        break
      } catch (error) {
        // Probes request paths of their own.
        const isPath = isHopbenchError(error, 'gate-refused') && error.details.add?.[0] === '--path'
        if (isPath) throw createRejection(this.#arm.name, error.details.why)
        if (left === 1 || !isHopbenchError(error, 'port-in-use')) throw error
      }
    }
    for (let ms = 0; ms < READY_MS && !await isResponding(this.context()); ms += 50) await sleep(50)
    if (this.#arm.topology.server?.command) await this.#rejectOtherFiles()
  }

  /**
   * Rejects an app of your own that does not serve the folder of the check, because each probe would fail.
   *
   * @throws {HopbenchError} gate-refused
   */
  async #rejectOtherFiles () {
    const context = this.context()
    if (await isResponding(context)) return
    const request = 'GET /alive.txt'
    const answer = await context.request('/alive.txt').then(({ status, headers }) => ({
      status, headers, location: headers.location
    }), onNoResponse(() => undefined))
    const output = readLastLines(this.#opened?.staged.running.serverLog ?? '', LOG_LINES)
    await this.stop()
    const { why } = findFault({ request, answer, failure: 'no response', output })?.params ?? { why: NO_FILE }
    throw createRejection(this.#arm.name, why)
  }

  context () {
    const { running } = /** @type {{ staged: StagedArm }} */ (this.#opened).staged
    const { server } = this.#arm.topology
    const { hostname, port } = new URL(running.target.url)
    return createContext({
      address: { host: hostname, port: Number(port) },
      site: this.#site,
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
  async death (patienceMs) {
    if (await isResponding(this.context())) {
      await sleep(patienceMs)
      return this.#describeEnd()
    }
    for (let ms = 0; ms < DEATH_MS && !this.#describeEnd(); ms += 20) await sleep(20)
    return this.#describeEnd() ?? 'the server no longer responds'
  }

  async stop () {
    const opened = this.#opened
    this.#opened = null
    await opened?.close()
  }

  #describeEnd () {
    const running = this.#opened?.staged.running
    const failure = running?.failure()
    if (!failure) return null
    const log = readLastLines(running?.serverLog ?? '', LOG_LINES).replaceAll(this.#site.root, '')
    const errors = log.split('\n').filter(line => /^\w*Error\b.*: /.test(line))
    return `the server ${failure.details.how}${errors.length > 0 ? `: ${errors[errors.length - 1].slice(0, 100)}` : ''}`
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
