// nginx as a reverse proxy or a static server, with the templates in nginx/.
import semver from 'semver'
import {
  BACKLOG, BALANCE, MAX_BODY, PRODUCTION, RELEASE, SHIPPED, SITE_HOSTS, SPA, STATIC, TLS_OPTIONS, WEBSOCKET, choice,
  duration, flag, gzipLevel, number
} from '../bench/topology/option-specs.js'
import { reasonsIn, templatesIn } from '../bench/topology/describe/templates.js'
import { toView, WITH_BROTLI } from './nginx/view.js'

/** @import { ProxyPlugin } from '../bench/types.js' */

const folder = new URL('../nginx/', import.meta.url)
const nginxConf = templatesIn(folder, 'nginx.conf')
const shippedConf = templatesIn(folder, 'shipped.conf')
const countersConf = templatesIn(folder, 'snippets/counters.conf')

/** First version with an argument for the error log (nginx CHANGES). */
const ERROR_LOG_NAMED = '1.19.5'

export default /** @satisfies {ProxyPlugin} */ ({
  about: {
    title: 'nginx',
    program: 'nginx',
    packages: { debian: ['nginx'] },
    static: true,
    origin: true,
    deploy: true,
    options: {
      workers: number('auto', 'worker processes; auto: 1 during a measurement, and one for each core in production'),
      worker_cpu_affinity: choice('off', ['off', 'auto'], 'auto: binds each worker to a core of its own'),
      connections: number('auto', 'worker_connections: most connections of a worker, those to clients and to the app'),
      multi_accept: flag(false, 'a worker accepts all pending connections at once'),
      accept_mutex: flag(false, 'workers take turns at accepting; no effect with one worker'),
      accept_mutex_delay: duration('500ms', 'time until a worker tries again to accept connections',
        { needs: 'accept_mutex' }),
      keepalive_timeout: duration('auto',
        'lifetime of an idle client connection; auto: 75s, and an hour during a measurement'),
      keepalive_requests: number('auto', 'most requests on a client connection; auto: 1000, and no limit during a ' +
        'measurement'),
      reuseport: flag(false, 'a listening socket for each worker, over which the kernel distributes connections'),
      backlog: BACKLOG,
      tcp_nopush: flag(true, 'with sendfile: headers and the beginning of a file in one packet'),
      tcp_nodelay: flag(true, 'the last packet of a response does not wait for an acknowledgement'),
      access_log: flag(false, 'the combined log, with a line for every request'),
      access_log_buffer: flag(false, 'collects 64 KB of lines, or those of 5 s, for each write',
        { needs: 'access_log' }),
      ...TLS_OPTIONS,
      http3: flag(false, 'HTTP/3 too, for hopbench up and config, because no load generator here speaks it; nginx ' +
        '1.25 and newer', { needs: 'tls' }),
      gzip: flag(false, 'compression on the fly'),
      gzip_comp_level: gzipLevel(1, 'level of gzip'),
      gzip_min_length: number(20, 'least size of a compressed response, in bytes', { needs: 'gzip' }),
      brotli: flag(false, 'compression on the fly with Brotli for clients that accept it'),
      brotli_comp_level: number(6, 'level of Brotli: 0 (fast) to 11 (small)',
        { needs: 'brotli', choices: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] }),
      static: STATIC,
      spa: SPA,
      shipped: SHIPPED,
      brotli_static: flag(false, 'sends file.br in place of a file to clients that accept Brotli', { for: 'files' }),
      gzip_static: flag(false, 'sends file.gz in place of a file to clients that accept gzip', { for: 'files' }),
      sendfile: flag(true, 'the kernel copies files to the socket', { for: 'files' }),
      open_file_cache: flag(false, 'keeps files open, and detects a replaced file after up to 30 s', { for: 'files' }),
      cache: duration('off', 'proxy_cache: lifetime (5s) of a response with public and no lifetime, or off',
        { for: 'app' }),
      stale: flag(true, 'sends an expired response while one request renews it', { needs: 'cache', for: 'app' }),
      lock: flag(false, 'proxy_cache_lock: only one request fetches a missing response; the others wait for it',
        { needs: 'cache', for: 'app' }),
      public_cookies: {
        type: 'string',
        default: 'none',
        help: 'cookies on which no response depends, separated by ' +
        'commas (_ga,_gid): requests with other cookies are never cached',
        needs: 'cache',
        for: 'app'
      },
      max_body: MAX_BODY,
      host: SITE_HOSTS,
      production: PRODUCTION,
      websocket: WEBSOCKET,
      http10: flag(false, 'HTTP/1.0 to the app, the default before 1.29.7', { for: 'app' }),
      buffering: flag(true, 'proxy_buffering: nginx reads a response as fast as the app sends it, into memory and ' +
        'files', { for: 'app' }),
      request_buffering: flag(true, 'proxy_request_buffering: the app gets a request after its whole body has arrived',
        { for: 'app' }),
      pool: number('auto', 'keepalive: most idle upstream connections of a worker', { for: 'app' }),
      upstream_http2: flag(false, 'HTTP/2 to the app without TLS, which the server then speaks; nginx 1.29.4 and newer',
        { for: 'app' }),
      upstream_defaults: flag(false, 'leaves out the version of HTTP and the pool of connections to the app, so that ' +
        'each version of nginx has its own defaults', { for: 'app' }),
      balance: BALANCE,
      release: RELEASE
    }
  },

  version: {
    args: ['-v'],
    parse: output => /nginx version: \S+?\/(\d+\.\d+\.\d+)/.exec(output)?.[1] ?? null
  },

  variant: ({ brotli, brotli_static: isStatic }) => brotli || isStatic ? WITH_BROTLI : null,

  // A dollar sign cannot be escaped in a directive that allows variables.
  interprets: { signs: ['$'], in: ['root', 'files', 'certificate'] },

  explain: { syntax: { 'nginx.conf': 'statements' }, reasons: reasonsIn(folder) },

  render: request =>
    ({ 'nginx.conf': (request.options.shipped ? shippedConf : nginxConf)(toView(request)) }),

  counterFile: dir => countersConf({ statusSocket: `unix:${dir}/status.sock`, notedLog: `${dir}/noted.log` }),

  command: (dir, version) =>
    ['-p', `${dir}/`, '-c', `${dir}/nginx.conf`, ...errorLog(version, `${dir}/error.log`), '-g', 'daemon off;'],
  check: (dir, version) => ['-p', `${dir}/`, '-c', `${dir}/nginx.conf`, ...errorLog(version, 'stderr'), '-t', '-q'],

  reload: { signal: 'SIGHUP' },

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
        throw new TypeError(`The response of nginx's stub_status does not contain its counters: ${body.slice(0, 200)}`)
      }
      return { atSeconds, connections: accepted, requests }
    },
    parseLogLine (line) {
      const [, at, status, cache] = /^(\d+\.\d+) (\d+) (\S*)$/.exec(line) ?? []
      if (at === undefined) return null
      // REVALIDATED: an expired response was renewed by a 304.
      const outcome = cache === 'REVALIDATED' ? 'EXPIRED' : cache
      return { atSeconds: Number(at), status: Number(status), cache: outcome === '-' ? null : outcome }
    }
  }
})

/**
 * Returns arguments for the log before the configuration is read. Older versions write to a compiled-in path, and
 * continue with a message if they cannot open it.
 * @param {string} version
 * @param {string} file
 */
const errorLog = (version, file) => semver.gte(version, ERROR_LOG_NAMED) ? ['-e', file] : []
