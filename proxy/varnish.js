// Varnish as a reverse proxy and cache, with the templates in proxy/varnish/. Other settings are arguments. Varnish
// serves no files itself.
import semver from 'semver'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { badOption } from '../bench/errors.js'
import { isOn, passesUpgrades } from '../bench/plan/predicates.js'
import { BACKLOG, SITE_HOSTS, duration, flag, gzipLevel, number } from '../bench/topology/option-specs.js'
import { ALIASES, CREDENTIAL_HEADERS, FORGEABLE_HEADERS } from '../bench/topology/forgeable-headers.js'
import {
  INTERMEDIATE_CIPHERS, appNotes, reasonsIn, templatesIn, toHostView, toTransportView
} from '../bench/topology/describe/templates.js'

/** @import { Address, ProxyPlugin, RenderRequest } from '../bench/types.js' */

const folder = new URL('./varnish/', import.meta.url)
const defaultVcl = templatesIn(folder, 'default.vcl')
const serviceConf = templatesIn(folder, 'varnish.service.conf')
const hitchConf = templatesIn(folder, 'hitch.conf')

/** Varnish's default. More pools help only with dozens of cores (varnishd(1), thread_pools). */
const POOLS = 2
/** Varnish's defaults of thread_pool_min and thread_pool_max. */
const THREADS_PER_POOL = { least: 100, most: 5000 }
/** First version in which inline C is a bit of vcc_feature (Varnish changes). */
const FEATURES_SINCE = '7.2.0'
/** Varnish's default_grace. */
const GRACE = '10s'
const REQUESTS = 'requests.count'
/** Address to which hitch passes connections, as in varnish/hitch.conf. */
const HITCH = '127.0.0.1:8443'

/** @type {ProxyPlugin} */
export default {
  about: {
    title: 'Varnish',
    program: 'varnishd',
    packages: { debian: ['varnish'], fedora: ['varnish'], alpine: ['varnish'], brew: ['varnish'] },
    static: false,
    lacks: {
      static: 'Varnish serves no files, but may cache those of the app: +cache',
      release: 'varnishd compiles its VCL with the C compiler of this system, whose libraries are not those of ' +
        'another release'
    },
    options: {
      threads: number('auto', 'fixed number of worker threads in two pools; auto: two for each client, because a ' +
        'request to the app takes another one, and at least 200'),
      backlog: { ...BACKLOG, help: `listen_depth: ${BACKLOG.help}` },
      websocket: flag(false, 'pipes upgrades to WebSocket, for measurements only: Varnish would pass on all later ' +
        'bytes of such a connection unread', { for: 'app' }),
      host: SITE_HOSTS,
      gzip: flag(false, 'do_gzip: compression of responses that the app did not compress', { for: 'app' }),
      gzip_comp_level: gzipLevel(6, 'gzip_level', { for: 'app' }),
      cache: duration('off', 'lifetime (5s) of a response with public and no lifetime, or off', { for: 'app' }),
      stale: flag(true, 'grace: sends an expired response while one request renews it', { needs: 'cache', for: 'app' }),
      lock: flag(true, 'only one request fetches a missing response, the others wait for it; off: hash_ignore_busy',
        { needs: 'cache', for: 'app' })
    }
  },

  version: { args: ['-V'], parse: output => /varnish-(\d+\.\d+\.\d+)/.exec(output)?.[1] ?? null },

  // Ends the string that contains the path of the socket.
  interprets: { signs: ['"}'], in: ['upstream'] },

  // The log of all requests is a shared memory file, whose writes should not wait for a disk.
  folders: ({ dir, memory = dir }) => [`${memory}/varnish`],

  // The drop-in of systemd holds the arguments, which are compared as such.
  explain: { syntax: { 'default.vcl': 'statements' }, reasons: reasonsIn(folder) },

  render: request => ({
    'default.vcl': defaultVcl(toView(request)),
    ...request.purpose === 'home' && {
      'varnish.service.conf': serviceConf({ lines: inLines(getArguments(request)) }),
      'hitch.conf': hitchConf({ intermediateCiphers: INTERMEDIATE_CIPHERS })
    }
  }),

  command: (dir, _, request) =>
    ['-F', '-f', `${dir}/default.vcl`, '-n', `${request.memory ?? dir}/varnish`, ...getArguments(request)],
  check: (dir, _, request) =>
    ['-C', '-f', `${dir}/default.vcl`, '-n', `${request.memory ?? dir}/varnish`, ...getArguments(request)],
  env: dir => ({ HOPBENCH_NOTED: `${dir}/noted.log`, HOPBENCH_REQUESTS: `${dir}/${REQUESTS}` }),

  counters: {
    // The VCL counts requests, because a thread updates MAIN.client_req only after its client was idle
    // (timeout_linger), which never happens under load.
    read: (dir, memory) => ({
      atSeconds: (performance.timeOrigin + performance.now()) / 1000,
      connections: readCounter(join(memory, 'varnish/_.vsm_child'), 'sess_conn'),
      requests: Number(readFileSync(join(dir, REQUESTS)).readBigUInt64LE())
    }),
    log: 'noted.log',
    errorLog: 'proxy.log',
    parseLogLine (line) {
      const [, at, status, cache] = /^(\d+\.\d+) (\d+) (HIT|MISS|-)$/.exec(line) ?? []
      return at === undefined
        ? null
        : { atSeconds: Number(at), status: Number(status), cache: cache === '-' ? null : cache }
    }
  }
}

/** Returns the values of the VCL. @param {RenderRequest} request */
function toView ({ upstream, options, purpose }) {
  if (!upstream) throw new TypeError('Varnish does not serve files')
  const { addresses: [address] } = upstream
  const measure = purpose === 'measure'
  const websocket = passesUpgrades({ options })
  if (websocket && !measure) {
    throw badOption('The option websocket of Varnish', true, 'a recommended configuration passes on no upgrade, ' +
      'because Varnish does not read the requests after it', 'Leave it out, or put nginx in front for WebSockets.')
  }
  return {
    title: measure ? 'Varnish as hopbench runs it' : 'Varnish in front of a Node server, as measured by hopbench',
    notes: measure ? [] : recommendedNotes(address),
    measure,
    websocket,
    forgeable: FORGEABLE_HEADERS,
    ...toHostView({ options, purpose }),
    aliases: ALIASES,
    credentials: CREDENTIAL_HEADERS,
    ...toTransportView(upstream),
    // Processes are paused for long during a measurement.
    patience: measure ? '1h' : '60s',
    ...address.kind === 'unix' ? { path: address.path } : { path: null, host: address.host, port: address.port },
    gzip: Boolean(options.gzip),
    cache: isOn(options.cache) ? options.cache : null,
    stale: Boolean(options.stale),
    grace: options.stale ? GRACE : '0s',
    staleWords: options.stale
      ? 'While one request renews an expired response, the others get the expired one.'
      : 'Sends no expired response.',
    lock: Boolean(options.lock),
    lockWords: options.lock
      ? 'One request fetches a missing response. The others wait for it.'
      : 'Every request for a missing response goes to the app.'
  }
}

/**
 * Returns the settings that varnishd reads from its command line only. During a measurement no idle connection may be
 * closed, and no watchdog may end a paused process.
 * @param {RenderRequest} request
 * @returns {string[]}
 */
function getArguments ({ listen, options, clients, version, purpose }) {
  const measure = purpose === 'measure'
  if (listen.kind === 'unix') throw new TypeError('Varnish cannot run behind another proxy here')
  const threads = options.threads === 'auto'
    ? Math.max(THREADS_PER_POOL.least, clients)
    : Math.ceil(Number(options.threads) / POOLS)
  const params = {
    thread_pools: POOLS,
    // A fixed number during a measurement; otherwise Varnish's default, and more when they are needed.
    thread_pool_min: measure ? threads : THREADS_PER_POOL.least,
    // Allows more than the minimum, because a request takes a second thread for its backend. With too few threads,
    // clients are rejected.
    thread_pool_max: Math.max(threads, THREADS_PER_POOL.most),
    listen_depth: options.backlog,
    // Without a cache, range requests go to the app, because Varnish sends 503 for ranges that it cannot parse.
    http_range_support: isOn(options.cache) ? 'on' : 'off',
    gzip_level: options.gzip_comp_level,
    timeout_idle: measure ? 3600 : 75,
    backend_idle_timeout: measure ? 3600 : 60,
    ...measure && {
      cli_timeout: 3600,
      ping_interval: 0,
      thread_pool_watchdog: 3600,
      send_timeout: 3600,
      idle_send_timeout: 3600,
      vsl_space: '16M',
      ...semver.gte(version, FEATURES_SINCE) ? { vcc_feature: '+allow_inline_c' } : { vcc_allow_inline_c: 'on' }
    }
  }
  // varnishadm reloads the VCL and removes pages from the cache.
  const admin = measure ? 'none' : '127.0.0.1:6082'
  return ['-a', `${measure ? listen.host : ''}:${listen.port}`, '-T', admin, '-s', 'malloc,256m',
    ...Object.entries(params).flatMap(([name, value]) => ['-p', `${name}=${value}`])]
}

/**
 * Prints two arguments per line of a systemd unit. The second line is a comment, which systemd skips: the listener of
 * hitch, which only programs on the same machine reach.
 * @param {string[]} args
 */
function inLines (args) {
  const lines = args.flatMap((arg, i) =>
    i % 2 === 0 ? [`${arg} ${args[i + 1]}${i + 2 < args.length ? ' \\' : ''}`] : [])
  return lines.toSpliced(1, 0, `#-a https=${HITCH},PROXY \\`)
}

/** Offset, in the head of a segment, of the ID of its description. */
const DOC_ID = 16
/** Returns the offset of the values of a segment. @param {Buffer} segment */
const getBodyOffset = segment => segment.readUInt32LE(8)

/**
 * Reads a counter of Varnish from its shared memory files, as varnishstat(1) does. The files have an index, and a
 * description of each kind of counters (lib/libvarnishapi/vsc.c).
 * @param {string} folder
 * @param {string} name of a counter of MAIN
 */
function readCounter (folder, name) {
  const index = readFileSync(join(folder, '_.index'), 'latin1')
  const segments = [...index.matchAll(/^\+ (\S+) (\d+) (\d+) (\S*) (\S*)$/gm)].map(([, file, from, size, kind, name]) =>
    ({ kind, name, read: () => readFileSync(join(folder, file)).subarray(Number(from), Number(from) + Number(size)) }))
  const main = segments.find(({ kind, name }) => kind === 'Stat' && name === 'MAIN')?.read()
  if (!main) throw new TypeError(`no counters of Varnish in ${folder}`)
  const described = segments.filter(({ kind }) => kind === 'StatDoc').map(({ read }) => read())
    .find(doc => doc.readBigUInt64LE(DOC_ID) === main.readBigUInt64LE(DOC_ID))
  const { elem } = JSON.parse(String(described?.subarray(getBodyOffset(described))).replace(/\0[^]*/, ''))
  return Number(main.readBigUInt64LE(getBodyOffset(main) + elem[name].index))
}

/** @param {Address} address */
const recommendedNotes = address => [
  '',
  'The file default.vcl in /etc/varnish. The two texts after it are files of their own.',
  ...appNotes([address], 'Varnish')
]
