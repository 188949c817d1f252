/** Computes the values of Apache's templates (pure). */
import { toFilesView } from '../../bench/topology/describe/content-view.js'
import { isWholeSite } from '../../bench/plan/file-prefixes.js'
import { isOn, isPooled, passesUpgrades } from '../../bench/plan/predicates.js'
import { ALIASES, CREDENTIAL_HEADERS, FORGEABLE_HEADERS } from '../../bench/topology/forgeable-headers.js'
import { SECRET_HEADER_NAME } from '../../bench/shared/secrets.js'
import { ACCESS_LOG } from '../../bench/topology/option-specs.js'
import {
  INTERMEDIATE_CIPHERS, appNotes, escapePrefix, isProduction, toHostView, toRelative, toTransportView
} from '../../bench/topology/describe/templates.js'

/** @import { Address, Modules, RenderRequest } from '../../bench/types.js' */

/**
 * Connections of hopbench itself: one reads counters, one checks bodies under load. During a measurement they are added
 * to the processes or threads if each serves one connection.
 */
const SUITE_CONNECTIONS = 2
/** Most threads of one process, equal to Debian's ThreadLimit. */
const THREADS_PER_CHILD = 64
/** Limits for mpm event, in which only requests take threads and idle connections do not. */
const EVENT_THREADS = { least: 64, most: 1024 }
/** KeepAliveTimeout for mpm prefork and worker, Apache's default: an idle client holds a process or thread. */
const HELD_SECONDS = 5
/** Apache's default of CacheMaxExpire. */
const CACHE_MAX_SECONDS = 86400
/** Limits of mod_reqtimeout. A paused client must not be disconnected. */
const READ_TIMEOUT = { home: 'header=15-30,MinRate=500 body=60,MinRate=50', measure: 'header=3600 body=3600' }
/** Modules that TLS needs besides those of every configuration. HTTP/2 is impossible with mpm prefork. */
const TLS_MODULES = ['ssl', 'socache_shmcb', 'alias', 'http2']
const HOME_CACHE = { disk: '/var/cache/apache2/mod_cache_disk', socache: '/run/apache2/app-cache' }

/** @type {Record<string, number>} */
const UNIT_SECONDS = { s: 1, m: 60, h: 3600, d: 86400 }

const MPM_WORDS = {
  worker: 'Each connection takes a thread until it closes.',
  event: 'Each request takes a thread. Idle connections take none.'
}

/** A path that apps and served folders do not have. */
export const STATUS_PATH = '/hopbench-status'

/** Returns the values of the templates. @param {RenderRequest} request */
export function toView (request) {
  const { listen, upstream, root, files = [], options, dir, purpose } = request
  const measure = purpose === 'measure'
  return {
    title: measure
      ? 'Apache httpd as hopbench runs it'
      : `Apache httpd ${upstream ? 'in front of a Node server' : 'as a static server'}, as measured by hopbench`,
    notes: measure ? [] : recommendedNotes(upstream?.addresses ?? []),
    measure,
    production: isProduction(request),
    websocket: !measure || passesUpgrades(request),
    accessLog: measure ? inQuotes(`${dir}/${ACCESS_LOG}`) : '/var/log/apache2/access.log',
    readTimeout: READ_TIMEOUT[purpose],
    intermediateCiphers: INTERMEDIATE_CIPHERS,
    forgeable: FORGEABLE_HEADERS,
    ...toFilesView(request),
    ...toHostView(request),
    aliases: ALIASES,
    credentials: [...CREDENTIAL_HEADERS, 'Cookie'],
    credentialPattern: SECRET_HEADER_NAME,
    maxBody: Number(options.max_body) * 1024 * 1024,
    ...toInstallation(request, measure),
    ...getProcesses(request),
    // Idle connections must stay open during a measurement, because generators are paused for long.
    clientKeepalive: measure ? 3600 : options.mpm === 'event' ? 75 : HELD_SECONDS,
    clientRequests: measure ? 0 : 1000,
    listen: print(listen, measure),
    statusPath: STATUS_PATH,
    notPlain: getNotPlain(request),
    files: !upstream,
    servesFiles: servesFiles(request),
    prefixes: files.map(({ prefix, folder }) => ({
      prefix,
      pattern: escapePrefix(prefix),
      folder: inQuotes(folder),
      // $ and % begin variables in a condition.
      testedFolder: inQuotes(folder.replace(/[$%\\]/g, '\\$&')),
      folderPattern: inQuotes(toDirectory(folder))
    })),
    root: inQuotes(root),
    rootPattern: inQuotes(toDirectory(root)),
    spa: Boolean(options.spa),
    sendfile: Boolean(options.sendfile),
    mmap: Boolean(options.mmap),
    gzip: Boolean(options.gzip),
    gzipLevel: options.gzip_comp_level,
    ...toCacheView(request),
    ...upstream ? toUpstreamView(upstream, measure ? dir : null) : {}
  }
}

/** Returns whether Apache serves files, in place of a server or in front of it. @param {RenderRequest} request */
const servesFiles = ({ upstream, files = [] }) => !upstream || files.length > 0

/** Returns the condition of the log: errors, and responses of the app that are no cache hits.
 * @param {RenderRequest} request */
function getNotPlain ({ options, files = [] }) {
  const isFile = files.map(prefix => isWholeSite(prefix)
    ? " && -z reqenv('no-proxy')"
    : ` && !(%{REQUEST_URI} =~ m#^${escapePrefix(prefix.prefix)}/#)`).join('')
  return `%{REQUEST_URI} != '${STATUS_PATH}' && (!(%{REQUEST_STATUS} =~ /^(2..|304)$/)` +
    `${isOn(options.cache) ? ` || (-z reqenv('cache-hit')${isFile})` : ''})`
}

/**
 * Returns paths and the user of the installation.
 * @param {RenderRequest} request
 * @param {boolean} measure
 */
function toInstallation (request, measure) {
  const { dir, modules } = request
  const folder = measure ? modules?.folder : modules?.installed
  // An account without privileges by its ID. Apache requires an existing one, and names differ between systems.
  const toFile = (/** @type {ReturnType<typeof toModule>} */ { name, file }) =>
    ({ name, file: inQuotes(`${folder}/${file}`) })
  const user = measure ? '#65534' : 'www-data'
  return {
    serverRoot: measure ? inQuotes(dir) : '/etc/apache2',
    runtimeDir: measure ? inQuotes(dir) : '/run/apache2',
    errorLog: measure ? inQuotes(`${dir}/error.log`) : '/var/log/apache2/error.log',
    modules: findNeededModules(request).map(toFile),
    tlsModules: TLS_MODULES.filter(name => isTlsModule(name, request)).map(name => toFile(toModule(name))),
    user,
    group: user
  }
}

/**
 * Slots for each process of the MPM event. A process that ends its open responses after a reload keeps its slot, and
 * if all are taken, no new process starts ("scoreboard is full, not at MaxRequestWorkers"). Only event uses further
 * slots, since 2.4.24.
 */
export const EVENT_SLOTS = 4

/** Returns the fixed numbers of processes and threads. @param {RenderRequest} request */
export function getProcesses ({ options: { mpm, processes }, clients, purpose }) {
  const isEvent = mpm === 'event'
  const eventThreads = Math.min(EVENT_THREADS.most, Math.max(EVENT_THREADS.least, clients))
  const usualWorkers = isEvent ? eventThreads : clients
  const ownWorkers = purpose === 'measure' && !isEvent ? SUITE_CONNECTIONS : 0
  const requested = (processes === 'auto' ? usualWorkers : Number(processes)) + ownWorkers
  if (mpm === 'prefork') return { prefork: true, workers: requested, children: requested, threadsPerChild: 1 }
  const children = Math.ceil(requested / THREADS_PER_CHILD)
  const threadsPerChild = Math.ceil(requested / children)
  const workers = children * threadsPerChild
  const processLimit = children * (isEvent ? EVENT_SLOTS : 1)
  return {
    prefork: false,
    event: isEvent,
    mpmWords: isEvent ? MPM_WORDS.event : MPM_WORDS.worker,
    children,
    processLimit,
    threadsPerChild,
    workers,
    // MaxSpareThreads must exceed MinSpareThreads by at least the threads of one process.
    spareThreads: workers + threadsPerChild,
    // Allows twice as many connections as clients, because processes get different numbers of connections.
    asyncFactor: Math.max(2, Math.ceil(2 * clients / workers))
  }
}

/** @param {RenderRequest} request */
function toCacheView ({ options, dir, memory = dir, purpose }) {
  const measure = purpose === 'measure'
  const disk = options.store === 'disk'
  const seconds = toSeconds(options.cache)
  return {
    cache: isOn(options.cache),
    disk,
    cachePath: measure ? inQuotes(`${memory}/cache`) : HOME_CACHE[disk ? 'disk' : 'socache'],
    cacheSeconds: seconds,
    cacheMaxSeconds: Math.max(CACHE_MAX_SECONDS, seconds),
    lock: Boolean(options.lock),
    lockPath: measure ? inQuotes(`${memory}/lock`) : '/var/lock/apache2/cache',
    lockWords: options.lock
      ? 'While one request renews an expired response, the others ' +
        `get the expired one${disk ? '' : ' for a second (CacheSocacheMinTime)'}. All ` +
        'requests for a missing response go to the app.'
      : 'Every request for an expired response goes to the app.',
    stale: Boolean(options.stale),
    staleWords: options.stale
      ? 'Sends an expired response in place of an error of the app.'
      : 'Passes on errors of the app, even if the cache has an expired response.'
  }
}

/**
 * @param {NonNullable<RenderRequest['upstream']>} upstream
 * @param {string | null} dir null: a recommended configuration
 */
const toUpstreamView = ({ addresses: [address], ...upstream }, dir) => ({
  // Relative to DefaultRuntimeDir, because Apache parses the path as a URL, in which some characters have a meaning.
  appUrl: address.kind === 'unix'
    ? inQuotes(`unix:${toRelative(address.path, dir)}|http://app`)
    : `http://${address.host}:${address.port}`,
  ...toTransportView(upstream),
  upstreamKeepalive: dir !== null ? 3600 : 60
})

/**
 * Returns the names of the required modules, without "mod_".
 * @param {RenderRequest} request
 * @returns {string[]}
 */
function getModules (request) {
  const { upstream, options, purpose } = request
  const measure = purpose === 'measure'
  const cache = upstream && isOn(options.cache)
  return [
    `mpm_${options.mpm}`,
    'authz_core',
    'unixd',
    'log_config',
    ...upstream
      ? ['proxy', 'proxy_http', ...isPooled(upstream) ? [] : ['env']]
      : [],
    ...servesFiles(request) ? ['mime', 'dir'] : [],
    ...servesFiles(request) || isProduction(request) ? ['alias'] : [],
    ...request.files?.length ? ['rewrite'] : [],
    'headers',
    ...measure ? ['status'] : [],
    ...isProduction(request) ? ['reqtimeout', ...cache ? ['setenvif'] : []] : [],
    ...options.gzip || options.shipped ? ['filter', 'deflate'] : [],
    ...options.shipped ? ['authz_host', 'autoindex', 'negotiation'] : [],
    ...cache ? ['cache', ...options.store === 'disk' ? ['cache_disk'] : ['cache_socache', 'socache_shmcb']] : []
  ]
}

/** Escapes a text for double quotes. @param {string} text */
const inQuotes = text => text.replace(/["\\]/g, '\\$&')

/** Returns a folder as the argument of <Directory>, in which wildcards have a meaning. @param {string} folder */
const toDirectory = folder => /[*?[]/.test(folder) ? asPattern(folder) : folder

/** Escapes the wildcards of apr_fnmatch: a backslash by another one, the rest as classes. @param {string} path */
const asPattern = path => path.replace(/[*?[\\]/g, sign => sign === '\\' ? '\\\\' : `[${sign}]`)

/** Returns the required modules that are not compiled in. @param {RenderRequest} request */
export const findNeededModules = request =>
  getModules(request).filter(name => !isBuiltIn(name, request.modules)).map(toModule)

/** @param {string} name without "mod_" */
const toModule = name => ({ name, file: `mod_${name}.so` })

/**
 * Returns whether TLS requires to load a module that a configuration does not load without it.
 * @param {string} name
 * @param {RenderRequest} request
 */
const isTlsModule = (name, request) => !getModules(request).includes(name) && !isBuiltIn(name, request.modules) &&
  !(name === 'http2' && request.options.mpm === 'prefork')

/**
 * Returns whether a module is compiled in. The file of a compiled-in MPM has no prefix.
 * @param {string} name
 * @param {Modules | null | undefined} modules
 */
const isBuiltIn = (name, modules) =>
  [`mod_${name}.c`, `${name.replace('mpm_', '')}.c`].some(file => modules?.builtIn.includes(file))

/** @param {Address[]} addresses */
const recommendedNotes = addresses => [
  '',
  "A whole configuration for Debian's apache2. Other systems have another user (apache) and folder of modules.",
  ...addresses.length === 0
    ? []
    : [...appNotes(addresses, 'Apache'),
        'Set server.keepAliveTimeout in the app above the ttl of a pooled connection below.']
]

/**
 * @param {Address} address
 * @param {boolean} measure false: listens on all addresses
 */
function print (address, measure) {
  if (address.kind === 'unix') throw new TypeError('Apache does not listen on Unix sockets')
  return `${measure ? address.host : '*'}:${address.port}`
}

/** @param {unknown} duration "5s", "5m" or a number of seconds */
function toSeconds (duration) {
  const [, number = '0', unit = 's'] = /^(\d+)(s|m|h|d)?$/.exec(String(duration)) ?? []
  return Number(number) * UNIT_SECONDS[unit]
}
