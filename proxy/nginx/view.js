/** Computes the values of nginx's templates (pure). */
import semver from 'semver'
import { HopbenchError } from '../../bench/errors.js'
import { CREDENTIAL_HEADERS, FORGEABLE_HEADERS } from '../../bench/topology/forgeable-headers.js'
import { ACCESS_LOG } from '../../bench/topology/option-specs.js'
import { isWholeSite } from '../../bench/plan/file-prefixes.js'
import { compresses, isOn, passesUpgrades, usesBrotli } from '../../bench/plan/predicates.js'
import { toFilesView } from '../../bench/topology/describe/content-view.js'
import { appNotes, escapePrefix, isProduction, toHostView } from '../../bench/topology/describe/templates.js'
import { quote } from './quote.js'
import { toTlsView } from './tls-view.js'
import { getWorkers, print, toUpstreamView } from './upstream-view.js'

/** @import { ProxyVariant, RenderRequest } from '../../bench/types.js' */

/** First version with HTTP/3 (nginx CHANGES). */
const HTTP3 = '1.25.0'

/** First version in which HTTP/2 is a directive instead of a parameter of `listen` (nginx CHANGES). */
const HTTP2_DIRECTIVE = '1.25.1'

/** Debian's nginx with its Brotli modules. @type {ProxyVariant} */
export const WITH_BROTLI = {
  program: 'nginx-brotli',
  packages: { debian: ['nginx', 'libnginx-mod-http-brotli-filter', 'libnginx-mod-http-brotli-static'] },
  inside: 'usr/sbin/nginx',
  folder: 'usr/lib/nginx/modules',
  files: ['ngx_http_brotli_filter_module.so', 'ngx_http_brotli_static_module.so']
}
/** Compressed media types besides text/html, which is always compressed. */
const COMPRESSIBLE = 'text/css text/plain text/xml text/markdown text/javascript application/javascript ' +
  'application/json application/manifest+json application/xml image/svg+xml'

/** Returns the values of the templates. @param {RenderRequest} request */
export function toView (request) {
  const { upstream, dir, root, files = [], purpose } = request
  const measure = purpose === 'measure'
  const production = isProduction(request)
  const attic = request.deploy?.attic ?? null
  const isSpa = Boolean(request.options.spa)
  return {
    title: measure
      ? 'nginx as hopbench runs it'
      : `nginx ${upstream ? 'as a reverse proxy' : 'as a static server'}, as measured by hopbench`,
    notes: measure ? [] : getNotes(request),
    measure,
    production,
    websocket: !measure || passesUpgrades(request),
    files: !upstream,
    deploy: request.deploy ?? null,
    // The scheme that the client used, which a router that ends TLS names.
    scheme: request.deploy?.routers.length ? '$forwarded_proto' : '$scheme',
    forgeable: FORGEABLE_HEADERS,
    ...toFilesView(request),
    ...toHostView(request),
    credentials: CREDENTIAL_HEADERS.map(name => `$http_${name.toLowerCase().replaceAll('-', '_')}`),
    publicCookies: toCookiePattern(request.options.public_cookies),
    maxBody: request.options.max_body,
    nosniff: !measure && !upstream,
    redirects: measure || !isOn(request.options.tls) ? [] : onBoth(request.deploy ? '@HTTP_PORT@' : '80'),
    tempFolder: request.deploy?.temp ?? '',
    ownFolder: measure || Boolean(request.deploy),
    hsts: !measure && isOn(request.options.tls),
    // With prefixes, directives of the app are beside it.
    repeatsHsts: !measure && isOn(request.options.tls) && files.every(isWholeSite),
    statusSocket: quote(`unix:${dir}/status.sock`),
    notedLog: 'noted.log',
    root: quote(root),
    servesFiles: files.length > 0,
    prefixes: files.filter(prefix => !isWholeSite(prefix)).map(({ prefix, folder }, i) =>
      ({
        prefix,
        pattern: escapePrefix(prefix),
        folder: quote(`${folder}/`),
        linksFrom: quote(`from=${folder}`),
        page: `@page_${i}`,
        ...toMissing(attic, { name: `@earlier_${i}`, page: isSpa ? `@page_${i}` : '@app' })
      })),
    site: files.filter(isWholeSite).map(({ folder }) => ({
      folder: quote(folder),
      linksFrom: quote(`from=${folder}`),
      ...toMissing(attic, { name: '@earlier', page: '@app' })
    }))[0],
    attic,
    ...toMissing(attic, { name: '@earlier', page: isSpa ? '@page' : null }),
    modules: getModules(request, measure),
    ...toProcessView(request, measure),
    ...toClientView(request, measure),
    ...toContentView(request, measure),
    ...toTlsView(request, measure),
    ...upstream ? toUpstreamView(upstream, request, measure) : {}
  }
}

/**
 * Returns where nginx looks for a file that the folder of this build lacks.
 * @param {string | null} attic folder with the files of earlier builds; null: there is none
 * @param {{ name: string, page: string | null }} locations name: of the earlier files; page: in place of a missing file
 */
const toMissing = (attic, { name, page }) => attic === null
  ? { missing: page, earlier: null }
  : {
      missing: name,
      earlier: { name, folder: quote(attic), linksFrom: quote(`from=${attic}`), fallback: page ?? '=404' }
    }

/**
 * @param {RenderRequest} request
 * @param {boolean} measure
 */
function getModules ({ options, modules }, measure) {
  if (!usesBrotli({ options })) return []
  const folder = measure && modules?.folder ? modules.folder : `/${WITH_BROTLI.folder}`
  return WITH_BROTLI.files.map(file => quote(`${folder}/${file}`))
}

/**
 * Returns the worker_connections for a number of clients. A proxied request takes two connections, and nginx since
 * 1.19.3 closes idle ones if fewer than a sixteenth are free. The spare ones are for readings of counters.
 * @param {number} clients
 */
const computeConnections = clients => Math.max(4096, Math.ceil(2 * clients * 16 / 15) + 64)

/**
 * @param {RenderRequest} request
 * @param {boolean} measure
 */
function toProcessView (request, measure) {
  const { options, clients, cores, deploy } = request
  const connections = options.connections === 'auto' ? computeConnections(clients) : Number(options.connections)
  return {
    workers: getWorkers(request, measure),
    affinity: options.worker_cpu_affinity === 'auto' ? `auto${measure ? mask(cores) : ''}` : null,
    connections,
    // A proxied request takes two descriptors. The margin is for logs and cache files.
    openFiles: connections * 2 + 512,
    events: deploy || process.platform === 'linux' ? 'epoll' : 'kqueue',
    multiAccept: Boolean(options.multi_accept),
    acceptMutex: Boolean(options.accept_mutex),
    acceptMutexDelay: options.accept_mutex_delay
  }
}

/**
 * @param {RenderRequest} request
 * @param {boolean} measure
 */
function toClientView (request, measure) {
  const { listen, options, version, deploy } = request
  // Idle connections must stay open during a measurement, because generators are paused for long.
  const limits = measure
    ? { timeout: '1h', requests: 1000000000 }
    : { timeout: `${deploy?.keepAliveSeconds ?? 75}s`, requests: 1000 }
  const { keepalive_timeout: timeout, keepalive_requests: requests } = options
  const isTls = isOn(options.tls)
  if (options.http3) rejectHttp3(request)
  // Every browser uses HTTP/2 over TLS.
  const isHttp2 = options.http2 === true || (isTls && !measure)
  const http2Directive = isHttp2 && semver.gte(version, HTTP2_DIRECTIVE)
  const parameters = [...isTls ? ['ssl'] : [], ...isHttp2 && !http2Directive ? ['http2'] : [],
    `backlog=${options.backlog}`, ...options.reuseport ? ['reuseport'] : []].join(' ')
  // The start script of a kit inserts the port, and removes the IPv6 address if the kernel has no IPv6.
  const addresses = measure ? [print(listen)] : onBoth(deploy ? '@PORT@' : listen.kind === 'tcp' && listen.port)
  return {
    listens: addresses.map(address => `${address} ${parameters}`),
    // reuseport lets all packets of a connection reach the same worker.
    quicListens: options.http3 ? addresses.map(address => `${address} quic reuseport`) : [],
    altSvc: options.http3 && listen.kind === 'tcp' ? `'h3=":${listen.port}"; ma=86400'` : null,
    http2Directive,
    clientKeepalive: timeout === 'auto' ? limits.timeout : timeout,
    clientRequests: requests === 'auto' ? limits.requests : requests,
    tcpNopush: Boolean(options.tcp_nopush),
    tcpNodelay: Boolean(options.tcp_nodelay),
    accessLog: options.access_log || isProduction(request) ? getAccessLog(deploy, measure) : null,
    // nginx does not buffer what it sends to syslog.
    bufferedLog: (isProduction(request) || Boolean(options.access_log_buffer)) &&
      !getAccessLog(deploy, measure).startsWith('syslog:')
  }
}

/**
 * Rejects HTTP/3 where nginx cannot serve it.
 * @param {RenderRequest} request
 */
function rejectHttp3 ({ version, listen, options }) {
  /** @type {[isFault: boolean, why: string, remedy: string][]} */
  const faults = [
    [semver.lt(version, HTTP3), `it requires nginx ${HTTP3}, and this is ${version}`,
      'Take a newer nginx, as in +release=sid.'],
    [options.tls_version === 1.2, 'it requires TLS 1.3', 'Leave tls_version out.'],
    [listen.kind === 'unix', 'it requires UDP, and nginx listens on a Unix socket here', 'Leave it out.']
  ]
  const fault = faults.find(([isFault]) => isFault)
  if (!fault) return
  const [, why, remedy] = fault
  throw new HopbenchError('bad-option', { option: 'The option http3 of nginx', value: true, why, remedy })
}

/**
 * @param {RenderRequest} request
 * @param {boolean} measure
 */
function toContentView (request, measure) {
  const { options, dir, deploy, upstream, files = [] } = request
  const production = isProduction(request)
  const hasRecommendedFiles = production && (!upstream || files.length > 0)
  return {
    sendfile: Boolean(options.sendfile),
    openFileCache: Boolean(options.open_file_cache),
    gzip: Boolean(options.gzip) || (production && !upstream),
    gzipLevel: options.gzip_comp_level,
    gzipMin: options.gzip_min_length,
    gzipStatic: Boolean(options.gzip_static) || hasRecommendedFiles,
    brotli: Boolean(options.brotli),
    brotliLevel: options.brotli_comp_level,
    brotliStatic: Boolean(options.brotli_static),
    compressible: COMPRESSIBLE,
    varies: hasRecommendedFiles || compresses(request),
    spa: Boolean(options.spa),
    cache: isOn(options.cache) ? options.cache : null,
    cachePath: quote(measure ? `${dir}/cache` : deploy?.cache ?? '/var/cache/nginx'),
    staleWhen: getStaleConditions(Boolean(options.stale), production),
    staleWords: options.stale
      ? 'While one request renews an expired response, the others get the expired one.'
      : 'Every request for an expired response goes to the app.',
    lock: Boolean(options.lock)
  }
}

/**
 * Returns when an expired response is sent.
 * @param {boolean} stale
 * @param {boolean} production
 */
function getStaleConditions (stale, production) {
  if (!stale) return 'off'
  return production ? 'updating error timeout http_500 http_502 http_503 http_504' : 'updating'
}

/**
 * Returns a pattern of nginx for Cookie headers that contain only the listed cookies; null: none are listed.
 * @param {unknown} names separated by commas
 */
function toCookiePattern (names) {
  if (typeof names !== 'string' || names === 'none') return null
  const cookie = `(?:${names.split(',').map(name => name.replace(/[.%]/g, '\\$&')).join('|')})=[^;]*`
  return `"~^${cookie}(?:; *${cookie})*$"`
}

/** @param {RenderRequest} request */
function getNotes ({ upstream, deploy }) {
  if (deploy) {
    return ['', 'start.sh replaces the names between two @ by the port and folders, and starts nginx with the result.',
      'nginx rejects this file by itself.']
  }
  if (!upstream) return []
  return ['', ...appNotes(upstream.addresses, 'nginx'),
    'The app must keep idle connections for longer than the upstream keepalive_timeout below',
    '(server.keepAliveTimeout in Node).']
}

/**
 * Returns the addresses of a port in IPv4 and IPv6.
 * @param {string | number | false} port
 */
const onBoth = port => [port, `[::]:${port}`]

/**
 * Returns the path of the access log.
 * @param {RenderRequest['deploy']} deploy
 * @param {boolean} measure
 */
const getAccessLog = (deploy, measure) => measure ? ACCESS_LOG : deploy?.accessLog ?? '/var/log/nginx/access.log'

/**
 * Returns a mask of the cores to which workers may be bound, the lowest last. Without a mask, a worker could be bound
 * to a core of the load.
 * @param {RenderRequest['cores']} cores
 */
const mask = cores => cores?.length
  ? ` ${Array.from({ length: Math.max(...cores) + 1 }, (_, core) => cores.includes(core) ? 1 : 0).reverse().join('')}`
  : ''
