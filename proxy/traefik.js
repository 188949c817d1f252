// Traefik as a reverse proxy, with the templates in proxy/traefik/. Traefik serves no files itself. Its configuration
// has a static part, read at its start, and a dynamic one, which it reads again on SIGHUP.
import semver from 'semver'
import { fileURLToPath } from 'node:url'
import { METRICS, NO_WEBSOCKET_OPTION, SITE_HOSTS, choice, flag, number } from '../bench/topology/option-specs.js'
import { FORGEABLE_HEADERS } from '../bench/topology/forgeable-headers.js'
import { appNotes, reasonsIn, templatesIn, toHostView, toTransportView } from '../bench/topology/describe/templates.js'

/** @import { Address, ProxyPlugin, RenderRequest } from '../bench/types.js' */

const folder = new URL('./traefik/', import.meta.url)
const traefikToml = templatesIn(folder, 'traefik.toml')
const dynamicToml = templatesIn(folder, 'dynamic.toml')

/** Path of the counters on the port for clients. Traefik listens on no Unix socket. */
const STATUS_PATH = '/hopbench-status'
/** Entry point whose requests are counted. Excludes the counters themselves, which Traefik takes for an internal
 * service. */
const REQUESTS = /^traefik_entrypoint_requests_total\{(.*\bentrypoint="web".*)\} (\S+)$/gm
/** First version that removes headers with aliasing names. Versions from 3.7.6 on know underscores only. */
const ALIASES_SINCE = '3.7.12'
/**
 * Rule for a host with the signs of a name or an address, and a port. Host() and HostRegexp() ignore the port. Traefik
 * sets X-Forwarded-Host before it routes.
 */
const HOST_SIGNS = 'HeaderRegexp(`X-Forwarded-Host`, `(?i)^([a-z0-9._-]+|\\[[0-9a-f:.]+\\])(:[0-9]+)?$`)'
/** Oldest version tried here whose retries can be limited to a status. */
const RESENDS_SINCE = '3.7.15'
/** Strategy of the load balancer by the value of the option `balance`. @type {Record<string, string>} */
const STRATEGIES = { 'round-robin': 'wrr', p2c: 'p2c', leasttime: 'leasttime' }

/** @type {ProxyPlugin} */
export default {
  about: {
    title: 'Traefik',
    program: 'traefik',
    packages: { debian: [], fedora: [], alpine: [] },
    wheel: {
      requirements: fileURLToPath(new URL('requirements.txt', folder)),
      inside: 'bin/traefik',
      least: '3.10',
      platforms: ['linux-x64']
    },
    static: false,
    transports: ['tcp', 'keepalive'],
    lacks: {
      static: 'Traefik serves no files; nginx, Apache and Caddy do',
      websocket: NO_WEBSOCKET_OPTION,
      release: 'no release of Debian has a package of Traefik',
      max_body: 'Traefik limits bodies by its buffering, which holds back whole requests and responses, streams too',
      gzip_comp_level: 'Traefik has one level of gzip'
    },
    options: {
      threads: number('auto', 'GOMAXPROCS: threads that run Traefik; auto: one for each core that it may use'),
      gzip: flag(false, 'compress: compression on the fly'),
      gzip_min_length: number(1024, 'minResponseBodyBytes: least size of a compressed response, in bytes',
        { needs: 'gzip' }),
      host: SITE_HOSTS,
      metrics: METRICS,
      pool: number('auto', 'maxIdleConnsPerHost: most idle upstream connections to each process', { for: 'app' }),
      balance: choice('none', ['none', ...Object.keys(STRATEGIES)],
        'distribution of requests over processes with an address each (server@node:4): in turn (round-robin), to the ' +
        'less busy of two random ones (p2c), or by response times and requests in flight (leasttime)', { for: 'app' })
    }
  },

  version: { args: ['version'], parse: output => /^Version:\s+v?(\d+\.\d+\.\d+)/m.exec(output)?.[1] ?? null },

  explain: { syntax: { 'traefik.toml': 'sections', 'dynamic.toml': 'sections' }, reasons: reasonsIn(folder) },

  render (request) {
    const view = toView(request)
    return { 'traefik.toml': traefikToml(view), 'dynamic.toml': dynamicToml(view) }
  },

  // The path is relative, because Traefik expands variables in it.
  command: () => ['--configFile=traefik.toml'],
  // Traefik has no command that checks a configuration. It ends on an error in the static part, and the counters do not
  // respond after one in the dynamic part, which contains their path.
  check: () => ['version'],
  listensEarly: true,
  /** @returns {Record<string, string>} */
  env: (_, { options }) => options.threads === 'auto' ? {} : { GOMAXPROCS: String(options.threads) },

  counters: {
    // Traefik adds a request when its handler returns, after the response was sent: 1 of 300 readings directly after a
    // response did not contain its request.
    late: true,
    socket: 'status.sock',
    onFront: true,
    path: STATUS_PATH,
    log: 'proxy.log',
    errorLog: 'proxy.log',
    cost: { requests: 0 },
    // The metrics contain no time of the reading, and the header Date has whole seconds.
    parse (body) {
      if (!body.includes('traefik_config_reloads_total')) {
        throw new TypeError(`Traefik's metrics do not contain its counters: ${body.slice(0, 200)}`)
      }
      // There are no such lines before the first request.
      const lines = [...body.matchAll(REQUESTS)]
      const sum = (/** @type {RegExpExecArray[]} */ some) => some.reduce((all, [,, count]) => all + Number(count), 0)
      return {
        connections: null,
        requests: sum(lines),
        non2xx: sum(lines.filter(([, labels]) => !/code="(101|2..|304)"/.test(labels)))
      }
    },
    // Errors are in the metrics, by status.
    parseLogLine: () => null
  }
}

/** Returns the values of the templates. @param {RenderRequest} request */
function toView ({ version, listen, upstream, options, clients, purpose }) {
  if (!upstream) throw new TypeError('Traefik does not serve files')
  if (listen.kind === 'unix') throw new TypeError('Traefik cannot run behind another proxy here')
  const measure = purpose === 'measure'
  const { addresses } = upstream
  const site = toHostView({ options, purpose })
  const retries = !measure && addresses.length > 1
  const resends = retries && semver.gte(version, RESENDS_SINCE)
  const shared = [...measure ? [] : ['headers'], ...resends ? ['resend'] : [], ...retries ? ['retry'] : [],
    ...options.gzip ? ['gzip'] : []]
  return {
    title: measure
      ? 'Traefik as hopbench runs it'
      : 'Traefik in front of a Node server, as measured by hopbench: its static configuration, traefik.toml',
    notes: measure ? [] : recommendedNotes(options),
    dynamicTitle: measure ? 'Routes of Traefik as hopbench runs it' : 'Traefik\'s dynamic configuration, dynamic.toml',
    dynamicNotes: measure ? [] : ['', ...appNotes(addresses, 'Traefik')],
    measure,
    metrics: Boolean(options.metrics),
    dynamicFile: measure ? 'dynamic.toml' : '/etc/traefik/dynamic.toml',
    listen: `${measure ? listen.host : ''}:${listen.port}`,
    removesAliases: !measure && semver.gte(version, ALIASES_SINCE),
    // During a measurement no connection may be closed and no request given up, because timeouts go on while the
    // processes are paused.
    read: measure ? '0s' : '60s',
    idle: measure ? '1h' : '75s',
    grace: measure ? '1s' : '10s',
    patience: measure ? '1h' : '60s',
    upstreamIdle: measure ? '1h' : '60s',
    statusPath: STATUS_PATH,
    middlewares: toList(measure ? shared : ['no-upgrade', ...shared]),
    websocketMiddlewares: toList(shared),
    forgeable: FORGEABLE_HEADERS,
    hostWords: site.hostWords,
    rejection: site.hosts ? 421 : 400,
    hostRule: [...site.hosts ? [`(${site.hosts.map(host => `Host(\`${host}\`)`).join(' || ')})`] : [], HOST_SIGNS]
      .join(' && '),
    retries,
    resends,
    gzip: Boolean(options.gzip),
    gzipMin: options.gzip_min_length,
    strategy: addresses.length > 1 ? STRATEGIES[String(options.balance)] : null,
    servers: addresses.map(toUrl),
    ...toTransportView(upstream),
    pool: options.pool === 'auto' ? Math.max(128, clients) : options.pool
  }
}

/**
 * @param {Address} address
 * @throws {TypeError} for a Unix socket, which no transport of Traefik leads to (traefik #4881)
 */
function toUrl (address) {
  if (address.kind === 'unix') throw new TypeError('Traefik reaches an app over TCP only')
  return `http://${address.host}:${address.port}`
}

/** @param {string[]} names */
const toList = names => names.map(name => `"${name}"`).join(', ')

/** @param {RenderRequest['options']} options */
const recommendedNotes = ({ threads }) => [
  '',
  'The files are in /etc/traefik. After a change of the second one, send SIGHUP.',
  ...threads === 'auto' ? [] : [`The service has the environment variable GOMAXPROCS=${threads}.`]
]
