import t from '../support/tap.js'
import nginx from '../../proxy/nginx.js'
import { conf, filesConf, VERSIONS } from '../support/nginx-conf.js'

t.test('reuses upstream connections with pooled transports and closes them with the others', async t => {
  for (const transport of /** @type {const} */ (['keepalive', 'uds-keepalive'])) {
    t.match(conf({ transport }), /keepalive 128;/)
    t.match(conf({ transport }), /proxy_set_header Connection "";/)
  }
  for (const transport of /** @type {const} */ (['tcp', 'uds'])) {
    t.notMatch(conf({ transport }), /^ *keepalive \d+;/m)
    t.match(conf({ transport }), /proxy_set_header Connection close;/)
  }
})

t.test('disables pooling explicitly from 1.29.7 on for transports without a pool', async t => {
  for (const version of ['1.18.0', '1.22.1', '1.29.6', '1.9.7']) {
    t.notMatch(conf({ transport: 'tcp', version }), /keepalive 0;/, version)
  }
  for (const version of ['1.29.7', '1.30.0', '1.31.5', '2.0.0']) {
    t.match(conf({ transport: 'tcp', version }), /keepalive 0;/, version)
  }
  t.notMatch(conf({ transport: 'keepalive', version: '1.31.5' }), /keepalive 0;/)
})

t.test('configures a cache only where the option is set', async t => {
  t.notMatch(conf({}), /proxy_cache/)
  const cached = conf({ options: { cache: '5s' } })
  t.match(cached, /proxy_cache_path \/tmp\/t\/cache /)
  t.match(cached, /proxy_cache_valid 200 302 5s;/)
  t.match(cached, /proxy_cache_use_stale updating;/)
  t.match(cached, /proxy_cache_lock off;/)
  t.match(conf({ options: { cache: '5s', stale: false, lock: true } }),
    /proxy_cache_use_stale off;\n.*proxy_cache_lock on;/)
})

t.test('raises limits with the number of connections', async t => {
  t.match(conf({ clients: 100 }), /worker_connections 4096;/)
  t.match(conf({ clients: 5000 }), /worker_connections 10731;/, 'a sixteenth remains free, or nginx closes idle ones')
  t.match(conf({ clients: 5000 }), /keepalive 5000;/)
  t.match(conf({ clients: 5000, options: { connections: 64, pool: 8 } }), /worker_connections 64;/)
})

t.test('the recommended configuration has neither counters nor the suite\'s paths nor hour-long timeouts', async t => {
  const home = conf({ purpose: 'home', options: { cache: '5s' } })
  t.notMatch(home, /stub_status|noted|\/tmp\/t\/cache|1h|1000000000|temp-/)
  t.match(home, /access_log \/var\/log\/nginx\/access\.log app buffer=64k flush=5s;/)
})

t.test('sends Strict-Transport-Security only over TLS and in the recommended configuration', async t => {
  const hsts = 'add_header Strict-Transport-Security "max-age=63072000" always;'
  const count = (/** @type {string} */ text) => text.split(hsts).length - 1
  const options = { tls: 'rsa2048' }
  t.equal(count(filesConf({ purpose: 'home', options })), 1)
  t.equal(count(filesConf({ purpose: 'measure', options })), 0)
  t.equal(count(conf({ purpose: 'home', options: { cache: '5s' } })), 0)
})

t.test('quotes a path with a space', async t => {
  const text = conf({ transport: 'uds', dir: '/tmp/a b', options: { cache: '5s' } })
  t.match(text, /server "unix:\/tmp\/a b\/app\.sock";/)
  t.match(text, /listen "unix:\/tmp\/a b\/status\.sock";/)
  t.match(text, /proxy_cache_path "\/tmp\/a b\/cache" /)
})

t.test('quotes and escapes special characters in a path', async t => {
  const text = filesConf({ root: '/srv/it\'s "mine"; #1 {a}\\b' })
  t.match(text, 'root "/srv/it\'s \\"mine\\"; #1 {a}\\\\b";')
  t.match(filesConf({ root: '/srv/bénch' }), 'root /srv/bénch;', 'letters are not special')
})

t.test('a configuration for files contains no directives for an app', async t => {
  const text = filesConf({})
  t.match(text, /root \/srv;/)
  t.match(text, /sendfile on;/)
  t.match(text, /open_file_cache off;/)
  t.match(text, /gzip off;/)
  t.notMatch(text, /upstream app|proxy_pass|proxy_cache|gzip_static/)
  t.notMatch(text, /include/, 'includes no file of the system, such as mime.types')
  t.match(text, /text\/html html/)
  t.match(filesConf({ root: '/my files' }), /root "\/my files";/)
  t.match(filesConf({ options: { sendfile: false, open_file_cache: true } }), /sendfile off;[^]*open_file_cache max=/)
  t.notMatch(filesConf({ purpose: 'home' }), /stub_status|noted|\/tmp\/t/)
})

t.test('sets content types only for files and leaves those of an app unchanged', async t => {
  t.notMatch(conf({}), /types \{|charset/)
})

t.test('sets the level, the types and Vary of compression, for files and for an app', async t => {
  for (const text of [filesConf({ options: { gzip: true } }), conf({ options: { gzip: true } })]) {
    t.match(text, /gzip on;\n.*gzip_comp_level 1;\n.*gzip_min_length 20;/)
    t.match(text, /gzip_types .*application\/json/)
    t.match(text, /gzip_proxied any;/)
    t.match(text, /gzip_vary on;/)
    t.notMatch(text, /gzip off;/)
  }
  t.match(conf({ options: { gzip: true, gzip_comp_level: 9, gzip_min_length: 1000 } }),
    /gzip_comp_level 9;\n.*gzip_min_length 1000;/)
})

t.test('serves precompressed files with Vary and without compressing', async t => {
  t.match(filesConf({ options: { gzip_static: true } }),
    /gzip off;\n.*\n.*gzip_vary on;[^]*gzip_static on;\n.*gzip_proxied any;/)
})

t.test('distributes requests over all addresses in every version', async t => {
  for (const version of ['1.18.0', '1.29.6', '1.29.7', '1.31.5']) {
    const inTurn = conf({ transport: 'uds', version, servers: 3, options: { balance: 'round-robin' } })
    for (const name of ['app', 'app1', 'app2']) {
      t.match(inTurn, `server unix:/tmp/t/${name}.sock max_fails=0;`)
    }
    t.notMatch(inTurn, /least_conn|zone app_servers/)
    t.equal(/keepalive 0;/.test(inTurn), version >= '1.29.7', version)
    const least = conf({ transport: 'keepalive', version, servers: 2, options: { balance: 'least-conn' } })
    t.match(least, /least_conn;\n.*server 127\.0\.0\.1:3000 .*\n.*server 127\.0\.0\.1:3001 [^]*keepalive 128;/,
      'nginx requires the method before keepalive')
  }
  t.match(conf({ servers: 2, options: { balance: 'least-conn', workers: 2 } }), /zone app_servers 64k;/,
    'several workers share their state')
  t.notMatch(conf({}), /max_fails/, 'a single address has no failure limits')
})

t.test('reads the counters with the clock of nginx', async t => {
  const body =
    'Active connections: 101 \nserver accepts handled requests\n 105 105 60210 \nReading: 0 Writing: 5 Waiting: 96 \n'
  t.same(nginx.counters.parse(body, { 'x-msec': '1700000000.123' }), {
    atSeconds: 1700000000.123,
    connections: 105,
    requests: 60210
  })
  t.throws(() => nginx.counters.parse(body, {}), /does not contain its counters/, 'requires the clock')
})

t.test('reads errors and cache misses from the log', async t => {
  t.same(nginx.counters.parseLogLine('1700000000.123 502 -'), { atSeconds: 1700000000.123, status: 502, cache: null })
  t.same(nginx.counters.parseLogLine('1700000000.123 200 EXPIRED'), {
    atSeconds: 1700000000.123,
    status: 200,
    cache: 'EXPIRED'
  })
})

t.test('reads the version of nginx and of its derivatives', async t => {
  t.equal(nginx.version.parse('nginx version: nginx/1.22.1'), '1.22.1')
  t.equal(nginx.version.parse('nginx version: openresty/1.25.3.1'), '1.25.3')
  t.equal(nginx.version.parse('nginx version: nginx/1.31.5 (Ubuntu)'), '1.31.5')
})

t.test('writes every tuning directive explicitly in every version', async t => {
  for (const version of VERSIONS) {
    for (const purpose of /** @type {const} */ (['measure', 'home'])) {
      const text = filesConf({ version, purpose })
      for (const line of ['multi_accept off;', 'accept_mutex off;', 'accept_mutex_delay 500ms;', 'sendfile on;',
        'tcp_nopush on;', 'tcp_nodelay on;', `listen ${purpose === 'home' ? '' : '127.0.0.1:'}8080 backlog=4096;`,
        'worker_connections 4096;',
        'worker_rlimit_nofile 8704;']) t.match(text, line, `${version} ${purpose}`)
      t.notMatch(text, /worker_cpu_affinity|reuseport|combined;|ssl/, `${version} ${purpose}`)
    }
  }
})

t.test('each tuning option changes only its own directive', async t => {
  const base = filesConf({}).split('\n')
  /** @type {[object, string[]][]} options → the lines that are new */
  const changes = [
    [{ multi_accept: true }, ['multi_accept on;']],
    [{ accept_mutex: true }, ['accept_mutex on;']],
    [{ accept_mutex: true, accept_mutex_delay: '20ms' }, ['accept_mutex on;', 'accept_mutex_delay 20ms;']],
    [{ reuseport: true }, ['listen 127.0.0.1:8080 backlog=4096 reuseport;']],
    [{ backlog: 511 }, ['listen 127.0.0.1:8080 backlog=511;']],
    [{ worker_cpu_affinity: 'auto' }, ['worker_cpu_affinity auto;']],
    [{ worker_cpu_affinity: false }, []],
    [{ tcp_nopush: false }, ['tcp_nopush off;']],
    [{ tcp_nodelay: false }, ['tcp_nodelay off;']],
    [{ access_log: true }, ['access_log access.combined combined;']],
    [{ access_log: true, access_log_buffer: true }, ['access_log access.combined combined buffer=64k flush=5s;']],
    [{ sendfile: false }, ['sendfile off;']],
    [{ connections: 64 }, ['worker_rlimit_nofile 640;', 'worker_connections 64;']],
    [{ connections: 65536 }, ['worker_rlimit_nofile 131584;', 'worker_connections 65536;']]
  ]
  for (const [options, lines] of changes) {
    const added = filesConf({ options }).split('\n').filter(line => !base.includes(line)).map(line => line.trim())
    t.strictSame(added, lines, JSON.stringify(options))
  }
})

t.test('binds workers to the cores of the served side only', async t => {
  const options = { worker_cpu_affinity: 'auto' }
  t.match(filesConf({ options, cores: [1] }), 'worker_cpu_affinity auto 10;')
  t.match(filesConf({ options, cores: [0, 2, 3] }), 'worker_cpu_affinity auto 1101;')
  t.match(filesConf({ options, cores: [1], purpose: 'home' }), 'worker_cpu_affinity auto;',
    'all cores in the recommended configuration')
})

t.test('writes the access log in addition to the log of the suite', async t => {
  const options = { access_log: true }
  t.match(filesConf({ options }), /access_log access\.combined combined;[^]*access_log noted\.log noted if=\$noted;/)
  t.match(filesConf({ options, purpose: 'home' }), 'access_log /var/log/nginx/access.log app buffer=64k flush=5s;')
  t.notMatch(filesConf({ options, purpose: 'home' }), /access_log off/)
})

t.test('passes the error log on the command line in versions that support it', async t => {
  for (const version of VERSIONS) {
    t.equal(nginx.command('/tmp/t', version).includes('-e'), version !== '1.18.0', version)
    t.equal(nginx.check('/tmp/t', version).includes('-e'), version !== '1.18.0', version)
  }
})

t.test('loads the Brotli modules, from the system folder in the recommended configuration', async t => {
  const folder = '/tmp/cache/usr/lib/nginx/modules'
  const modules = { folder, installed: '/usr/lib/nginx/modules', files: [], builtIn: [] }
  const options = { brotli: true, brotli_comp_level: 4 }
  const filter = 'ngx_http_brotli_filter_module.so;'
  const text = filesConf({ options, modules })
  t.ok(text.includes(`load_module ${folder}/${filter}\nload_module ${folder}/ngx_http_brotli_static_module.so;`))
  t.match(text, /brotli on;\n *brotli_comp_level 4;/)
  t.match(filesConf({ options, modules, purpose: 'home' }), `load_module /usr/lib/nginx/modules/${filter}`)
  t.match(filesConf({ options: { brotli_static: true } }), /load_module [^]*brotli_static on;/)
  t.notMatch(filesConf({}), /brotli|load_module/)
  t.equal(nginx.variant?.(options)?.program, 'nginx-brotli')
  t.equal(nginx.variant?.({ brotli: false, brotli_static: false }), null)
})

t.test('uses HTTP/1.0 to the app only with the option http10', async t => {
  t.match(conf({ transport: 'tcp', options: { http10: true } }), /proxy_http_version 1\.0;/)
  t.match(conf({ transport: 'tcp' }), /proxy_http_version 1\.1;/)
})

t.test('buffers responses and requests unless an option turns it off', async t => {
  for (const purpose of /** @type {const} */ (['measure', 'home'])) {
    t.match(conf({ purpose }), /proxy_buffering on;\n *proxy_request_buffering on;/)
    t.match(conf({ purpose, options: { buffering: false } }), /proxy_buffering off;\n *proxy_request_buffering on;/)
    t.match(conf({ purpose, options: { request_buffering: false } }), /proxy_request_buffering off;/)
  }
})

t.test('limits bodies in the recommended configuration only', async t => {
  t.match(conf({ purpose: 'home' }), 'client_max_body_size 20m;')
  t.match(conf({ options: { production: true } }), 'client_max_body_size 20m;')
  t.match(conf({}), 'client_max_body_size 0;')
})

t.test('sets gzip_vary once for any combination of compression options', async t => {
  const all = { gzip: true, gzip_static: true, brotli: true, brotli_static: true }
  t.equal(filesConf({ options: all }).match(/gzip_vary on;/g)?.length, 1)
  for (const option of Object.keys(all)) t.match(filesConf({ options: { [option]: true } }), /gzip_vary on;/)
  t.notMatch(filesConf({}), /gzip_vary/)
})

t.test('a recommended configuration has a worker for each core, unless a number was typed', async t => {
  t.match(conf({ purpose: 'home' }), 'worker_processes auto;')
  t.match(conf({ purpose: 'measure' }), 'worker_processes 1;')
  for (const purpose of /** @type {const} */ (['measure', 'home'])) {
    t.match(conf({ purpose, options: { workers: 1 } }), 'worker_processes 1;', purpose)
    t.match(conf({ purpose, options: { workers: 4 } }), 'worker_processes 4;', purpose)
  }
})

t.test('serves the prefixes of +static itself, without hidden files and links, and passes the rest on', async t => {
  const files = [{ prefix: '/assets', folder: '/srv/my files' }, { prefix: '/img', folder: '/srv/img' }]
  const text = conf({ files, options: { static: true, gzip_static: true } })
  t.match(text, /location \^~ \/assets\/ \{\n +alias "\/srv\/my files\/";/)
  t.match(text, /location \^~ \/img\/ \{\n +alias \/srv\/img\/;/)
  t.match(text, /disable_symlinks on "from=\/srv\/my files";/)
  t.equal(text.split('location ~ /\\. {').length, 3, 'hides hidden files in each location')
  t.equal(text.split('gzip_static on;').length, 3)
  t.match(text, /location \/ \{\n +proxy_pass http:\/\/app;/)
  const beforeLocations = text.slice(0, text.indexOf('location ^~'))
  t.notMatch(beforeLocations, /charset|types \{/, 'types and charset do not change responses of the app')
  t.notMatch(conf({}), /alias|disable_symlinks/)
})
