import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from '../support/tap.js'
import nginx from '../../proxy/nginx.js'
import { findCertificate } from '../../bench/topology/certificates.js'
import { run } from '../../bench/machine/process.js'
import { findTool, toolVersion } from '../../bench/machine/tools.js'
import { resolveOptions } from '../../bench/plan/topology-options.js'
import { transports } from '../../bench/plan/spec.js'
import { countRequests, staged } from '../support/stage.js'

/** @import { OptionValue, RenderRequest } from '../../bench/types.js' */

/** @typedef {Record<string, OptionValue>} Options */

const tool = await findTool({ program: 'nginx', packages: nginx.about.packages })
const version = await toolVersion(tool.path, nginx.version, tool.env)
const dir = mkdtempSync(join(tmpdir(), 'hb-'))
const certificate = await findCertificate('rsa2048', join(dir, 'tls'))
t.teardown(() => rmSync(dir, { recursive: true, force: true }))

/** @type {RenderRequest['upstream']} */
const SOCKET = { transport: 'uds', addresses: [{ kind: 'unix', path: join(dir, 'app.sock') }] }

/**
 * Returns every subset of the options.
 * @param {Options} options
 * @returns {Options[]}
 */
const combinations = options => Object.entries(options).reduce(
  (sets, [name, value]) => sets.flatMap(set => [set, { ...set, [name]: value }]), [({})])

/**
 * Lets nginx check a configuration.
 * @param {RenderRequest['upstream']} upstream
 * @param {Options} options
 * @param {string} [root]
 * @param {Partial<RenderRequest>} [more]
 * @returns {Promise<string>} 'ok', or the messages of nginx
 */
async function verdictOn (upstream, options, root = '/srv/www', more = {}) {
  const files = nginx.render({
    version,
    listen: { kind: 'tcp', host: '127.0.0.1', port: 48080 },
    upstream,
    root,
    options: resolveOptions('nginx', nginx.about.options, options),
    dir,
    clients: 100,
    certificate,
    purpose: 'measure',
    ...more
  })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(dir, file), text)
  const { exit, stderr } = await run([tool.path, ...nginx.check(dir, version)], { env: tool.env })
  // A warning is a fault, too. Before 1.19.5 nginx warns about its default log, independent of the configuration.
  const messages = stderr.split('\n').filter(line => !line.includes('could not open error log file')).join('\n')
  return exit === 0 && messages === '' ? 'ok' : stderr
}

t.test('nginx accepts every combination of options as a static server', async t => {
  const all = { gzip: true, gzip_static: true, sendfile: false, open_file_cache: true, workers: 2 }
  for (const options of combinations(all)) {
    t.equal(await verdictOn(null, options), 'ok', JSON.stringify(options))
  }
  mkdirSync(join(dir, 'my files'))
  t.equal(await verdictOn(null, {}, join(dir, 'my files')), 'ok', 'and a folder with a space')
})

t.test('nginx accepts options with every transport, in front of one or several servers', async t => {
  const all = { gzip: true, cache: '5s', workers: 2 }
  for (const transport of transports) {
    // Only the workers change the upstream block, which depends on the transport. So every combination is checked with
    // one transport, and none and all of the options with the others.
    const sets = transport === transports[0] ? combinations(all) : [{}, all]
    const addresses = Array.from({ length: 3 }, (_, i) => transport.startsWith('uds')
      ? /** @type {const} */ ({ kind: 'unix', path: join(dir, `app-${i}.sock`) })
      : /** @type {const} */ ({ kind: 'tcp', host: '127.0.0.1', port: 43000 + i }))
    for (const balance of ['none', 'round-robin', 'least-conn']) {
      const upstream = { transport, addresses: balance === 'none' ? addresses.slice(0, 1) : addresses }
      for (const options of sets) {
        t.equal(await verdictOn(upstream, { balance, ...options }), 'ok',
          `${transport} ${balance} ${JSON.stringify(options)}`)
      }
    }
  }
  const gzip = { gzip: true, gzip_comp_level: 9, gzip_min_length: 1000 }
  t.equal(await verdictOn(SOCKET, { cache: '5s', stale: false, lock: true, ...gzip, pool: 8, connections: 64 }), 'ok')
})

t.test('nginx accepts every tuning option, alone and all at once', async t => {
  const all = {
    multi_accept: true,
    accept_mutex: true,
    accept_mutex_delay: '100ms',
    reuseport: true,
    backlog: 511,
    worker_cpu_affinity: 'auto',
    tcp_nopush: false,
    tcp_nodelay: false,
    access_log: true,
    workers: 2,
    connections: 64
  }
  for (const [name, value] of Object.entries(all)) {
    t.equal(await verdictOn(null, { ...name === 'accept_mutex_delay' && { accept_mutex: true }, [name]: value }),
      'ok', name)
  }
  t.equal(await verdictOn(null, all), 'ok')
  t.equal(await verdictOn(null, all, '/srv/www', { cores: [0, 1] }), 'ok', 'workers bound to the cores of nginx')
  t.equal(await verdictOn(null, all, '/srv/www', { listen: { kind: 'unix', path: join(dir, 'front.sock') } }), 'ok',
    'on a Unix socket, as behind another proxy')
  t.equal(await verdictOn(SOCKET, all), 'ok', 'in front of a server')
})

t.test('access_log adds a log of all requests to the log of errors', async t => {
  const arm = await staged(t, 'nginx+access_log/files', { path: '/1k.bin' })
  const { running, dir } = arm
  await countRequests(arm, 4, '/nowhere')
  t.strictSame(running.noted().map(({ status }) => status), [404, 404, 404, 404])
  const lines = readFileSync(join(dir, 'access.combined'), 'utf8').trim().split('\n')
  t.equal(lines.length, 204, 'the gate sent 200 of the requests')
  t.match(lines[0], /^\S+ - - \[.*\] "GET \/1k\.bin HTTP\/1\.1" 200 1024 "-" "-"$/)
})

/**
 * Sends half a request on each of 64 connections, so that nginx cannot close an idle connection for a new one, and
 * prints a line when a connection is closed. Runs in a process of its own.
 * @param {string} host
 * @param {number} port
 */
async function holdOpen (host, port) {
  const { default: net } = await import('node:net')
  for (let i = 0; i < 64; i++) {
    net.connect(port, host).on('error', () => {}).on('close', () => {
      process.stdout.write('one of 64 was closed', () => process.exit(0))
    }).write('GET / HTTP/1.1\r\n')
  }
}

t.test('nginx closes connections beyond worker_connections', async t => {
  const { running, network, dir } = await staged(t, 'nginx+connections=64/files', { path: '/1k.bin' })
  t.match(readFileSync(join(dir, 'nginx.conf'), 'utf8'), 'worker_connections 64;')
  const { hostname, port } = new URL(running.target.url)
  const { stdout } = await run([...network.enter, process.execPath, '-e', `(${holdOpen})('${hostname}', ${port})`], {
    timeoutSeconds: 30
  })
  t.equal(stdout, 'one of 64 was closed', 'nginx uses some of the 64 connections itself')
})

t.test('nginx serves files without a server, compressed for clients that accept gzip', async t => {
  const gzip = { 'Accept-Encoding': 'gzip' }
  const sizes = await Promise.all([
    staged(t, 'nginx/files', { path: '/page.html', headers: gzip }),
    staged(t, 'nginx+gzip/files', { path: '/page.html', headers: gzip }),
    staged(t, 'nginx+gzip_static/files', { path: '/page.html', headers: gzip })
  ].map(async arm => {
    const { running, bytesPerResponse } = await arm
    t.equal(await running.origin(), null, 'no server behind nginx')
    t.strictSame(running.pids().server, [])
    return Number(bytesPerResponse)
  }))
  const [plain, fly, ready] = sizes
  t.ok(plain > 8550, `${plain} bytes with the headers of a page of 8,550`)
  t.ok(fly < 0.6 * plain, `${fly} compressed on the fly`)
  t.ok(ready < fly, `${ready} compressed beforehand, at the highest level`)
})

for (const [spec, each] of [['nginx:tcp+balance=round-robin/http-json@node:3', true], [
  'nginx:uds+balance=least-conn+workers=2/http-json@node:3',
  false
]]) {
  t.test(`${spec} spreads requests over its processes`, async t => {
    const arm = await staged(t, String(spec))
    const { running } = arm
    await countRequests(arm, 90)
    const requests = (await running.origin())?.workers ?? []
    t.equal(requests.length, 3)
    t.equal(running.pids().server.length, 3)
    const total = requests.reduce((sum, { requests }) => sum + requests, 0)
    t.equal(total, 290, 'the gate sent 200 of the requests')
    if (each) t.ok(requests.every(({ requests }) => Math.abs(requests - total / 3) <= 1), 'equal shares')
    else t.ok(requests.every(({ requests }) => requests > 0), 'every process gets requests')
  })
}
