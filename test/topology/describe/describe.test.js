import t from '../../support/tap.js'
import nginx from '../../../proxy/nginx.js'
import { parse, transports } from '../../../bench/plan/spec.js'
import { describeSpec } from '../../support/describe.js'

/** @import { DescribeContext } from '../../../bench/topology/types.js' */

const certificate = { certFile: '/tmp/tls/a.crt', keyFile: '/tmp/tls/a.key' }

/**
 * @param {string} spec
 * @param {object} [machine]
 * @param {number} [machine.cores]
 * @param {number[]} [machine.origins]
 * @param {number[]} [machine.pinned]
 * @param {DescribeContext['confinement']} [machine.confinement]
 */
function described (spec, { cores = 4, origins, pinned, confinement } = {}) {
  const topology = parse(spec)
  const program = { plugin: nginx, program: '/bin/nginx', version: '1.22.1', env: {} }
  return describeSpec(topology, {
    ports: { front: 8080, origin: 3000, origins },
    cores,
    pm2: '/app/node_modules/pm2',
    proxy: topology.proxy && program,
    origin: topology.server?.name === 'nginx' ? program : null,
    certificate,
    pinned,
    confinement
  })
}

/**
 * @param {string} spec
 * @param {Parameters<typeof described>[1]} [machine]
 */
function serverOf (spec, machine) {
  const { server } = described(spec, machine)
  if (!server) throw new Error(`${spec} has no server`)
  return { ...server, orders: server.processes.map(({ env }) => JSON.parse(env.HOPBENCH_LAUNCH)) }
}

t.test('describes every manager over every transport', async t => {
  const programs = {
    node: ['/app/bench/topology/launch.js'],
    cluster: ['/app/bench/topology/launch-cluster.js'],
    pm2: ['/app/node_modules/pm2/bin/pm2-runtime', 'start', '/app/ecosystem.config.js', '--no-auto-exit']
  }
  for (const [manager, argv] of Object.entries(programs)) {
    for (const transport of transports) {
      // Workers of one manager share its address.
      const instances = manager === 'node' ? 1 : 4
      const { processes, orders, workers } = serverOf(`nginx:${transport}/st@${manager}:${instances}`)
      t.strictSame([workers, orders[0].instances], [instances, instances])
      t.strictSame(processes.map(({ argv }) => argv), [['/bin/node', ...argv]],
        `${manager} over ${transport}`)
      t.strictSame(orders[0].listen, transport.startsWith('uds')
        ? { kind: 'unix', path: '/tmp/t/app.sock' }
        : { kind: 'tcp', host: '127.0.0.1', port: 3000 })
      t.equal(processes[0].env.NODE_ENV, 'production')
    }
  }
})

t.test('configures TLS and HTTP/2 at the front only', async t => {
  const secure = { url: 'https://127.0.0.1:8080', socketPath: null, caFile: certificate.certFile }
  const { target, server } = described('st@cluster:2+tls=rsa2048+tls_version=1.2')
  t.strictSame(target, secure)
  t.strictSame(JSON.parse(server?.processes[0].env.HOPBENCH_LAUNCH ?? '').tls, {
    ...certificate,
    version: 'TLSv1.2',
    cipher: 'ECDHE-RSA-AES256-GCM-SHA384',
    sessions: false,
    http2: false
  })
  const alone = serverOf('st+tls=ecdsa-p256+tls_session+http2')
  t.match(alone.orders[0].tls, { version: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384', sessions: true, http2: true })
  t.strictSame(described('st+tls=ecdsa-p256+http2').target, { ...secure, http2: true })
  t.strictSame(described('nginx:uds+tls=ecdsa-p256+http2/st').target, { ...secure, http2: true })
  t.equal(serverOf('nginx:uds+tls=ecdsa-p256+http2/st').orders[0].tls, undefined, 'plain HTTP behind the proxy')
  t.throws(() => described('nginx:uds/st+tls=ecdsa-p256'), { code: 'bad-option' })
})

t.test('without a proxy the server is the target', async t => {
  const { target, originTarget, server } = described('st@cluster:2')
  t.strictSame(target, { url: 'http://127.0.0.1:8080', socketPath: null })
  t.strictSame(originTarget, target)
  t.strictSame(server?.processes[0].listen, { kind: 'tcp', host: '127.0.0.1', port: 8080 })
})

t.test('max is one process for each core of the served side', async t => {
  for (const cores of [1, 2, 128]) t.equal(serverOf('st@cluster:max', { cores }).workers, cores)
})

t.test('sets a separate PM2_HOME', async t => {
  const { processes: [{ env }] } = serverOf('st@pm2:2')
  t.equal(env.PM2_HOME, '/tmp/t/pm2')
  t.equal(env.HOPBENCH_LOG, '/tmp/t/server.log')
  t.notOk('PM2_HOME' in serverOf('st@cluster:2').processes[0].env)
})

t.test('keeps all files of a confined server in a folder of its own', async t => {
  const confinement = { dir: '/tmp/t/app', nodeArgs: [], unreadableFile: null }
  const { processes, orders, controlDir } = serverOf('nginx:uds+balance=round-robin/st@node:2', { confinement })
  t.equal(controlDir, '/tmp/t/app')
  t.strictSame(orders.map(({ control }) => control), ['/tmp/t/app/0-', '/tmp/t/app/1-'],
    'processes with the same PID in two namespaces have two control sockets')
  t.strictSame(processes.map(({ listen }) => listen), ['app-0.sock', 'app-1.sock']
    .map(name => ({ kind: 'unix', path: `/tmp/t/app/${name}` })))
  const { processes: [{ env }] } = serverOf('st@pm2:2', { confinement })
  t.match(env, { PM2_HOME: '/tmp/t/app/pm2', HOPBENCH_LOG: '/tmp/t/app/server.log' })
})

t.test('gives balanced processes an address each and lists all of them in nginx.conf', async t => {
  const sockets = described('nginx:uds+balance=round-robin/st@node:3')
  t.strictSame(sockets.server?.processes.map(({ listen }) => listen),
    [0, 1, 2].map(i => ({ kind: 'unix', path: `/tmp/t/app-${i}.sock` })))
  for (const i of [0, 1, 2]) t.match(sockets.proxy?.files['nginx.conf'], `server unix:/tmp/t/app-${i}.sock `)
  t.equal(sockets.server?.workers, 3)

  const ports = serverOf('nginx:keepalive+balance=least-conn/st@node:2')
  t.strictSame(ports.orders.map(({ listen }) => listen.port), [3000, 3001])
  t.strictSame(ports.orders.map(({ instances }) => instances), [1, 1])
  t.strictSame(
    serverOf('nginx:tcp+balance=least-conn/st@node:2', { origins: [3000, 45123] }).orders.map(({ listen }) =>
      listen.port
    ),
    [3000, 45123],
    'on free ports'
  )
  t.equal(serverOf('nginx:tcp+balance=round-robin/st@node:max', { cores: 3 }).processes.length, 3)
})

t.test('describes no server when nginx serves the files', async t => {
  const { server, proxy, target, originTarget } = described('nginx+gzip/files')
  t.equal(server, null)
  t.strictSame(originTarget, target)
  t.match(proxy?.files['nginx.conf'], /root \/srv;/)
})

t.test('runs nginx behind nginx in a separate folder', async t => {
  for (const transport of transports) {
    const { server, proxy, origin, target, originTarget } = described(`nginx:${transport}/nginx+workers=2+sendfile=off`)
    t.equal(server, null)
    t.equal(origin?.dir, '/tmp/t/origin')
    const unix = transport.startsWith('uds')
    t.strictSame(origin?.listen,
      unix ? { kind: 'unix', path: '/tmp/t/app.sock' } : { kind: 'tcp', host: '127.0.0.1', port: 3000 })
    t.strictSame(origin?.argv.slice(0, 5), ['/bin/nginx', '-p', '/tmp/t/origin/', '-c', '/tmp/t/origin/nginx.conf'])
    t.match(origin?.files['nginx.conf'],
      unix ? 'listen unix:/tmp/t/app.sock backlog=4096;' : 'listen 127.0.0.1:3000 backlog=4096;')
    t.match(origin?.files['nginx.conf'],
      /worker_processes 2;[^]*sendfile off;[^]*unix:\/tmp\/t\/origin\/status\.sock;[^]*root \/srv;/)
    t.match(proxy?.files['nginx.conf'], unix ? 'server unix:/tmp/t/app.sock;' : 'server 127.0.0.1:3000;')
    t.notMatch(proxy?.files['nginx.conf'], /worker_processes 2|root \/srv/)
    t.strictSame(target, { url: 'http://127.0.0.1:8080', socketPath: null })
    t.strictSame(originTarget, unix
      ? { url: 'http://localhost', socketPath: '/tmp/t/app.sock' }
      : { url: 'http://127.0.0.1:3000', socketPath: null })
  }
})

t.test('over TLS the target is an https URL with the generated certificate', async t => {
  const files = described('nginx+tls=ecdsa-p256+tls_version=1.2/files')
  t.strictSame(files.target, { url: 'https://127.0.0.1:8080', socketPath: null, caFile: '/tmp/tls/a.crt' })
  t.match(files.proxy?.files['nginx.conf'],
    /ssl_certificate \/tmp\/tls\/a\.crt;\n *ssl_certificate_key \/tmp\/tls\/a\.key;/)
  const behind = described('nginx:keepalive+tls=rsa2048/nginx')
  t.match(behind.target.url, /^https:/)
  t.match(behind.originTarget.url, /^http:/)
  t.notMatch(behind.origin?.files['nginx.conf'], /ssl/, 'plain HTTP behind the proxy')
  t.strictSame(described('nginx+tls=off/files').target, { url: 'http://127.0.0.1:8080', socketPath: null })
})

t.test('binds workers to the cores of the served side', async t => {
  const { proxy, origin } = described('nginx:uds+worker_cpu_affinity=auto/nginx+worker_cpu_affinity=auto', {
    pinned: [1, 2]
  })
  for (const hop of [proxy, origin]) t.match(hop?.files['nginx.conf'], 'worker_cpu_affinity auto 110;')
})

/** Expected error message of each rejected topology, by the code of the error. */
const rejections = {
  'bad-option': {
    'nginx:uds/nginx+tls=rsa2048':
      /The option tls of nginx behind a proxy cannot be "rsa2048": the proxy in front sends plain HTTP/,
    'nginx:uds/nginx+reuseport': /a Unix socket cannot be shared that way/,
    'nginx:uds/nginx+cache=5s': /it applies to an app behind/,
    'nginx:uds/nginx+wrokers=2': /did you mean workers/,
    'nginx+cache=5s/files':
      /The option cache of nginx cannot be "5s": it applies to an app behind the proxy, and here there is none/,
    'nginx+balance=round-robin/files': /balance/,
    'nginx:uds+gzip_static/st': /it applies to files that nginx serves itself/,
    'nginx:uds+open_file_cache/st': /applies to files/
  },
  'bad-topology': {
    'st@node:4':
      /need an address each, .*: nginx:uds\+balance=round-robin\/st@node:4; or st@cluster:4, which share one/,
    'nginx:keepalive/st@node:2': /nginx:keepalive\+balance=round-robin\/st@node:2/,
    'nginx:uds+balance=none/st@node:2': /an address each/,
    'nginx:uds+balance=round-robin/st@cluster:4':
      /balance=round-robin spreads .* those of cluster share one: st@node:4/,
    'nginx:uds+balance=least-conn/st@pm2:max': /those of pm2 share one/,
    'st@cluster:65': /65 processes are more than makes sense on 4 cores: 64 at most/,
    'nginx:uds/st@pm2:9999': /9999 processes/
  }
}

t.test('rejects contradictory topologies with a remedy', async t => {
  for (const [code, messages] of Object.entries(rejections)) {
    for (const [spec, message] of Object.entries(messages)) {
      t.throws(() => described(spec), { code, message, exit: 2 }, spec)
    }
  }
})

t.test('limits the number of processes by the number of cores', async t => {
  t.throws(() => serverOf('st@cluster:17', { cores: 1 }), {
    code: 'bad-topology', message: /17 processes are more than makes sense on one core: 16 at most/
  })
  t.equal(serverOf('st@cluster:16', { cores: 1 }).workers, 16)
  t.equal(serverOf('st@cluster:100', { cores: 128 }).workers, 100)
})

t.test('a proxy without metrics is counted at its server, which must get every request', async t => {
  const { default: caddy } = await import('../../../proxy/caddy.js')
  const describeCaddy = (/** @type {string} */ spec, files = {}) => describeSpec({ ...parse(spec), ...files },
    { proxy: { plugin: caddy, program: '/bin/caddy', version: '2.11.4', env: {} } })
  const config = (/** @type {string} */ options) => describeCaddy(`caddy:uds-keepalive${options}/express-json`).proxy
  t.match(config('')?.files.Caddyfile, /servers \{[^}]*\}\n[^}]*\tmetrics\n/)
  t.equal(config('')?.isUncounted, undefined)
  t.notMatch(config('+metrics=off')?.files.Caddyfile, /\n\t\tmetrics\n/)
  t.equal(config('+metrics=off')?.isUncounted, true)
  const files = { files: [{ prefix: '/assets', folder: 'site/assets' }] }
  t.doesNotThrow(() => describeCaddy('caddy:uds-keepalive+static/express-site', files))
  t.throws(() => describeCaddy('caddy:uds-keepalive+metrics=off+static/express-site', files), { code: 'bad-option' })
})
