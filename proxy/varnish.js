// Varnish as a reverse proxy and as a cache. Its VCL is made from the template in varnish/; the rest it takes on its
// command line. It serves no files itself.
import semver from 'semver'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { duration, flag, number } from '../bench/topology/option-specs.js'
import { TRANSPORT_WORDS, templatesIn } from '../bench/topology/templates.js'

/** @import { Address, ProxyPlugin, RenderRequest } from '../bench/types.js' */

const folder = new URL('../varnish/', import.meta.url)
const defaultVcl = templatesIn(folder, 'default.vcl')
const serviceConf = templatesIn(folder, 'varnish.service.conf')

const POOLS = 2 // Varnish's own default; more help with dozens of cores only (varnishd(1), thread_pools).
const THREADS_PER_POOL = { least: 100, most: 5000 } // Varnish's own thread_pool_min and thread_pool_max.
const FEATURES_SINCE = '7.2.0' // From this version on inline C is a bit of vcc_feature (Varnish changes).
const GRACE = '10s' // Varnish's own default_grace.
const REQUESTS = 'requests.count'

/** @type {ProxyPlugin} */
export default {
  about: {
    title: 'Varnish',
    program: 'varnishd',
    packages: { debian: ['varnish'], fedora: ['varnish'], alpine: ['varnish'], brew: ['varnish'] },
    static: false,
    options: {
      threads: number('auto', 'worker threads, a fixed number in two pools; auto: two for each client, since a ' +
        'request that goes to the app takes another one, and 200 at least'),
      backlog: number(4096, 'listen_depth: connections that may wait to be accepted; the kernel caps it at ' +
        'net.core.somaxconn'),
      gzip: flag(false, 'do_gzip: compress what the app did not', { for: 'app' }),
      gzip_comp_level: number(6, 'gzip_level: 1, fast, to 9, small',
        { needs: 'gzip', choices: [1, 2, 3, 4, 5, 6, 7, 8, 9], for: 'app' }),
      cache: duration('off', 'how long an answer is kept that does not say it itself (5s), or off', { for: 'app' }),
      stale: flag(true, 'grace: answer from an expired entry while one request renews it',
        { needs: 'cache', for: 'app' }),
      lock: flag(true, 'one request fills a missing entry, the others wait; off: hash_ignore_busy',
        { needs: 'cache', for: 'app' })
    }
  },

  version: { args: ['-V'], parse: output => /varnish-(\d+\.\d+\.\d+)/.exec(output)?.[1] ?? null },

  // What ends the string in which the socket's path stands.
  interprets: { signs: ['"}'], in: ['upstream'] },

  // Its log of all requests lies in shared memory, in which nothing is to wait for a disk.
  folders: ({ dir, memory = dir }) => [`${memory}/varnish`],

  render: request => ({
    'default.vcl': defaultVcl(view(request)),
    ...request.purpose === 'home' && {
      'varnish.service.conf': serviceConf({ lines: inLines(argsOf(request)) })
    }
  }),

  command: (dir, _, request) =>
    ['-F', '-f', `${dir}/default.vcl`, '-n', `${request.memory ?? dir}/varnish`, ...argsOf(request)],
  check: (dir, _, request) =>
    ['-C', '-f', `${dir}/default.vcl`, '-n', `${request.memory ?? dir}/varnish`, ...argsOf(request)],
  env: dir => ({ HOPBENCH_NOTED: `${dir}/noted.log`, HOPBENCH_REQUESTS: `${dir}/${REQUESTS}` }),

  counters: {
    // A thread of Varnish adds to MAIN.client_req when a client has been still for a while (timeout_linger), which one
    // under load never is: its VCL counts requests by itself.
    read: (dir, memory) => ({
      atSeconds: Date.now() / 1000,
      connections: counterOf(join(memory, 'varnish/_.vsm_child'), 'sess_conn'),
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

/** The values of the VCL. @param {RenderRequest} request */
function view ({ upstream, options, purpose }) {
  if (!upstream) throw new TypeError('Varnish does not serve files')
  const { addresses: [address], transport } = upstream
  const measure = purpose === 'measure'
  return {
    title: measure ? 'Varnish as hopbench runs it' : 'Varnish in front of a Node server, as measured by hopbench',
    notes: measure ? [] : homeNotes(address),
    measure,
    transportWords: TRANSPORT_WORDS[transport],
    // While it is measured everything is paused for long.
    patience: measure ? '1h' : '60s',
    pooled: transport.endsWith('keepalive'),
    ...address.kind === 'unix' ? { path: address.path } : { path: null, host: address.host, port: address.port },
    gzip: Boolean(options.gzip),
    cache: isOn(options.cache) ? options.cache : null,
    stale: Boolean(options.stale),
    grace: options.stale ? GRACE : '0s',
    staleWords: options.stale
      ? 'While one request renews an expired answer the others get the old one.'
      : 'Nobody gets an expired answer.',
    lock: Boolean(options.lock),
    lockWords: options.lock
      ? 'One request fetches what is missing; the others wait for it.'
      : 'Every request that meets a missing answer goes to the app.'
  }
}

/** What varnishd takes on its command line only. While it is measured no idle connection may be closed, and nothing may
 * be taken for dead that is paused for long.
 * @param {RenderRequest} request @returns {string[]} */
function argsOf ({ listen, options, clients, version, purpose }) {
  const measure = purpose === 'measure'
  if (listen.kind === 'unix') throw new TypeError('Varnish does not stand behind another proxy here')
  const threads = options.threads === 'auto'
    ? Math.max(THREADS_PER_POOL.least, clients)
    : Math.ceil(Number(options.threads) / POOLS)
  const params = {
    thread_pools: POOLS,
    thread_pool_min: threads,
    // A request takes a thread for its client and one for its backend: where they are short, clients are turned away.
    thread_pool_max: Math.max(threads, THREADS_PER_POOL.most),
    listen_depth: options.backlog,
    // Without a cache the app answers for parts: Varnish would make a 503 of each that it does not understand.
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
  return ['-a', `${measure ? listen.host : ''}:${listen.port}`, '-T', 'none', '-s', 'malloc,256m',
    ...Object.entries(params).flatMap(([name, value]) => ['-p', `${name}=${value}`])]
}

/** @param {unknown} cache */
const isOn = cache => !['off', false, undefined].includes(/** @type {string} */ (cache))

/** Two words on a line of a unit. @param {string[]} args */
const inLines = args => args.flatMap((arg, i) =>
  i % 2 === 0 ? [`${arg} ${args[i + 1]}${i + 2 < args.length ? ' \\' : ''}`] : [])

/** One of Varnish's counters, as varnishstat(1) reads it: in files that it shares with its readers, with an index, and
 * a description of each kind (lib/libvarnishapi/vsc.c). @param {string} folder @param {string} name of MAIN's */
function counterOf (folder, name) {
  const index = readFileSync(join(folder, '_.index'), 'latin1')
  const segments = [...index.matchAll(/^\+ (\S+) (\d+) (\d+) (\S*) (\S*)$/gm)].map(([, file, from, size, kind, name]) =>
    ({ kind, name, read: () => readFileSync(join(folder, file)).subarray(Number(from), Number(from) + Number(size)) }))
  const main = segments.find(({ kind, name }) => kind === 'Stat' && name === 'MAIN')?.read()
  if (!main) throw new TypeError(`no counters of Varnish in ${folder}`)
  const described = segments.filter(({ kind }) => kind === 'StatDoc').map(({ read }) => read())
    .find(doc => doc.readBigUInt64LE(DOC_ID) === main.readBigUInt64LE(DOC_ID))
  const { elem } = JSON.parse(String(described?.subarray(bodyOf(described))).replace(/\0[^]*/, ''))
  return Number(main.readBigUInt64LE(bodyOf(main) + elem[name].index))
}

const DOC_ID = 16 // Bytes into the head of a segment: which description is its own; before it, where its values begin.
const bodyOf = (/** @type {Buffer} */ segment) => segment.readUInt32LE(8)

/** @param {Address} address */
const homeNotes = address => [
  '',
  'default.vcl, in /etc/varnish; what follows it is a file of its own.',
  address.kind === 'unix'
    ? 'The app listens on the socket below; Varnish\'s user must be allowed to read and write it ' +
      '(server.listen({ path, readableAll: true, writableAll: true }) in Node).'
    : 'The app listens on the address below.'
]
