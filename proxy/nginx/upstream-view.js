/** Computes the values of nginx's templates that are about the app and its connections (pure). */
import { isIP } from 'node:net'
import semver from 'semver'
import { HopbenchError } from '../../bench/errors.js'
import { isPooled } from '../../bench/plan/predicates.js'
import { toTransportView } from '../../bench/topology/describe/templates.js'
import { quote } from './quote.js'

/** @import { Address, RenderRequest } from '../../bench/types.js' */

/** First version with `keepalive 32 local` and HTTP/1.1 as defaults, and with `keepalive 0` (nginx CHANGES). */
const KEEPALIVE_BY_DEFAULT = '1.29.7'

/** First version with `proxy_http_version 2` (nginx CHANGES). */
const HTTP2_TO_APP = '1.29.4'

/** Time for which idle connections to the app stay open, if the app keeps them for longer. */
const IDLE_SECONDS = 60

/**
 * @param {NonNullable<RenderRequest['upstream']>} upstream
 * @param {RenderRequest} request
 * @param {boolean} measure
 */
export function toUpstreamView (upstream, request, measure) {
  const { addresses, idleSeconds = IDLE_SECONDS } = upstream
  const { version, options, clients } = request
  const spread = addresses.length > 1
  rejectBesideDefaults(options, upstream)
  rejectHttp2(options, version)
  return {
    // A process that restarts rejects connections at once, and the next one gets the request. By default nginx skips a
    // process for 10 s after one failure, and a restart of all of them within 10 s would leave none.
    servers: addresses.map(address => `${print(address)}${spread || isName(address) ? ' max_fails=0' : ''}`),
    leastConn: options.balance === 'least-conn',
    zone: spread && getWorkers(request, measure) !== 1,
    ...toTransportView(upstream),
    ...options.upstream_defaults && {
      transportWords: 'Opens and keeps connections as this version does by default.'
    },
    defaults: Boolean(options.upstream_defaults),
    appHttp2: Boolean(options.upstream_http2),
    upstreamHttp: getVersionOfHttp(options),
    buffering: Boolean(options.buffering),
    requestBuffering: Boolean(options.request_buffering),
    pool: options.pool === 'auto' ? Math.max(128, clients) : options.pool,
    keepaliveIsDefault: semver.gte(version, KEEPALIVE_BY_DEFAULT),
    shortIdle: !measure && idleSeconds < IDLE_SECONDS,
    upstreamKeepalive: measure ? '1h' : `${idleSeconds}s`,
    upstreamRequests: measure ? 1000000000 : 1000
  }
}

/** Returns whether an address is a name, which has several addresses during a rollout. @param {Address} address */
const isName = address => address.kind === 'tcp' && isIP(address.host) === 0

/**
 * Rejects options that set what `upstream_defaults` leaves out.
 * @param {RenderRequest['options']} options
 * @param {NonNullable<RenderRequest['upstream']>} upstream
 */
function rejectBesideDefaults (options, upstream) {
  const { upstream_defaults: defaults, http10, pool, websocket, upstream_http2: http2 } = options
  const other = [isPooled(upstream) && upstream.transport, http10 && 'http10', pool !== 'auto' && 'pool',
    websocket && 'websocket', http2 && 'upstream_http2'].find(Boolean)
  if (!defaults || !other) return
  throw new HopbenchError('bad-option', {
    option: 'The option upstream_defaults of nginx',
    value: true,
    why: `${other} sets what the option leaves out`,
    remedy: 'Use one of the two, and the transport tcp or uds with upstream_defaults.'
  })
}

/** @param {RenderRequest['options']} options */
function getVersionOfHttp ({ http10, upstream_http2: http2 }) {
  if (http2) return '2'
  return http10 ? '1.0' : '1.1'
}

/**
 * Rejects HTTP/2 to the app with a version that has none, or beside an option that contradicts it.
 * @param {RenderRequest['options']} options
 * @param {string} version
 */
function rejectHttp2 ({ upstream_http2: http2, http10, websocket }, version) {
  if (!http2) return
  const reject = (/** @type {string} */ why, /** @type {string} */ remedy) =>
    new HopbenchError('bad-option', { option: 'The option upstream_http2 of nginx', value: true, why, remedy })
  const other = [http10 && 'http10', websocket && 'websocket'].find(Boolean)
  if (other) throw reject(`${other} is about HTTP/1`, 'Use one of the two.')
  if (semver.gte(version, HTTP2_TO_APP)) return
  throw reject(`it requires nginx ${HTTP2_TO_APP}, and this is ${version}`,
    'Take a newer nginx, as in +release=sid.')
}

/**
 * Returns the number of workers. A container shows more cores than its app may use.
 * @param {RenderRequest} request
 * @param {boolean} measure
 */
export function getWorkers ({ options, deploy }, measure) {
  if (options.workers !== 'auto') return options.workers
  return measure || deploy?.hasOwnCores === false ? 1 : 'auto'
}

/** @param {Address} address */
export const print = address =>
  address.kind === 'unix' ? quote(`unix:${address.path}`) : `${address.host}:${address.port}`
