// Apache httpd as a reverse proxy or a static server, with the templates in proxy/apache/.
import {
  MAX_BODY, PRODUCTION, RELEASE, SHIPPED, SITE_HOSTS, SPA, STATIC, WEBSOCKET, choice, duration, flag, gzipLevel, number
} from '../bench/topology/option-specs.js'
import { isOn } from '../bench/plan/predicates.js'
import { reasonsIn, templatesIn } from '../bench/topology/describe/templates.js'
import { EVENT_SLOTS, findNeededModules, getProcesses, STATUS_PATH, toView } from './apache/view.js'

/** @import { ProxyPlugin } from '../bench/types.js' */

const folder = new URL('./apache/', import.meta.url)
const httpdConf = templatesIn(folder, 'httpd.conf')
const shippedConf = templatesIn(folder, 'shipped.conf')

/** Time to start on a busy machine, and the additional time for each process. */
const START_SECONDS = 15
const START_SECONDS_PER_CHILD = 0.02

export default /** @satisfies {ProxyPlugin} */ ({
  about: {
    title: 'Apache httpd',
    program: 'apache2',
    packages: { debian: ['apache2-bin'], fedora: ['httpd'], alpine: ['apache2', 'apache2-proxy'], brew: ['httpd'] },
    static: true,
    options: {
      mpm: choice('event', ['prefork', 'worker', 'event'], 'distribution of connections: a process each (prefork), ' +
        'a thread each (worker), or a thread per request (event)'),
      processes: number('auto',
        'fixed number of processes (prefork), or of threads in all processes, up to 64 in each (worker, event)'),
      max_body: MAX_BODY,
      production: PRODUCTION,
      host: SITE_HOSTS,
      websocket: WEBSOCKET,
      gzip: flag(false, 'mod_deflate: compression on the fly'),
      gzip_comp_level: gzipLevel(1, 'DeflateCompressionLevel'),
      static: STATIC,
      spa: SPA,
      shipped: SHIPPED,
      sendfile: flag(true, 'EnableSendfile: the kernel copies files to the socket', { for: 'files' }),
      mmap: flag(true, 'EnableMMAP: files are mapped into memory to be read', { for: 'files' }),
      cache: duration('off', 'mod_cache: lifetime (5s) of a response with public and no lifetime, or off',
        { wholeSeconds: true, for: 'app' }),
      store: choice('disk', ['disk', 'socache'], 'storage of cached responses: files, on tmpfs if available ' +
        '(disk), or shared memory (socache)', { needs: 'cache', for: 'app' }),
      lock: flag(false, 'CacheLock: while one request renews an expired entry, the others get the expired response ' +
        '(store=socache: for up to 1 s)', { needs: 'cache', for: 'app' }),
      stale: flag(false, 'CacheStaleOnError: an expired entry replaces an error of the app',
        { needs: 'cache', for: 'app' }),
      release: RELEASE
    }
  },

  version: {
    args: ['-v'],
    parse: output => /Apache\/(\d+\.\d+\.\d+)/.exec(output)?.[1] ?? null
  },

  modules: {
    // Debian, Fedora, Alpine, a build from source, Homebrew (Intel and ARM).
    folders: ['usr/lib/apache2/modules', 'usr/lib64/httpd/modules', 'usr/libexec/apache2',
      'usr/local/apache2/modules', 'usr/local/lib/httpd/modules', 'opt/homebrew/lib/httpd/modules'],
    builtIn: { args: ['-l'], parse: output => [...output.matchAll(/^ +(\w+\.c)$/gm)].map(([, file]) => file) },
    needed: request => findNeededModules(request).map(({ file }) => file)
  },

  folders: ({ options, dir, memory = dir }) => !isOn(options.cache)
    ? []
    : [...options.store === 'disk' ? [`${memory}/cache`] : [], ...options.lock ? [`${memory}/lock`] : []],

  startSeconds: request => START_SECONDS + START_SECONDS_PER_CHILD * getProcesses(request).children,

  // Opens a variable of the configuration or the environment, also in quotes.
  interprets: { signs: ['${'] },

  explain: { syntax: { 'httpd.conf': 'tags' }, reasons: reasonsIn(folder) },

  render: request =>
    ({ 'httpd.conf': (request.options.shipped ? shippedConf : httpdConf)(toView(request)) }),

  command: dir => ['-d', dir, '-f', `${dir}/httpd.conf`, '-DFOREGROUND'],
  check: dir => ['-d', dir, '-f', `${dir}/httpd.conf`, '-t'],

  // A graceful restart. SIGHUP ends requests in flight.
  reload: { signal: 'SIGUSR1' },

  counters: {
    // A worker adds a request to the scoreboard after it sent and logged the response.
    late: true,
    socket: 'status.sock',
    onFront: true,
    path: `${STATUS_PATH}?auto`,
    log: 'noted.log',
    errorLog: 'error.log',
    // A reading is counted after its response, so the first reading does not contain itself.
    cost: { requests: 1 },
    parse (body, headers) {
      const value = (/** @type {string} */ name) => Number(new RegExp(`^${name}: ([\\d.]+)$`, 'm').exec(body)?.[1])
      const [, startMicros, micros] = (/^t=(\d+) D=(\d+)$/.exec(String(headers['x-msec'])) ?? []).map(Number)
      const counts = {
        // The middle between request and response, when the counters were added up.
        atSeconds: (startMicros + micros / 2) / 1e6,
        requests: value('Total Accesses'),
        connections: null
      }
      if (![counts.atSeconds, counts.requests].every(Number.isFinite)) {
        throw new TypeError(`The response of Apache's mod_status does not contain its counters: ${body.slice(0, 200)}`)
      }
      return counts
    },
    // Requires all workers from the start. S: a worker starts; a dot: there is no process for it.
    isReady (body) {
      const [, board = 'S'] = /^Scoreboard: (\S+)$/m.exec(body) ?? []
      const slots = /^ServerMPM: event$/m.test(body) ? EVENT_SLOTS : 1
      return !board.includes('S') && board.replaceAll('.', '').length * slots >= board.length
    },
    parseLogLine (line) {
      const [, at, status, hit, revalidated, missed] = /^(\d+\.\d+) (\d+) "(.*)" "(.*)" "(.*)"$/.exec(line) ?? []
      if (at === undefined) return null
      const outcomes = { HIT: hit, EXPIRED: revalidated, MISS: missed }
      const cache = Object.entries(outcomes).find(([, note]) => note !== '-')?.[0] ?? null
      return { atSeconds: Number(at), status: Number(status), cache }
    }
  }
})
