/** Tries what an app does at SIGTERM, with each kind of connection that clients and proxies hold open. */
import { endBySignal, finishesRequests } from '../../load/end-by-signal.js'
import { holdConnection } from '../../load/held-connection.js'
import { END_SECONDS, findPrograms } from '../../machine/end-programs.js'
import { groupMembers } from '../../machine/probe.js'
import { listing } from '../../shared/format.js'
import { parseKeepAlive } from '../../shared/http/parse-keep-alive.js'

/** @import { EndBySignal } from '../../load/end-by-signal.js' */
/** @import { HeldOrder, HeldType } from '../../load/held-connection.js' */
/** @import { AppFault, AppHalf, AppToEnd } from './app-half.js' */

/** Longest measured lifetime of an idle connection, in ms: above the 5 s of Node, which announces them. */
const KEEP_ALIVE_MS = 8000
/**
 * Time for which proxies keep idle connections to an app, in seconds: keepalive_timeout of nginx's upstreams and the
 * idle timeout of AWS's load balancers.
 */
const PROXY_SECONDS = 60
const TITLES = /** @satisfies {Record<HeldType, string>} */ ({
  request: 'a request in flight', idle: 'an idle connection', stream: 'a stream', websocket: 'a WebSocket'
})

/**
 * Starts the app and ends it by SIGTERM, once for each kind of connection.
 * @param {AppToEnd} app
 * @returns {Promise<AppHalf>}
 */
export async function tryAppEnd ({ page = '/', stream = null, websocket = null, ...app }) {
  const request = await tryWith('request', page, app)
  const isAnnounced = parseKeepAlive(request.end.keepAlive) !== null
  const idle = await tryWith('idle', page, app, isAnnounced ? undefined : findKeepAlive)
  const others = []
  if (stream !== null) others.push(await tryWith('stream', stream, app))
  if (websocket !== null) others.push(await tryWith('websocket', websocket, app))
  const { accepts, closes, reply } = request.end
  return {
    request: classify(request.end),
    lateStatus: reply?.status ?? null,
    closesKept: closes,
    acceptsNew: accepts,
    endSeconds: Object.fromEntries([request, idle, ...others].flatMap(({ type, end }) =>
      end.isHeld ? [[type, end.endSeconds]] : [])),
    keepAliveSeconds: parseKeepAlive(request.end.keepAlive) ?? idle.keepAliveSeconds
  }
}

/**
 * @param {HeldType} type
 * @param {string} path
 * @param {Omit<AppToEnd, 'page' | 'stream' | 'websocket'>} app
 * @param {typeof findKeepAlive} [measure] measures the lifetime of idle connections before the end
 */
async function tryWith (type, path, { startApp, limitSeconds, network, dir }, measure = async () => null) {
  const { child, listen } = await startApp()
  try {
    const order = {
      url: `http://${network.address}:${listen.port}`,
      socketPath: null,
      enter: network.enter,
      dir,
      path,
      // Keeps the connection after the response, as a proxy does.
      headers: type === 'request' ? { Connection: 'keep-alive' } : undefined
    }
    const keepAliveSeconds = await measure(order)
    const members = groupMembers(child.groups())
    const programs = findPrograms(members)
    const end = await endBySignal(programs.length > 0 ? programs : members, order, { type, members, limitSeconds })
    return { type, end, keepAliveSeconds }
  } finally {
    await child.stop({ graceSeconds: 0 })
  }
}

/**
 * @param {EndBySignal} end
 * @returns {AppHalf['request']}
 */
function classify (end) {
  const finishes = finishesRequests(end)
  if (finishes === null) return null
  if (!finishes) return 'cuts'
  return end.drains ? 'drains' : 'cuts-incomplete'
}

/**
 * @param {HeldOrder} order
 * @returns {Promise<number | null>}
 */
async function findKeepAlive (order) {
  const { first, waitForClose, close } = await holdConnection('idle', order)
  try {
    if (first?.isLast) return 0
    const ms = await waitForClose(KEEP_ALIVE_MS)
    return ms === null ? null : ms / 1000
  } finally {
    await close()
  }
}

/**
 * Returns what is wrong with the end of an app.
 * @param {AppHalf} half
 * @returns {AppFault[]}
 */
export function findAppFaults ({ request, lateStatus, closesKept, acceptsNew, endSeconds, keepAliveSeconds }) {
  const hanging = Object.entries(TITLES).flatMap(([type, title]) =>
    endSeconds[/** @type {HeldType} */ (type)] === null ? [title] : [])
  const isRejected = lateStatus !== null && lateStatus >= 500
  const isShort = keepAliveSeconds !== null && keepAliveSeconds > 0 && keepAliveSeconds <= PROXY_SECONDS
  /** @type {(AppFault | false)[]} */
  const faults = [
    request === 'cuts' && { code: 'cuts', text: 'SIGTERM cuts requests in flight.' },
    isRejected && { code: 'rejects', text: `After SIGTERM a request on a kept connection gets status ${lateStatus}.` },
    acceptsNew && { code: 'accepts-new', text: 'After SIGTERM the app still responds on new connections.' },
    closesKept === false && {
      code: 'keeps-open',
      text: 'After SIGTERM a response keeps its connection, on which a proxy sends the next request.'
    },
    hanging.length > 0 &&
      { code: 'hangs', text: `With ${listing(hanging)} the app still runs ${END_SECONDS} s after SIGTERM.` },
    isShort && {
      code: 'short-keep-alive',
      text: `The app closes idle connections after ${+keepAliveSeconds.toFixed(1)} s, before a proxy that keeps them ` +
        `for ${PROXY_SECONDS} s: a request at that moment gets a 502.`
    }
  ]
  return faults.filter(fault => fault !== false)
}
