// HAProxy as a reverse proxy. The configuration is made from the template in haproxy/. It serves no files itself.
import { choice, flag, number } from '../bench/topology/option-specs.js'
import { TRANSPORT_WORDS, templatesIn } from '../bench/topology/templates.js'

/** @import { Address, ProxyPlugin, RenderRequest } from '../bench/types.js' */

const haproxyCfg = templatesIn(new URL('../haproxy/', import.meta.url), 'haproxy.cfg')

/** The columns of `show stat` that are read (HAProxy management guide, 9.1). */
const FRONT = 'front'

/** @type {ProxyPlugin} */
export default {
  about: {
    title: 'HAProxy',
    program: 'haproxy',
    packages: { debian: ['haproxy'], fedora: ['haproxy'], alpine: ['haproxy'], brew: ['haproxy'] },
    static: false,
    options: {
      threads: number(1, 'nbthread: threads of its one process'),
      maxconn: number('auto', 'client connections at most; auto: those that there are, and 4096 at least'),
      backlog: number(4096, 'connections that may wait to be accepted; the kernel caps it at net.core.somaxconn'),
      gzip: flag(false, 'compress on the fly'),
      http_reuse: choice('safe', ['safe', 'aggressive', 'always'],
        'which request may use another client\'s connection to the app: all but the first of a client (safe), the ' +
        'first, too, of a connection that has been used again before (aggressive), or any (always)', { for: 'app' }),
      pool: number('auto', 'keepalive: idle upstream connections kept; auto: all of them', { for: 'app' }),
      zero_copy: flag(true, 'bodies go from socket to socket without a copy where they can; off: from HAProxy 2.9 on',
        { for: 'app' }),
      balance: choice('none', ['none', 'round-robin', 'least-conn'],
        'spread over processes with an address each (server@node:4)', { for: 'app' })
    }
  },

  version: {
    args: ['-v'],
    parse: output => /HAProxy version (\d+\.\d+\.\d+)/i.exec(output)?.[1] ?? null
  },

  render: request => ({ 'haproxy.cfg': haproxyCfg(view(request)) }),

  // -db: in the foreground, in one process. Its watchdog counts CPU time, so that a pause does not wake it.
  command: dir => ['-db', '-f', `${dir}/haproxy.cfg`],
  check: dir => ['-c', '-f', `${dir}/haproxy.cfg`],

  counters: {
    socket: 'status.sock',
    path: '/;csv;norefresh',
    log: 'proxy.log',
    errorLog: 'proxy.log',
    // They are queried on a frontend of their own.
    cost: { requests: 0 },
    parse (body, headers) {
      const [names = [], ...rows] = body.replace(/^# /, '').split('\n').map(line => line.split(','))
      const row = rows.find(([proxy, server]) => proxy === FRONT && server === 'FRONTEND') ?? []
      const value = (/** @type {string} */ name) => Number(row[names.indexOf(name)] || NaN)
      const counts = {
        atSeconds: Number(headers['x-micros']) / 1e6,
        connections: value('conn_tot'),
        requests: value('req_tot')
      }
      if (!Object.values(counts).every(Number.isFinite)) {
        throw new TypeError(`HAProxy's statistics are not its counters: ${body.slice(0, 200)}`)
      }
      return counts
    },
    parseLogLine (line) {
      const [, micros, status] = /^noted (\d+) (\d+)$/.exec(line) ?? []
      return micros === undefined ? null : { atSeconds: Number(micros) / 1e6, status: Number(status), cache: null }
    }
  }
}

/** The values of the template. @param {RenderRequest} request */
function view ({ listen, upstream, options, clients, dir, purpose }) {
  const measure = purpose === 'measure'
  if (!upstream) throw new TypeError('HAProxy does not serve files')
  const { addresses, transport } = upstream
  return {
    title: measure ? 'HAProxy as hopbench runs it' : 'HAProxy as a reverse proxy, as measured by hopbench',
    notes: measure ? [] : homeNotes(addresses),
    measure,
    threads: options.threads,
    // A few more, for the suite's own.
    maxconn: options.maxconn === 'auto' ? Math.max(4096, clients + 64) : options.maxconn,
    zeroCopy: Boolean(options.zero_copy),
    gzip: Boolean(options.gzip),
    backlog: options.backlog,
    // While it is measured no idle connection may be closed: a generator is paused for long.
    idle: measure ? '1h' : '75s',
    upstreamIdle: measure ? '1h' : '60s',
    purge: measure ? '1h' : '5s',
    listen: listen.kind === 'unix' ? `unix@${quoted(listen.path)}` : `${measure ? listen.host : '*'}:${listen.port}`,
    transportWords: TRANSPORT_WORDS[transport],
    pooled: transport.endsWith('keepalive'),
    reuse: options.http_reuse,
    pool: options.pool === 'auto' ? -1 : options.pool,
    leastConn: options.balance === 'least-conn',
    servers: addresses.map((address, i) => ({
      name: addresses.length > 1 ? `app-${i}` : 'app',
      address: print(address, measure ? dir : null)
    }))
  }
}

/** @param {Address[]} addresses */
const homeNotes = addresses => [
  '',
  "Debian's own configuration has a chroot, out of which HAProxy reaches no Unix socket: here there is none.",
  addresses.some(({ kind }) => kind === 'unix')
    ? 'The app listens on the socket below; HAProxy\'s user must be allowed to read and write it ' +
      '(server.listen({ path, readableAll: true, writableAll: true }) in Node).'
    : 'The app listens on the address below.'
]

/** While it is measured a socket is named from the folder that it starts in, whose name then means nothing.
 * @param {Address} address @param {string | null} dir while it is measured */
function print (address, dir) {
  if (address.kind !== 'unix') return `${address.host}:${address.port}`
  return `unix@${dir === null ? quoted(address.path) : address.path.replace(`${dir}/`, '')}`
}

/** One word, in strong quotes where it must be. @param {string} path */
const quoted = path => /[^\w./@-]/.test(path) ? `'${path}'` : path
