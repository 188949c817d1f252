// Caddy as a reverse proxy or a static server, with the templates in proxy/caddy/.
import {
  ACCESS_LOG, BALANCE, MAX_BODY, METRICS, NO_WEBSOCKET_OPTION, PRODUCTION, RELEASE, SHIPPED, SITE_HOSTS, SPA, STATIC,
  flag, gzipLevel, number
} from '../bench/topology/option-specs.js'
import { toHashRules } from '../bench/shared/http/hashed-names.js'
import { toFilesView } from '../bench/topology/describe/content-view.js'
import { FORGEABLE_HEADERS } from '../bench/topology/forgeable-headers.js'
import {
  appNotes, escapePrefix, isProduction, reasonsIn, templatesIn, toHostView, toRelative, toTransportView
} from '../bench/topology/describe/templates.js'

/** @import { Address, ProxyPlugin, RenderRequest } from '../bench/types.js' */

const folder = new URL('./caddy/', import.meta.url)
const caddyfile = templatesIn(folder, 'Caddyfile')
const shippedFile = templatesIn(folder, 'Shippedfile')

/** @type {Record<string, string>} */
const LB_POLICIES = { 'round-robin': 'round_robin', 'least-conn': 'least_conn' }

/**
 * Returns the condition of a path with a hash in the language of Caddy's matchers.
 * @param {Pick<RenderRequest, 'built'>} request
 */
const toHashed = ({ built }) => toHashRules(built).map(patterns =>
  `(${patterns.map(pattern => `{http.request.orig_uri.path}.matches(r"${pattern}")`).join(' && ')})`).join(' || ')

/** Relative to the folder of the topology. */
const ADMIN_SOCKET = 'admin.sock'

/** Labels of counted requests: those of the handlers that respond, and of routes. */
const HANDLERS = /handler="(reverse_proxy|file_server|static_response)",.*server="srv0"/
const ROUTES = /handler="subroute",.*server="srv0"/

/** @type {ProxyPlugin} */
export default {
  about: {
    title: 'Caddy',
    program: 'caddy',
    packages: { debian: ['caddy'], fedora: ['caddy'], alpine: ['caddy'], brew: ['caddy'] },
    static: true,
    lacks: { websocket: NO_WEBSOCKET_OPTION },
    options: {
      gzip: flag(false, 'encode: compression on the fly'),
      gzip_comp_level: gzipLevel(5, 'level of gzip'),
      gzip_min_length: number(512, 'minimum_length: least size of a compressed response, in bytes', { needs: 'gzip' }),
      static: STATIC,
      spa: SPA,
      shipped: SHIPPED,
      gzip_static: flag(false, 'precompressed: sends file.gz in place of a file to clients that accept gzip',
        { for: 'files' }),
      pool: number('auto', 'keepalive_idle_conns: most idle upstream connections', { for: 'app' }),
      max_body: MAX_BODY,
      production: PRODUCTION,
      host: SITE_HOSTS,
      balance: BALANCE,
      metrics: METRICS,
      admin: flag(false, 'the admin API on a Unix socket, without which Caddy cannot reload; recommended ' +
        'configurations have it at its default address'),
      release: RELEASE
    }
  },

  // "v2.10.0 h1:…"; Debian's build prints only the number.
  version: { args: ['version'], parse: output => /^v?(\d+\.\d+\.\d+)/m.exec(output)?.[1] ?? null },

  // The path is between backticks, which cannot be escaped, and a brace opens a placeholder.
  interprets: { signs: ['{', '`'], in: ['root', 'files'] },

  explain: { syntax: { Caddyfile: 'lines' }, reasons: reasonsIn(folder) },

  render: request => ({ Caddyfile: (request.options.shipped ? shippedFile : caddyfile)(toView(request)) }),

  command: dir => ['run', '--config', `${dir}/Caddyfile`, '--adapter', 'caddyfile'],
  check: dir => ['validate', '--config', `${dir}/Caddyfile`, '--adapter', 'caddyfile'],
  // --force, because Caddy ignores a configuration that has not changed. The path is relative, because a Unix socket
  // limits its length.
  reload: {
    command: dir => ['reload', '--config', `${dir}/Caddyfile`, '--adapter', 'caddyfile', '--force', '--address',
      `unix/${ADMIN_SOCKET}`],
    needs: 'admin'
  },
  // Redirects autosave.json, which Caddy would write to the configuration folder of the account.
  env: dir => ({ XDG_CONFIG_HOME: `${dir}/config`, XDG_DATA_HOME: `${dir}/data` }),

  counters: {
    socket: 'status.sock',
    path: '/metrics',
    // Caddy's own errors, such as 502, are in its log; error responses of the app are in the metrics.
    log: 'proxy.log',
    errorLog: 'proxy.log',
    cost: { requests: 0 },
    parse (body, headers) {
      const atSeconds = Number(headers['x-millis']) / 1000
      if (!Number.isFinite(atSeconds) || !body.includes('go_goroutines')) {
        throw new TypeError(`Caddy's metrics do not contain its counters: ${body.slice(0, 200)}`)
      }
      // There are no such lines before the first request.
      const seen = (/** @type {string} */ name) => {
        const lines = [...body.matchAll(new RegExp(`^caddy_http_${name}\\{(.*)\\} (\\S+)$`, 'gm'))]
        const ended = lines.filter(([, labels]) => HANDLERS.test(labels))
        // With prefixes of files the handlers are within routes, of which Caddy counts the outer ones only.
        return ended.length > 0 ? ended : lines.filter(([, labels]) => ROUTES.test(labels))
      }
      const sum = (/** @type {RegExpExecArray[]} */ lines) => lines.reduce((all, [,, count]) => all + Number(count), 0)
      return {
        atSeconds,
        connections: null,
        requests: sum(seen('requests_total')),
        non2xx: sum(seen('request_duration_seconds_count').filter(([, labels]) => !/code="(2..|304)"/.test(labels)))
      }
    },
    parseLogLine (line) {
      const [, at, status] = /^\{.*"ts":([\d.]+),"logger":"http\.log\.error".*"status":(\d+),/.exec(line) ?? []
      return at === undefined ? null : { atSeconds: Number(at), status: Number(status), cache: null }
    }
  }
}

/** Returns the values of the templates. @param {RenderRequest} request */
function toView (request) {
  const { listen, upstream, root, files = [], options, purpose } = request
  if (listen.kind === 'unix') throw new TypeError('Caddy cannot run behind another proxy here')
  const measure = purpose === 'measure'
  const site = toHostView(request)
  return {
    title: measure
      ? 'Caddy as hopbench runs it'
      : `Caddy ${upstream ? 'in front of a Node server' : 'as a static server'}, as measured by hopbench`,
    notes: measure ? [] : recommendedNotes(upstream?.addresses ?? []),
    measure,
    metrics: measure && Boolean(options.metrics),
    admin: options.admin ? `unix/${ADMIN_SOCKET}` : 'off',
    files: !upstream,
    ...site,
    anyUrl: `http://:${listen.port}`,
    siteUrl: (site.hosts ?? ['']).map(host => `http://${host}:${listen.port}`).join(', '),
    production: isProduction(request),
    accessLog: measure ? `file ${ACCESS_LOG}` : 'stdout',
    bind: measure ? listen.host : null,
    // During a measurement no connection may be closed and no request given up, because timeouts go on while the
    // processes are paused.
    idle: measure ? '1h' : '75s',
    patience: measure ? '1h' : '60s',
    root,
    prefixes: files.map(prefix =>
      ({ ...prefix, pattern: escapePrefix(prefix.prefix), hashed: toHashed(request) })),
    spa: Boolean(options.spa),
    ...toFilesView(request),
    maxBody: options.max_body,
    precompressed: Boolean(options.gzip_static) || (upstream !== null && isProduction(request)),
    gzip: Boolean(options.gzip),
    gzipLevel: options.gzip_comp_level,
    gzipMin: options.gzip_min_length,
    ...upstream ? toUpstreamView(upstream, request, measure) : {}
  }
}

/**
 * @param {NonNullable<RenderRequest['upstream']>} upstream
 * @param {RenderRequest} request
 * @param {boolean} measure
 */
const toUpstreamView = ({ addresses, ...upstream }, { options, clients, dir }, measure) => ({
  ...toTransportView(upstream),
  upstreams: addresses.map(address => print(address, measure ? dir : null)).join(' '),
  spread: addresses.length > 1,
  forgeable: FORGEABLE_HEADERS,
  policy: LB_POLICIES[String(options.balance)],
  pool: options.pool === 'auto' ? Math.max(128, clients) : options.pool,
  upstreamIdle: measure ? '1h' : '60s'
})

/** @param {Address[]} addresses */
const recommendedNotes = addresses => [
  '',
  ...addresses.length > 0 ? appNotes(addresses, 'Caddy') : []
]

/**
 * @param {Address} address
 * @param {string | null} dir null: a recommended configuration
 */
const print = (address, dir) => address.kind === 'unix'
  ? `unix/${toRelative(address.path, dir)}`
  : `${address.host}:${address.port}`
