// HAProxy as a reverse proxy, with the template in proxy/haproxy/. HAProxy serves no files itself.
import {
  BACKLOG, BALANCE, NO_WEBSOCKET_OPTION, RELEASE, SITE_HOSTS, choice, flag, number
} from '../bench/topology/option-specs.js'
import { FORGEABLE_HEADERS } from '../bench/topology/forgeable-headers.js'
import { parseNoted, toCounts } from '../bench/topology/noted-counts.js'
import {
  INTERMEDIATE_CIPHERS, appNotes, reasonsIn, templatesIn, toHostView, toRelative, toTransportView
} from '../bench/topology/describe/templates.js'

/** @import { Address, ProxyPlugin, RenderRequest } from '../bench/types.js' */

const folder = new URL('./haproxy/', import.meta.url)
const haproxyCfg = templatesIn(folder, 'haproxy.cfg')

/** Name of the frontend whose statistics are read. */
const FRONT = 'front'

/** @type {ProxyPlugin} */
export default {
  about: {
    title: 'HAProxy',
    program: 'haproxy',
    packages: { debian: ['haproxy'], fedora: ['haproxy'], alpine: ['haproxy'], brew: ['haproxy'] },
    static: false,
    lacks: { static: 'HAProxy serves no files; nginx, Apache and Caddy do', websocket: NO_WEBSOCKET_OPTION },
    options: {
      threads: number(1, 'nbthread: threads of the process'),
      maxconn: number('auto', 'most client connections; auto: as many as the load has, and at least 4096'),
      backlog: BACKLOG,
      gzip: flag(false, 'compression on the fly'),
      http_reuse: choice('safe', ['safe', 'aggressive', 'always'],
        'requests that may use an upstream connection of another client: all but the first of a client (safe), also ' +
        'the first on a connection that was reused before (aggressive), or all (always)', { for: 'app' }),
      pool: number('auto', 'pool-max-conn: most idle upstream connections; auto: no limit', { for: 'app' }),
      http_no_delay: flag(false, 'option http-no-delay: each part of a response is sent at once, as streams need it',
        { for: 'app' }),
      zero_copy: flag(true, 'forwards bodies between sockets without a copy; off requires HAProxy 2.9', { for: 'app' }),
      balance: BALANCE,
      host: SITE_HOSTS,
      master: flag(false, 'a master process (-W), without which HAProxy cannot reload'),
      release: RELEASE
    }
  },

  version: {
    args: ['-v'],
    parse: output => /HAProxy version (\d+\.\d+\.\d+)/i.exec(output)?.[1] ?? null
  },

  explain: { syntax: { 'haproxy.cfg': 'sections' }, reasons: reasonsIn(folder) },

  render: request => ({ 'haproxy.cfg': haproxyCfg(toView(request)) }),

  // -db: runs in the foreground in one process. The watchdog measures CPU time, so a pause does not trigger it.
  // -W: a master process and its worker, as in Debian's service.
  command: (dir, _, { options }) => [options.master ? '-W' : '-db', '-f', `${dir}/haproxy.cfg`],
  check: dir => ['-c', '-f', `${dir}/haproxy.cfg`],

  // The master process starts a new worker, which takes over the sockets of the old one.
  reload: { signal: 'SIGUSR2', needs: 'master' },

  counters: {
    socket: 'status.sock',
    path: '/;csv;norefresh',
    log: 'proxy.log',
    errorLog: 'proxy.log',
    // The counters have a frontend of their own.
    cost: { requests: 0 },
    parse (body, headers) {
      const [names = [], ...rows] = body.replace(/^# /, '').split('\n').map(line => line.split(','))
      const row = rows.find(([proxy, server]) => proxy === FRONT && server === 'FRONTEND') ?? []
      const value = (/** @type {string} */ name) => Number(row[names.indexOf(name)] || NaN)
      const counters = { connections: value('conn_tot'), requests: value('req_tot') }
      return toCounts(headers, counters, { title: 'HAProxy', body })
    },
    parseLogLine: parseNoted
  }
}

/** Returns the values of the template. @param {RenderRequest} request */
function toView ({ listen, upstream, options, clients, dir, purpose }) {
  const isMeasured = purpose === 'measure'
  if (!upstream) throw new TypeError('HAProxy does not serve files')
  const { addresses } = upstream
  return {
    title: isMeasured ? 'HAProxy as hopbench runs it' : 'HAProxy as a reverse proxy, as measured by hopbench',
    notes: isMeasured ? [] : recommendedNotes(addresses),
    measure: isMeasured,
    intermediateCiphers: INTERMEDIATE_CIPHERS,
    forgeable: FORGEABLE_HEADERS,
    ...toHostView({ options, purpose }),
    // Retries a failed connection on another process. Off during a measurement, so that no failure is hidden.
    redispatches: !isMeasured && addresses.length > 1,
    // Omits nbthread in a recommended configuration with the default of 1, so that HAProxy runs one thread per core.
    // A measurement always sets nbthread.
    threads: isMeasured || options.threads !== 1 ? options.threads : null,
    // 64: connections of hopbench itself.
    maxconn: options.maxconn === 'auto' ? Math.max(4096, clients + 64) : options.maxconn,
    zeroCopy: Boolean(options.zero_copy),
    noDelay: Boolean(options.http_no_delay),
    gzip: Boolean(options.gzip),
    backlog: options.backlog,
    // Idle connections must stay open during a measurement, because generators are paused for long.
    idle: isMeasured ? '1h' : '75s',
    upstreamIdle: isMeasured ? '1h' : '60s',
    purge: isMeasured ? '1h' : '5s',
    listen: listen.kind === 'unix' ? `unix@${quote(listen.path)}` : `${isMeasured ? listen.host : '*'}:${listen.port}`,
    ...toTransportView(upstream),
    reuse: options.http_reuse,
    pool: options.pool === 'auto' ? -1 : options.pool,
    leastConn: options.balance === 'least-conn',
    servers: addresses.map((address, i) => ({
      name: addresses.length > 1 ? `app-${i}` : 'app',
      address: toServerAddress(address, isMeasured ? dir : null)
    }))
  }
}

/** Returns the comments at the top of a recommended configuration. @param {Address[]} addresses */
const recommendedNotes = addresses => [
  '',
  "There is no chroot as in Debian's configuration, because HAProxy could reach no Unix socket from there.",
  ...appNotes(addresses, 'HAProxy')
]

/**
 * Returns the address of the app as a `server` line takes it.
 * @param {Address} address
 * @param {string | null} dir folder to which the path of a socket is relative; null: a recommended configuration
 */
function toServerAddress (address, dir) {
  if (address.kind !== 'unix') return `${address.host}:${address.port}`
  return `unix@${dir === null ? quote(address.path) : toRelative(address.path, dir)}`
}

/** Quotes a path with special characters in strong quotes. @param {string} path */
const quote = path => /[^\w./@-]/.test(path) ? `'${path}'` : path
