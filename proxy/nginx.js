// nginx as a reverse proxy, or as a static server. The configuration is made from the templates in nginx/.
import semver from 'semver'
import { deployView, everyAddress, KIT_NOTES } from '../bench/topology/deploy/nginx-view.js'
import { TLS_OPTIONS, choice, duration, flag, number } from '../bench/topology/option-specs.js'
import { TRANSPORT_WORDS, templatesIn } from '../bench/topology/templates.js'

/** @import { Address, ProxyPlugin, ProxyVariant, RenderRequest } from '../bench/types.js' */

const nginxConf = templatesIn(new URL('../nginx/', import.meta.url), 'nginx.conf')

/** From this version on `keepalive 32 local` and HTTP/1.1 are defaults, and `keepalive 0` is known (nginx CHANGES). */
const KEEPALIVE_BY_DEFAULT = '1.29.7'

/** From this version on the cipher suites of TLS 1.3 can be named (`ssl_conf_command`, nginx CHANGES). */
const SUITES_BY_NAME = '1.19.4'

/** From this version on HTTP/2 is a directive of its own, and a parameter of `listen` no more (nginx CHANGES). */
const HTTP2_DIRECTIVE = '1.25.1'

const ERROR_LOG_NAMED = '1.19.5' // From this version on the error log can be named on the command line (nginx CHANGES).

/** What the published TLS figures were measured with: authentication decides the name, the rest is the same. */
const CIPHERS = {
  rsa2048: 'ECDHE-RSA-AES256-GCM-SHA384',
  rsa4096: 'ECDHE-RSA-AES256-GCM-SHA384',
  'ecdsa-p256': 'ECDHE-ECDSA-AES256-GCM-SHA384'
}

/** What the two modules of Debian are called, and the nginx that they are built for. @type {ProxyVariant} */
const WITH_BROTLI = {
  program: 'nginx-brotli',
  packages: { debian: ['nginx', 'libnginx-mod-http-brotli-filter', 'libnginx-mod-http-brotli-static'] },
  inside: 'usr/sbin/nginx',
  folder: 'usr/lib/nginx/modules',
  files: ['ngx_http_brotli_filter_module.so', 'ngx_http_brotli_static_module.so']
}
/** What is compressed beside text/html, which always is. */
const COMPRESSIBLE = 'text/css text/plain text/xml text/markdown text/javascript application/javascript ' +
  'application/json application/manifest+json application/xml image/svg+xml'

export default /** @satisfies {ProxyPlugin} */ ({
  about: {
    title: 'nginx',
    program: 'nginx',
    packages: { debian: ['nginx'] },
    static: true,
    origin: true,
    deploy: true,
    options: {
      workers: number(1, 'worker processes'),
      worker_cpu_affinity: choice('off', ['off', 'auto'], 'auto binds each worker to a core of its own'),
      connections: number('auto', 'worker_connections: limit of one worker, both sides counted'),
      multi_accept: flag(false, 'a worker accepts all waiting connections at once'),
      accept_mutex: flag(false, 'workers take turns at accepting; no effect with one worker'),
      accept_mutex_delay: duration('500ms', 'how long a worker waits before it asks for its turn again',
        { needs: 'accept_mutex' }),
      keepalive_timeout: duration('auto',
        'how long an idle connection of a client is kept; auto: 75s, and an hour while it is measured'),
      keepalive_requests: number('auto', 'requests after which a client has to open another connection; ' +
        'auto: 1000, and without end while it is measured'),
      reuseport: flag(false, 'a listening socket for each worker, and the kernel spreads connections'),
      backlog: number(4096, 'connections that may wait to be accepted; the kernel caps it at net.core.somaxconn'),
      tcp_nopush: flag(true, 'with sendfile: headers and the beginning of a file in one packet'),
      tcp_nodelay: flag(true, 'the last packet of an answer does not wait for an acknowledgement'),
      access_log: flag(false, 'the combined log, a line written for every request'),
      ...TLS_OPTIONS,
      gzip: flag(false, 'compress on the fly'),
      gzip_comp_level: number(1, 'level of gzip: 1, fast, to 9, small',
        { needs: 'gzip', choices: [1, 2, 3, 4, 5, 6, 7, 8, 9] }),
      gzip_min_length: number(20, 'bytes below which nothing is compressed', { needs: 'gzip' }),
      brotli: flag(false, 'compress on the fly with Brotli, for those who take it'),
      brotli_comp_level: number(6, 'level of Brotli: 0, fast, to 11, small',
        { needs: 'brotli', choices: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] }),
      brotli_static: flag(false, 'send file.br beside a file to those who take Brotli', { for: 'files' }),
      gzip_static: flag(false, 'send file.gz beside a file to those who take gzip', { for: 'files' }),
      sendfile: flag(true, 'the kernel copies files to the socket', { for: 'files' }),
      open_file_cache: flag(false, 'keep files open, and miss for 30 s that one was replaced', { for: 'files' }),
      cache: duration('off', 'proxy_cache: how long an answer is kept (5s), or off', { for: 'app' }),
      stale: flag(true, 'answer from an expired entry while one request renews it', { needs: 'cache', for: 'app' }),
      lock: flag(false, 'proxy_cache_lock: one request fills a missing entry, the others wait',
        { needs: 'cache', for: 'app' }),
      http10: flag(false, 'ask the app in HTTP/1.0, the default before 1.29.7', { for: 'app' }),
      pool: number('auto', 'keepalive: idle upstream connections kept per worker', { for: 'app' }),
      balance: choice('none', ['none', 'round-robin', 'least-conn'],
        'spread over processes with an address each (server@node:4)', { for: 'app' })
    }
  },

  version: {
    args: ['-v'],
    parse: output => /nginx version: \S+?\/(\d+\.\d+\.\d+)/.exec(output)?.[1] ?? null
  },

  variant: ({ brotli, brotli_static: isStatic }) => brotli || isStatic ? WITH_BROTLI : null,

  // It cannot be escaped where a directive takes variables.
  interprets: { signs: ['$'], in: ['root', 'certificate'] },

  render: request => ({ 'nginx.conf': nginxConf(view(request)) }),

  command: (dir, version) =>
    ['-p', `${dir}/`, '-c', `${dir}/nginx.conf`, ...errorLog(version, `${dir}/error.log`), '-g', 'daemon off;'],
  check: (dir, version) => ['-p', `${dir}/`, '-c', `${dir}/nginx.conf`, ...errorLog(version, 'stderr'), '-t', '-q'],

  counters: {
    socket: 'status.sock',
    path: '/status',
    log: 'noted.log',
    errorLog: 'error.log',
    cost: { requests: 1 },
    parse (body, headers) {
      const [accepted, , requests] = (/^\s*(\d+)\s+(\d+)\s+(\d+)\s*$/m.exec(body) ?? []).slice(1).map(Number)
      const atSeconds = Number(headers['x-msec'])
      if (![accepted, requests, atSeconds].every(Number.isFinite)) {
        throw new TypeError(`nginx's stub_status answered what is not its counters: ${body.slice(0, 200)}`)
      }
      return { atSeconds, connections: accepted, requests }
    },
    parseLogLine (line) {
      const [, at, status, cache] = /^(\d+\.\d+) (\d+) (\S*)$/.exec(line) ?? []
      if (at === undefined) return null
      // Revalidated: it had expired, and was renewed without its body.
      const words = /** @type {Record<string, string | null>} */ ({ '-': null, REVALIDATED: 'EXPIRED' })
      return { atSeconds: Number(at), status: Number(status), cache: cache in words ? words[cache] : cache }
    }
  }
})

/** Until the configuration is read, a build writes to a path of its own: known in advance. An older one says that
 * it cannot open that path, and goes on. @param {string} version @param {string} file */
const errorLog = (version, file) => semver.gte(version, ERROR_LOG_NAMED) ? ['-e', file] : []

/** The values of the templates. @param {RenderRequest} request */
function view (request) {
  const { upstream, dir, root, purpose } = request
  const measure = purpose === 'measure'
  return {
    title: measure
      ? 'nginx as hopbench runs it'
      : `nginx ${upstream ? 'as a reverse proxy' : 'as a static server'}, as measured by hopbench`,
    notes: measure ? [] : request.deploy ? KIT_NOTES : upstream ? appNotes(upstream.addresses) : [],
    measure,
    files: !upstream,
    deploy: request.deploy ? deployView(request.deploy) : null,
    ownFolder: measure || Boolean(request.deploy),
    hsts: !measure && request.options.tls !== 'off',
    statusSocket: quote(`unix:${dir}/status.sock`),
    root: quote(root),
    modules: modulesOf(request, measure),
    ...processView(request, measure),
    ...clientView(request, measure),
    ...contentView(request, measure),
    ...tlsView(request, measure),
    ...upstream ? upstreamView(upstream, request, measure) : {}
  }
}

/** @param {RenderRequest} request @param {boolean} measure */
function modulesOf ({ options, modules }, measure) {
  if (!options.brotli && !options.brotli_static) return []
  const folder = measure && modules?.folder ? modules.folder : `/${WITH_BROTLI.folder}`
  return WITH_BROTLI.files.map(file => quote(`${folder}/${file}`))
}

/** @param {RenderRequest} request @param {boolean} measure */
function processView ({ options, clients, cores, deploy }, measure) {
  // Both sides of a proxied request count, and the spare ones are for the counters.
  const connections = options.connections === 'auto' ? Math.max(4096, 2 * clients + 64) : Number(options.connections)
  return {
    workers: options.workers,
    affinity: options.worker_cpu_affinity === 'auto' ? `auto${measure ? mask(cores) : ''}` : null,
    connections,
    // A proxied request takes two descriptors; a margin for logs and cache files.
    openFiles: connections * 2 + 512,
    events: deploy || process.platform === 'linux' ? 'epoll' : 'kqueue',
    multiAccept: Boolean(options.multi_accept),
    acceptMutex: Boolean(options.accept_mutex),
    acceptMutexDelay: options.accept_mutex_delay
  }
}

/** @param {RenderRequest} request @param {boolean} measure */
function clientView ({ listen, options, version, deploy }, measure) {
  const usual = (/** @type {string} */ name, /** @type {unknown} */ here, /** @type {unknown} */ home) =>
    options[name] !== 'auto' ? options[name] : measure ? here : home
  const http2Directive = options.http2 === true && semver.gte(version, HTTP2_DIRECTIVE)
  const how = [...options.tls === 'off' ? [] : ['ssl'], ...options.http2 && !http2Directive ? ['http2'] : [],
    `backlog=${options.backlog}`, ...options.reuseport ? ['reuseport'] : []].join(' ')
  return {
    listens: (deploy ? everyAddress() : [print(listen)]).map(address => `${address} ${how}`),
    http2Directive,
    // While it is measured no idle connection may be closed: a generator is paused for long.
    clientKeepalive: usual('keepalive_timeout', '1h', '75s'),
    clientRequests: usual('keepalive_requests', 1000000000, 1000),
    tcpNopush: Boolean(options.tcp_nopush),
    tcpNodelay: Boolean(options.tcp_nodelay),
    // Not called .log: it is as long as the load was, and nobody keeps it.
    accessLog: options.access_log
      ? measure ? 'access.combined' : deploy?.accessLog ?? '/var/log/nginx/access.log'
      : null
  }
}

/** @param {RenderRequest} request @param {boolean} measure */
const contentView = ({ options, dir, deploy }, measure) => ({
  sendfile: Boolean(options.sendfile),
  openFileCache: Boolean(options.open_file_cache),
  gzip: Boolean(options.gzip),
  gzipLevel: options.gzip_comp_level,
  gzipMin: options.gzip_min_length,
  gzipStatic: Boolean(options.gzip_static),
  brotli: Boolean(options.brotli),
  brotliLevel: options.brotli_comp_level,
  brotliStatic: Boolean(options.brotli_static),
  compressible: COMPRESSIBLE,
  varies: ['gzip', 'gzip_static', 'brotli', 'brotli_static'].some(name => options[name]),
  cache: options.cache === 'off' || options.cache === false ? null : options.cache,
  cachePath: measure ? quote(`${dir}/cache`) : deploy?.cache ?? '/var/cache/nginx/app',
  staleWhen: options.stale ? 'updating' : 'off',
  staleWords: options.stale
    ? 'While one request renews an expired answer the others get the old one.'
    : 'Every request that meets an expired answer goes to the app.',
  lock: Boolean(options.lock)
})

/** @param {RenderRequest} request @param {boolean} measure
 * @throws {TypeError} where it is to answer over TLS and nobody has made a certificate */
function tlsView ({ options, version, certificate }, measure) {
  if (options.tls === 'off') return { tls: false }
  if (!certificate) throw new TypeError('a certificate is missing for nginx with tls')
  const suites = Number(options.tls_version) > 1.2
  return {
    tls: true,
    certFile: quote(certificate.certFile),
    keyFile: quote(certificate.keyFile),
    tlsVersion: options.tls_version,
    cipher: suites ? null : CIPHERS[/** @type {keyof typeof CIPHERS} */ (options.tls)],
    suitesByName: suites && semver.gte(version, SUITES_BY_NAME),
    tlsSession: Boolean(options.tls_session),
    // While it is measured a session outlives the longest pause.
    tlsSessionTimeout: measure ? '1h' : '5m'
  }
}

/** @param {NonNullable<RenderRequest['upstream']>} upstream @param {RenderRequest} request @param {boolean} measure */
function upstreamView ({ addresses, transport }, { version, options, clients }, measure) {
  const spread = addresses.length > 1
  return {
    // nginx's defaults, said: after one failure an address is left out for ten seconds. It has no
    // meaning for an address that is alone.
    servers: addresses.map(address => `${print(address)}${spread ? ' max_fails=1 fail_timeout=10s' : ''}`),
    leastConn: options.balance === 'least-conn',
    zone: spread && Number(options.workers) > 1,
    transportWords: TRANSPORT_WORDS[transport],
    pooled: transport.endsWith('keepalive'),
    upstreamHttp: options.http10 ? '1.0' : '1.1',
    pool: options.pool === 'auto' ? Math.max(128, clients) : options.pool,
    keepaliveIsDefault: semver.gte(version, KEEPALIVE_BY_DEFAULT),
    upstreamKeepalive: measure ? '1h' : '60s',
    upstreamRequests: measure ? 1000000000 : 1000
  }
}

/** @param {Address[]} addresses */
const appNotes = addresses => [
  '',
  ...(addresses.some(address => address.kind === 'unix')
    ? [
      `The app behind listens on the socket${addresses.length > 1 ? 's' : ''} below; nginx's user must be allowed ` +
      `to read and write ${addresses.length > 1 ? 'them' : 'it'}`,
      '(server.listen({ path, readableAll: true, writableAll: true }) in Node).'
      ]
    : [`The app behind listens on the address${addresses.length > 1 ? 'es' : ''} below.`]),
  'It must keep idle connections for longer than the upstream keepalive_timeout below',
  '(server.keepAliveTimeout in Node).'
]

/** @param {Address} address */
const print = address => address.kind === 'unix' ? quote(`unix:${address.path}`) : `${address.host}:${address.port}`

/** The cores that the workers may be bound to, the lowest last: without it a worker would leave those that it is pinned
 * to, for one that the load is on. @param {RenderRequest['cores']} cores */
const mask = cores => cores?.length
  ? ` ${Array.from({ length: Math.max(...cores) + 1 }, (_, core) => cores.includes(core) ? 1 : 0).reverse().join('')}`
  : ''

/** One word of nginx, whatever is in it but $, which is refused (`interprets`). @param {string} text */
const quote = text => /[\s;{}"'\\#]/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text
