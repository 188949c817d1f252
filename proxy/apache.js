// Apache httpd as a reverse proxy, or as a static server. The configuration is made from the templates in apache/.
import { choice, duration, flag, number } from '../bench/topology/option-specs.js'
import { TRANSPORT_WORDS, templatesIn } from '../bench/topology/templates.js'

/** @import { Address, Modules, ProxyPlugin, RenderRequest } from '../bench/types.js' */

const httpdConf = templatesIn(new URL('../apache/', import.meta.url), 'httpd.conf')

/** Client connections of the suite's own: one reads the counters, one looks at bodies under load. Where a connection
 * takes a process or a thread for itself, so many are added to those asked for, while it is measured. */
const SUITE_CONNECTIONS = 2
const THREADS_PER_CHILD = 64 // Threads of one process at most: Debian's ThreadLimit.
/** With mpm event a thread is taken by a request only, not by a connection that waits. */
const EVENT_THREADS = { least: 64, most: 1024 }
/** Apache's own default, and what an idle client may hold a process for. */
const HELD_SECONDS = 5
const CACHE_MAX_SECONDS = 86400 // Apache's own CacheMaxExpire: a day.
/** What Apache takes to start, on a machine that is busy, and each of its processes beyond that. */
const START_SECONDS = 15
const START_SECONDS_PER_CHILD = 0.02

const HOME_CACHE = { disk: '/var/cache/apache2/mod_cache_disk', socache: '/run/apache2/app-cache' }

const SECONDS = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86400 }

const MPM_WORDS = {
  worker: 'A thread for each connection, as long as it lasts.',
  event: 'A thread for each request; connections that wait for the next one take none.'
}

const STATUS_PATH = '/hopbench-status' // No app and no folder has such a path.

export default /** @satisfies {ProxyPlugin} */ ({
  about: {
    title: 'Apache httpd',
    program: 'apache2',
    packages: { debian: ['apache2-bin'], fedora: ['httpd'], alpine: ['apache2', 'apache2-proxy'], brew: ['httpd'] },
    static: true,
    options: {
      mpm: choice('event', ['prefork', 'worker', 'event'], 'how connections are spread: over processes (prefork), ' +
        'threads (worker), or threads that let go of waiting ones (event)'),
      processes: number('auto',
        'prefork: processes, a fixed number; worker and event: threads of all processes together (up to 64 in each)'),
      gzip: flag(false, 'mod_deflate: compress on the fly'),
      gzip_comp_level: number(1, 'DeflateCompressionLevel: 1, fast, to 9, small',
        { needs: 'gzip', choices: [1, 2, 3, 4, 5, 6, 7, 8, 9] }),
      sendfile: flag(true, 'EnableSendfile: the kernel copies files to the socket', { for: 'files' }),
      mmap: flag(true, 'EnableMMAP: files are mapped into memory where they are read', { for: 'files' }),
      cache: duration('off', 'mod_cache: how long an answer is kept (5s), or off', { wholeSeconds: true, for: 'app' }),
      store: choice('disk', ['disk', 'socache'], 'where answers are kept: in files, on tmpfs where there is one ' +
        '(mod_cache_disk), or in shared memory (mod_cache_socache)', { needs: 'cache', for: 'app' }),
      lock: flag(false, 'CacheLock: while one request renews an expired entry, the others get the old one ' +
        '(store=disk only)', { needs: 'cache', for: 'app' }),
      stale: flag(false, 'CacheStaleOnError: an expired entry is the answer when the app gives an error',
        { needs: 'cache', for: 'app' })
    }
  },

  version: {
    args: ['-v'],
    parse: output => /Apache\/(\d+\.\d+\.\d+)/.exec(output)?.[1] ?? null
  },

  modules: {
    // Debian's; Fedora's; Alpine's; one built from source; Homebrew's.
    folders: ['usr/lib/apache2/modules', 'usr/lib64/httpd/modules', 'usr/libexec/apache2',
      'usr/local/apache2/modules', 'usr/local/lib/httpd/modules', 'opt/homebrew/lib/httpd/modules'],
    builtIn: { args: ['-l'], parse: output => [...output.matchAll(/^ +(\w+\.c)$/gm)].map(([, file]) => file) },
    needed: request => modulesFor(request).filter(name => !isBuiltIn(name, request.modules)).map(fileOf)
  },

  folders: ({ options, dir, memory = dir }) => !isOn(options.cache)
    ? []
    : [...options.store === 'disk' ? [`${memory}/cache`] : [], ...options.lock ? [`${memory}/lock`] : []],

  startSeconds: request => START_SECONDS + START_SECONDS_PER_CHILD * shapeOf(request).children,

  // Of the configuration's own variables and the environment's, wherever it stands.
  interprets: { signs: ['${'] },

  render: request => ({ 'httpd.conf': httpdConf(view(request)) }),

  command: dir => ['-d', dir, '-f', `${dir}/httpd.conf`, '-DFOREGROUND'],
  check: dir => ['-d', dir, '-f', `${dir}/httpd.conf`, '-t'],

  counters: {
    // A worker adds its request to the scoreboard when the answer is sent and logged.
    late: true,
    socket: 'status.sock',
    onFront: true,
    path: `${STATUS_PATH}?auto`,
    log: 'noted.log',
    errorLog: 'error.log',
    // A reading is counted after it was answered, so the first is in none.
    cost: { requests: 1 },
    parse (body, headers) {
      const value = (/** @type {string} */ name) => Number(new RegExp(`^${name}: ([\\d.]+)$`, 'm').exec(body)?.[1])
      const [, came, took] = (/^t=(\d+) D=(\d+)$/.exec(String(headers['x-msec'])) ?? []).map(Number)
      const counts = {
        // Between the request and its answer: there the counters were added up.
        atSeconds: (came + took / 2) / 1e6,
        requests: value('Total Accesses'),
        connections: null
      }
      if (![counts.atSeconds, counts.requests].every(Number.isFinite)) {
        throw new TypeError(`Apache's mod_status answered what is not its counters: ${body.slice(0, 200)}`)
      }
      return counts
    },
    // S: it is starting; a dot: it is not there yet. All of them are to be there from the start.
    isReady: body => /^Scoreboard: [^S.\s]+$/m.test(body),
    parseLogLine (line) {
      const [, at, status, hit, revalidated, missed] = /^(\d+\.\d+) (\d+) "(.*)" "(.*)" "(.*)"$/.exec(line) ?? []
      if (at === undefined) return null
      const cache = hit !== '-' ? 'HIT' : revalidated !== '-' ? 'EXPIRED' : missed !== '-' ? 'MISS' : null
      return { atSeconds: Number(at), status: Number(status), cache }
    }
  }
})

/** The values of the templates. @param {RenderRequest} request */
function view (request) {
  const { listen, upstream, root, options, dir, purpose } = request
  const measure = purpose === 'measure'
  return {
    title: measure
      ? 'Apache httpd as hopbench runs it'
      : `Apache httpd ${upstream ? 'in front of a Node server' : 'as a static server'}, as measured by hopbench`,
    notes: measure ? [] : homeNotes(upstream?.addresses ?? []),
    measure,
    ...installationView(request, measure),
    ...shapeOf(request),
    // While it is measured no idle connection may be closed: a generator is paused for long.
    clientKeepalive: measure ? 3600 : options.mpm === 'event' ? 75 : HELD_SECONDS,
    clientRequests: measure ? 0 : 1000,
    listen: print(listen, measure),
    statusPath: STATUS_PATH,
    notPlain: `%{REQUEST_URI} != '${STATUS_PATH}' && (!(%{REQUEST_STATUS} =~ /^(2..|304)$/)` +
      `${isOn(options.cache) ? ' || -z reqenv(\'cache-hit\')' : ''})`,
    files: !upstream,
    root: inQuotes(root),
    rootPattern: inQuotes(/[*?[]/.test(root) ? asPattern(root) : root),
    sendfile: Boolean(options.sendfile),
    mmap: Boolean(options.mmap),
    gzip: Boolean(options.gzip),
    gzipLevel: options.gzip_comp_level,
    ...cacheView(request),
    ...upstream ? upstreamView(upstream, measure ? dir : null) : {}
  }
}

/** Where its own files lie, and who it is. @param {RenderRequest} request @param {boolean} measure */
function installationView (request, measure) {
  const { dir, modules } = request
  const folder = measure ? modules?.folder : modules?.installed
  // nobody, on every system: it is named by number, and must be in the list of accounts.
  const user = measure ? '#65534' : 'www-data'
  return {
    serverRoot: measure ? inQuotes(dir) : '/etc/apache2',
    runtimeDir: measure ? inQuotes(dir) : '/run/apache2',
    errorLog: measure ? inQuotes(`${dir}/error.log`) : '/var/log/apache2/error.log',
    modules: modulesFor(request).filter(name => !isBuiltIn(name, modules))
      .map(name => ({ name, file: inQuotes(`${folder}/${fileOf(name)}`) })),
    user,
    group: user
  }
}

/** How many processes and threads there are, from the start to the end. @param {RenderRequest} request */
function shapeOf ({ options: { mpm, processes }, clients, purpose }) {
  const own = purpose === 'measure' && mpm !== 'event' ? SUITE_CONNECTIONS : 0
  const wanted = (processes === 'auto' ? usualWorkers(String(mpm), clients) : Number(processes)) + own
  if (mpm === 'prefork') return { prefork: true, workers: wanted, children: wanted, threadsPerChild: 1 }
  const children = Math.ceil(wanted / THREADS_PER_CHILD)
  const threadsPerChild = Math.ceil(wanted / children)
  const workers = children * threadsPerChild
  return {
    prefork: false,
    event: mpm === 'event',
    mpmWords: MPM_WORDS[/** @type {'worker' | 'event'} */ (mpm)],
    children,
    threadsPerChild,
    workers,
    // Apache wants one process's threads more than the least.
    spareThreads: workers + threadsPerChild,
    // Twice as many connections as there are clients: the processes do not get the same number each.
    asyncFactor: Math.max(2, Math.ceil(2 * clients / workers))
  }
}

/** @param {string} mpm @param {number} clients */
const usualWorkers = (mpm, clients) =>
  mpm === 'event' ? Math.min(EVENT_THREADS.most, Math.max(EVENT_THREADS.least, clients)) : clients

/** @param {RenderRequest} request */
function cacheView ({ options, dir, memory = dir, purpose }) {
  const measure = purpose === 'measure'
  const disk = options.store === 'disk'
  const seconds = secondsOf(options.cache)
  return {
    cache: isOn(options.cache),
    disk,
    cachePath: measure ? inQuotes(`${memory}/cache`) : HOME_CACHE[disk ? 'disk' : 'socache'],
    cacheSeconds: seconds,
    cacheMaxSeconds: Math.max(CACHE_MAX_SECONDS, seconds),
    lock: Boolean(options.lock),
    lockPath: measure ? inQuotes(`${memory}/lock`) : '/var/lock/apache2/cache',
    lockWords: options.lock
      ? 'While one request renews an expired answer the others ' +
        `${disk ? 'get the old one' : 'go to the app, as shared memory gives out no old one'}. A missing one is ` +
        'asked for by all.'
      : 'Every request that meets an expired answer goes to the app.',
    stale: Boolean(options.stale),
    staleWords: options.stale
      ? 'An expired answer is better than an error.'
      : 'An error of the app is passed on, whatever the cache still holds.'
  }
}

/** @param {NonNullable<RenderRequest['upstream']>} upstream @param {string | null} dir while it is measured */
const upstreamView = ({ addresses: [address], transport }, dir) => ({
  // It is read as a URL, in which some signs have a meaning; relative to DefaultRuntimeDir it has none of them.
  appUrl: address.kind === 'unix'
    ? inQuotes(`unix:${dir !== null ? address.path.replace(`${dir}/`, '') : address.path}|http://app`)
    : `http://${address.host}:${address.port}`,
  transportWords: TRANSPORT_WORDS[transport],
  pooled: transport.endsWith('keepalive'),
  upstreamKeepalive: dir !== null ? 3600 : 60
})

/** The modules that a configuration uses, without "mod_". @param {RenderRequest} request @returns {string[]} */
function modulesFor ({ upstream, options, purpose }) {
  const measure = purpose === 'measure'
  const cache = upstream && isOn(options.cache)
  return [
    `mpm_${options.mpm}`,
    'authz_core',
    'unixd',
    'log_config',
    ...upstream
      ? ['proxy', 'proxy_http', ...upstream.transport.endsWith('keepalive') ? [] : ['env']]
      : ['mime', 'dir', 'alias'],
    ...upstream || measure ? ['headers'] : [],
    ...measure ? ['status'] : [],
    ...options.gzip ? ['filter', 'deflate'] : [],
    ...cache ? ['cache', ...options.store === 'disk' ? ['cache_disk'] : ['cache_socache', 'socache_shmcb']] : []
  ]
}

/** What stands between double quotes. @param {string} text */
const inQuotes = text => text.replace(/["\\]/g, '\\$&')

/** A class of one sign stands for itself; a backslash has to be doubled (apr_fnmatch). @param {string} path */
const asPattern = path => path.replace(/[*?[\\]/g, sign => sign === '\\' ? '\\\\' : `[${sign}]`)

/** @param {string} name */
const fileOf = name => `mod_${name}.so`

/** An MPM that is compiled in has its bare name. @param {string} name @param {Modules | null | undefined} modules */
const isBuiltIn = (name, modules) =>
  [`mod_${name}.c`, `${name.replace('mpm_', '')}.c`].some(file => modules?.builtIn.includes(file))

/** @param {Address[]} addresses */
const homeNotes = addresses => [
  '',
  "A whole configuration for Debian's apache2: elsewhere the user is called apache, and the modules lie in another " +
  'folder.',
  ...addresses.length === 0
    ? []
    : [
        ...addresses[0].kind === 'unix'
          ? ['The app listens on the socket below; Apache\'s user must be allowed to read and write it',
              '(server.listen({ path, readableAll: true, writableAll: true }) in Node).']
          : ['The app listens on the address below.'],
        'Set server.keepAliveTimeout in the app above the ttl of a pooled connection below.'
      ]
]

/** @param {Address} address @param {boolean} measure at home it listens on all addresses */
function print (address, measure) {
  if (address.kind === 'unix') throw new TypeError('Apache does not listen on Unix sockets')
  return `${measure ? address.host : '*'}:${address.port}`
}

/** @param {unknown} cache */
const isOn = cache => cache !== 'off' && cache !== false && cache !== undefined

/** @param {unknown} duration "5s", "500ms" or a number of seconds */
function secondsOf (duration) {
  const [, number, unit] = /^(\d+)(s|m|h|d)?$/.exec(String(duration)) ?? []
  return number === undefined ? 0 : Number(number) * SECONDS[/** @type {keyof typeof SECONDS} */ (unit ?? 's')]
}
