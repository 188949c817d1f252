import t from '../support/tap.js'
import apache from '../../proxy/apache.js'
import { resolveOptions } from '../../bench/plan/topology-options.js'
import { describeSpec } from '../support/describe.js'

/** @import { Modules, RenderRequest, Transport } from '../../bench/types.js' */

/** Modules of Debian's package: `builtIn` is compiled in, `files` are loaded. */
const modules = {
  folder: '/tools/usr/lib/apache2/modules',
  installed: '/usr/lib/apache2/modules',
  files: ['mpm_event', 'mpm_prefork', 'mpm_worker', 'authz_core', 'mime', 'dir', 'alias', 'headers', 'env', 'status',
    'proxy', 'proxy_http', 'filter', 'deflate', 'cache', 'cache_disk', 'cache_socache', 'socache_shmcb'].map(name =>
      `mod_${name}.so`
  ),
  builtIn: ['core.c', 'mod_so.c', 'http_core.c', 'mod_log_config.c', 'mod_unixd.c']
}

/**
 * @param {{ transport?: Transport, files?: boolean, options?: object, purpose?: 'measure' | 'home', clients?: number,
 *   dir?: string, root?: string, memory?: string, modules?: Modules }} request
 * @returns {RenderRequest}
 */
const request = (
  {
    transport = 'keepalive', files = false, options = {}, purpose = 'measure', clients = 100, dir = '/tmp/t',
    root = '/srv/my files', memory, ...rest
  }
) => ({
  version: '2.4.57',
  listen: { kind: 'tcp', host: '127.0.0.1', port: 8080 },
  upstream: files
    ? null
    : {
        transport,
        addresses: [
          transport.startsWith('uds')
            ? { kind: 'unix', path: `${dir}/app.sock` }
            : { kind: 'tcp', host: '127.0.0.1', port: 3000 }
        ]
      },
  root,
  options: resolveOptions('apache', apache.about.options, /** @type {any} */ (options)),
  dir,
  memory,
  modules: rest.modules ?? modules,
  clients,
  purpose
})

/** @param {Parameters<typeof request>[0]} [overrides] */
const conf = (overrides = {}) => apache.render(request(overrides))['httpd.conf']

/**
 * Returns the values of a directive in their order, with continued lines joined.
 * @param {string} text
 * @param {string} directive
 */
const values = (text, directive) =>
  [...text.replace(/\\\n +/g, '').matchAll(new RegExp(`^ *${directive} (.+)$`, 'gm'))].map(([, value]) => value)

t.test('reuses upstream connections with pooled transports and disables reuse with the others', async t => {
  for (const transport of /** @type {const} */ (['keepalive', 'uds-keepalive'])) {
    const text = conf({ transport })
    t.match(values(text, 'ProxyPass').at(-1), /enablereuse=on max=\d+ ttl=3600$/, transport)
    t.notMatch(text, /disablereuse|proxy-nokeepalive/)
  }
  for (const transport of /** @type {const} */ (['tcp', 'uds'])) {
    const text = conf({ transport })
    t.match(values(text, 'ProxyPass').at(-1), /disablereuse=on$/, transport)
    t.strictSame(values(text, 'SetEnv'), ['proxy-nokeepalive 1'])
    t.notMatch(text, /enablereuse/)
  }
})

t.test('writes Unix sockets and ports in the syntax of ProxyPass', async t => {
  t.match(values(conf({ transport: 'uds' }), 'ProxyPass').at(-1),
    /^"\/" "unix:app\.sock\|http:\/\/app\/" nocanon retry=0 /, 'relative to the folder of all its files')
  t.match(values(conf({ transport: 'tcp' }), 'ProxyPass').at(-1),
    /^"\/" "http:\/\/127\.0\.0\.1:3000\/" nocanon retry=0 /)
  t.strictSame(values(conf({ transport: 'uds', dir: '/tmp/a b#?' }), 'ProxyPass').at(-1),
    values(conf({ transport: 'uds' }), 'ProxyPass').at(-1),
    'so that nothing in its path can be taken for a part of a URL')
})

t.test('prefork runs the requested number of processes at all times', async t => {
  const text = conf({ options: { mpm: 'prefork', processes: 500 }, purpose: 'home' })
  for (const directive of ['ServerLimit', 'MaxRequestWorkers', 'StartServers', 'MinSpareServers', 'MaxSpareServers']) {
    t.strictSame(values(text, directive), ['500'], directive)
  }
  t.ok(text.indexOf('ServerLimit') < text.indexOf('MaxRequestWorkers'), 'the limit comes first')
  t.notMatch(text, /ThreadsPerChild|AsyncRequestWorkerFactor/)
  t.notMatch(values(conf({ options: { mpm: 'prefork' } }), 'ProxyPass').at(-1), /max=/,
    'a process without threads has one connection in any case')
})

t.test('adds two workers for the counters of the suite where a worker is bound to one connection', async t => {
  t.strictSame(values(conf({ options: { mpm: 'prefork', processes: 500 } }), 'MaxRequestWorkers'), ['502'])
  t.strictSame(values(conf({ options: { mpm: 'prefork' }, clients: 300 }), 'MaxRequestWorkers'), ['302'],
    'a process for each client')
  t.strictSame(values(conf({ options: { mpm: 'worker', processes: 62 } }), 'MaxRequestWorkers'), ['64'])
  t.strictSame(values(conf({ options: { processes: 64 } }), 'MaxRequestWorkers'), ['64'],
    'event releases idle connections')
})

t.test('spreads threads over processes of up to 64 threads', async t => {
  const shape = (/** @type {{ mpm?: string, processes?: number }} */ options, clients = 100) => {
    const text = conf({ options, clients })
    const [children, threads, all] = ['StartServers', 'ThreadsPerChild', 'MaxRequestWorkers'].map(name =>
      Number(values(text, name)[0])
    )
    t.equal(children * threads, all, 'Apache requires whole processes')
    const slots = options.mpm === 'worker' ? 1 : 4
    t.strictSame(values(text, 'ServerLimit'), [String(children * slots)], 'a reload with open responses leaves slots')
    t.strictSame(values(text, 'ThreadLimit'), [String(threads)])
    t.strictSame(values(text, 'MinSpareThreads'), [String(all)])
    t.strictSame(values(text, 'MaxSpareThreads'), [String(all + threads)])
    t.ok(threads <= 64)
    return [children, threads]
  }
  t.strictSame(shape({ processes: 64 }), [1, 64])
  t.strictSame(shape({ processes: 65 }), [2, 33], 'rounded up to whole processes')
  t.strictSame(shape({ processes: 1 }), [1, 1])
  t.strictSame(shape({ processes: 400 }), [7, 58])
  t.strictSame(shape({}, 10), [1, 64], 'the default is at least 64')
  t.strictSame(shape({}, 100), [2, 50])
  t.strictSame(shape({}, 10000), [16, 64], 'the default is at most 1,024')
  t.strictSame(shape({ mpm: 'worker' }, 10000), [157, 64], 'worker needs a thread for each connection')
  t.strictSame(values(conf({ clients: 10000 }), 'AsyncRequestWorkerFactor'), ['20'],
    'with 1,024 threads there is room for twice the clients')
  t.strictSame(values(conf({ options: { mpm: 'worker' } }), 'AsyncRequestWorkerFactor'), [])
  t.match(values(conf({ clients: 100 }), 'ProxyPass').at(-1), /max=50 /, 'a pool as large as the process has threads')
})

t.test('allows more time to start more processes', async t => {
  const seconds = (/** @type {number} */ processes) =>
    Number(apache.startSeconds?.(request({ options: { mpm: 'prefork', processes } })))
  t.ok(seconds(5000) > 60 && seconds(5000) < 300, `${seconds(5000)} s for 5,000`)
  t.ok(seconds(50) < 20)
})

t.test('closes no idle connection during a measurement', async t => {
  t.strictSame(values(conf(), 'KeepAliveTimeout'), ['3600'])
  t.strictSame(values(conf(), 'MaxKeepAliveRequests'), ['0'], 'no limit')
  const home = (/** @type {string} */ mpm) => values(conf({ options: { mpm }, purpose: 'home' }), 'KeepAliveTimeout')[0]
  t.equal(home('prefork'), '5', 'at home an idle client must not hold a process for long')
  t.equal(home('worker'), '5')
  t.equal(home('event'), '75')
})

t.test('configures a cache only where the option is set', async t => {
  t.notMatch(conf(), /Cache|cache_/)
  const disk = conf({ options: { cache: '5s' }, memory: '/dev/shm/t' })
  t.strictSame(values(disk, 'CacheEnable'), ['disk /'])
  t.strictSame(values(disk, 'CacheRoot'), ['"/dev/shm/t/cache"'], 'on tmpfs')
  t.strictSame(values(conf({ options: { cache: '5s' } }), 'CacheRoot'), ['"/tmp/t/cache"'],
    'without tmpfs, beside the other files')
  for (const directive of ['CacheDefaultExpire', 'CacheMinExpire']) {
    t.strictSame(values(disk, directive), ['5'], directive)
  }
  t.strictSame(values(conf({ options: { cache: '60m' } }), 'CacheDefaultExpire'), ['3600'])
  t.strictSame(values(conf({ options: { cache: '2d' } }), 'CacheMaxExpire'), ['172800'],
    "longer than Apache's own limit")
  const memory = conf({ options: { cache: '5s', store: 'socache' } })
  t.strictSame(values(memory, 'CacheEnable'), ['socache /'])
  t.match(values(memory, 'CacheSocache')[0], /^"shmcb:\/tmp\/t\/cache\(\d+\)"$/)
  t.notMatch(memory, /CacheRoot|cache_disk/)
  t.strictSame(apache.folders?.(request({ options: { cache: '5s' }, memory: '/dev/shm/t' })), ['/dev/shm/t/cache'])
  t.strictSame(apache.folders?.(request({ options: { cache: '5s', store: 'socache' } })), [])
  t.strictSame(apache.folders?.(request({ options: { cache: '5s', store: 'socache', lock: true } })), ['/tmp/t/lock'],
    'made by the suite, because a folder made by root is not writable for user nobody')
  t.strictSame(apache.folders?.(request({})), [])
})

t.test('writes the cache lock and stale responses explicitly, on or off', async t => {
  const off = conf({ options: { cache: '5s' } })
  t.strictSame([values(off, 'CacheLock'), values(off, 'CacheStaleOnError')], [['off'], ['off']])
  t.notMatch(off, /CacheLockPath/)
  const on = conf({ options: { cache: '5s', lock: true, stale: true }, memory: '/dev/shm/t' })
  t.strictSame([values(on, 'CacheLock'), values(on, 'CacheStaleOnError')], [['on'], ['on']])
  t.strictSame(values(on, 'CacheLockPath'), ['"/dev/shm/t/lock"'],
    'the default of Apache is the temporary folder of the system')
})

t.test('a configuration for files contains no directives for an app', async t => {
  const text = conf({ files: true })
  t.strictSame(values(text, 'DocumentRoot'), ['"/srv/my files"'])
  t.notMatch(text, /Proxy|Cache|mod_proxy|RequestHeader/)
  t.strictSame(values(text, 'TypesConfig'), ['/dev/null'], 'reads no file of the system')
  t.strictSame([values(text, 'EnableSendfile'), values(text, 'EnableMMAP')], [['on'], ['on']])
  const plain = conf({ files: true, options: { sendfile: false, mmap: false } })
  t.strictSame([values(plain, 'EnableSendfile'), values(plain, 'EnableMMAP')], [['off'], ['off']])
  t.strictSame(values(text, 'RedirectMatch'), ['404 "/\\.(?!well-known/)"'])
})

t.test('sets content types only for files and leaves those of an app unchanged', async t => {
  t.notMatch(conf(), /AddType|AddCharset|TypesConfig/)
})

t.test('sets the level and the types of compression, for files and for an app', async t => {
  for (const text of [conf({ files: true, options: { gzip: true } }), conf({ options: { gzip: true } })]) {
    t.match(values(text, 'AddOutputFilterByType').join(' '), /^DEFLATE .*application\/json/)
    t.strictSame(values(text, 'DeflateCompressionLevel'), ['1'])
  }
  t.strictSame(values(conf({ options: { gzip: true, gzip_comp_level: 9 } }), 'DeflateCompressionLevel'), ['9'])
  t.notMatch(conf(), /DEFLATE|mod_deflate/)
})

t.test('loads every required module once and no other', async t => {
  const loaded = (/** @type {Parameters<typeof request>[0]} */ overrides) =>
    values(conf(overrides), 'LoadModule').map(line => line.split('_module ')[0])
  for (const mpm of ['prefork', 'worker', 'event']) t.equal(loaded({ options: { mpm } })[0], `mpm_${mpm}`)
  t.strictSame(loaded({}), ['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'headers', 'status'])
  t.strictSame(loaded({ files: true, purpose: 'home' }),
    ['mpm_event', 'authz_core', 'mime', 'dir', 'alias', 'headers', 'reqtimeout'])
  t.ok(loaded({ options: { cache: '5s', store: 'socache' } }).includes('socache_shmcb'))
  const compiledIn = { ...modules, builtIn: [...modules.builtIn, 'event.c', 'mod_proxy.c'] }
  t.strictSame(loaded({ modules: compiledIn }), ['authz_core', 'proxy_http', 'headers', 'status'],
    'compiled-in modules are not loaded')
})

t.test('fails with the name of a missing module before anything starts', async t => {
  const describeWith = (/** @type {string} */ spec, /** @type {Modules} */ found) => describeSpec(spec,
    { proxy: { plugin: apache, program: '/bin/apache2', version: '2.4.57', env: {}, modules: found } })
  t.equal(describeWith('apache:uds+cache=5s/st', modules).proxy?.countersAt?.port, 8080)
  const poor = { ...modules, files: modules.files.filter(file => file !== 'mod_cache_socache.so') }
  t.throws(() => describeWith('apache:uds+cache=5s+store=socache/st', poor), {
    code: 'module-missing',
    details: { files: ['mod_cache_socache.so'], folder: '/tools/usr/lib/apache2/modules' },
    message: /mod_cache_socache\.so in \/tools\/usr\/lib\/apache2\/modules.*\+store=socache/
  })
  t.doesNotThrow(() => describeWith('apache:uds+cache=5s/st', poor))
  t.throws(() => describeWith('apache/files', { ...modules, folder: null, files: [] }), {
    code: 'module-missing',
    remedy: /[Ii]nstall/
  })
})

t.test('rejects a lifetime with a fraction of a second', async t => {
  t.throws(() => resolveOptions('apache', apache.about.options, { cache: '500ms' }),
    { code: 'bad-option', message: /whole seconds/ })
})

t.test("the recommended configuration has neither counters nor the suite's paths nor hour-long timeouts", async t => {
  for (const options of [{ cache: '5s', lock: true }, { cache: '5s', store: 'socache' }, {
    mpm: 'prefork',
    gzip: true
  }]) {
    const home = conf({ purpose: 'home', dir: '/run/app', memory: '/dev/shm/t', options, transport: 'uds-keepalive' })
    t.notMatch(home, /server-status|noted|\/dev\/shm|3600$|hopbench-status|ExtendedStatus|\/tools\//m)
    t.match(home, /LoadModule proxy_module "\/usr\/lib\/apache2\/modules\/mod_proxy\.so"/)
    t.match(home, 'unix:/run/app/app.sock|http://app/')
    t.match(home, /^Listen \*:8080$/m)
    t.match(home, /ttl=60 upgrade=websocket$/m)
  }
})

t.test('quotes paths and escapes wildcard characters in them', async t => {
  const text = conf({ files: true, root: '/srv/"a" [1]', dir: '/tmp/b"c' })
  t.strictSame(values(text, 'DocumentRoot'), ['"/srv/\\"a\\" [1]"'])
  t.match(text, '<Directory "/srv/\\"a\\" [[]1]">')
  t.strictSame(values(text, 'PidFile'), ['"/tmp/b\\"c/httpd.pid"'])
})
