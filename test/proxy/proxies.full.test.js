/** Proxies other than nginx: their configurations, transports and counters, and a pause under load. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import t from '../support/tap.js'
import { fetchResponses } from '../../bench/measure/gate/gate.js'
import { findProxies } from '../../bench/measure/find-programs.js'
import { freePort, releasePort } from '../../bench/machine/network/ports.js'
import { run } from '../../bench/machine/process.js'
import { transports } from '../../bench/plan/spec.js'
import { loadPlugin, pluginNames } from '../../bench/plan/plugins.js'
import { armFrom } from '../../bench/request/request.js'
import { describeSpec } from '../support/describe.js'
import { skipWithout, skipWithoutProgram } from '../support/needs.js'
import { countRequests, staged } from '../support/stage.js'

/**
 * @import { Test } from 'tap'
 * @import { StagedArm } from '../../bench/measure/types.js'
 * @import { ProxyPlugin, ProxyProgram } from '../../bench/types.js'
 */

const OWN_TESTS = ['nginx'] // Tested in test/proxy/nginx.system.test.js.
/**
 * Options that all available versions support, each of them once.
 * @type {Record<string, string[]>}
 */
const OPTIONS = {
  apache: ['+gzip', '+mpm=prefork+processes=7+gzip+gzip_comp_level=9', '+mpm=worker+cache=5s+lock+stale',
    '+cache=5s+store=socache+lock'],
  haproxy: ['', '+threads=2+gzip', '+http_reuse=always+pool=10+http_no_delay', '+balance=least-conn+master'],
  caddy: ['', '+gzip+gzip_comp_level=9+gzip_min_length=1', '+pool=10', '+balance=least-conn+admin'],
  varnish: ['', '+gzip+gzip_comp_level=9', '+cache=5s+lock=off', '+cache=1h+stale=off'],
  traefik: ['', '+gzip+gzip_min_length=1+threads=1', '+pool=10', '+balance=leasttime'],
  envoy: ['', '+threads=2+gzip+gzip_comp_level=9+gzip_min_length=1', '+balance=least-conn', '+balance=round-robin']
}
/**
 * Port for checks, because Varnish listens even during a check. The port is below the ephemeral ports, which a closed
 * connection may still hold.
 */
const WANTED_PORT = 18080
const COUNTS_CONNECTIONS = ['haproxy', 'varnish', 'envoy']
/** Length of a pause, beyond the watchdog of HAProxy (1 s) and the ping interval of Varnish's manager (3 s). */
const PAUSE_MS = 6000
const WAITING = 400 // Clients: more than the threads that Varnish starts with.
const atOnce = fileURLToPath(new URL('../support/clients-at-once.js', import.meta.url))

/**
 * Replaces accounts and folders of the Debian package, which this machine may lack.
 * @param {string} text
 * @param {ProxyProgram | null} program
 * @param {string} dir
 */
const toLocal = (text, program, dir) => text.replace(/^ {4}(user|group) haproxy$/gm, '')
  .replaceAll(`"${program?.modules?.installed}/`, `"${program?.modules?.folder}/`)
  .replaceAll(/"\/(etc|run|var\/[a-z]+)\/apache2/g, `"${dir}`)
  .replaceAll(/^(User|Group) \w+$/gm, '$1 #65534')

/**
 * Lets the program check a configuration.
 * @param {string} spec
 * @param {'measure' | 'home'} [purpose]
 */
async function verdictOn (spec, purpose) {
  const dir = mkdtempSync(join(tmpdir(), 'hb-'))
  const front = await freePort(WANTED_PORT, '127.0.0.1')
  try {
    const arm = await armFrom(spec, { connections: 10 })
    const program = (await findProxies([arm])).get(String(arm.topology.proxy?.name)) ?? null
    const context = { dir, root: dir, ports: { front, origin: 13000 }, cores: 2, clients: 10, proxy: program }
    const { proxy } = describeSpec(arm.topology, context, purpose)
    if (!proxy) throw new Error('no proxy')
    for (const folder of proxy.folders) mkdirSync(folder, { recursive: true })
    for (const [file, text] of Object.entries(proxy.files)) writeFileSync(join(dir, file), toLocal(text, program, dir))
    const { exit, stdout, stderr } = await run(proxy.check, { env: proxy.env, cwd: dir })
    // A warning of Apache is a fault, too.
    const isSilent = arm.topology.proxy?.name !== 'apache' || stderr.trim() === 'Syntax OK'
    return exit === 0 && isSilent ? 'accepted' : stderr || stdout
  } finally {
    releasePort(front)
    rmSync(dir, { recursive: true })
  }
}

/**
 * Pauses all processes of an arm, and sends requests afterwards.
 * @param {Test} t
 * @param {StagedArm} arm
 */
async function servesAfterPause (t, arm) {
  const before = arm.running.pids().proxy
  arm.running.pause()
  await sleep(PAUSE_MS)
  arm.running.resume()
  const { failures, front, requests } = await countRequests(arm, 100)
  t.strictSame(failures, [])
  t.strictSame([front, requests], [100, 100])
  t.strictSame(arm.running.pids().proxy, before, 'the same processes')
  t.equal(arm.running.failure(), null)
}

t.jobs = 3 // The tests mostly wait: each proxy is paused once, and each start is waited for.

for (const proxy of pluginNames('proxy').filter(name => !OWN_TESTS.includes(name))) {
  /** @type {{ default: ProxyPlugin }} */
  const { default: { about } } = await loadPlugin('proxy', proxy)
  const options = OPTIONS[proxy] ?? ['']
  const reached = about.transports ?? transports
  const [pooled = reached[0]] = reached.filter(transport => transport.endsWith('keepalive'))
  const skip = Object.hasOwn(OPTIONS, proxy)
    ? skipWithout(proxy)
    : skipWithoutProgram(about.program, about.packages.debian)
  t.test(proxy, { skip, buffered: true }, async t => {
    t.test('accepts its measured and its recommended configuration with every option', async t => {
      for (const option of options) {
        const instances = option.includes('balance') ? '@node:2' : ''
        for (const purpose of /** @type {const} */ (['measure', 'home'])) {
          t.equal(await verdictOn(`${proxy}:${pooled}${option}/http-json${instances}`, purpose), 'accepted',
            `${option} ${purpose}`)
        }
      }
    })

    for (const transport of reached) {
      const also = transport === pooled ? ', also after a pause' : ''
      t.test(`uses ${transport} to the server, and counts every request${also}`, async t => {
        const arm = await staged(t, `${proxy}:${transport}/http-json`)
        const { failures, front, seconds, accepted, requests, connections, listening } = await countRequests(arm, 100)
        t.strictSame(failures, [])
        t.equal(front, 100, 'reading the counters is not counted')
        t.ok(seconds > 0, 'the clock advances')
        t.equal(requests, 100)
        t.equal(listening, transport.startsWith('uds') ? 'unix' : 'tcp')
        if (transport.endsWith('keepalive')) t.ok(connections <= 10, `${connections} connections, of 10 clients`)
        else t.equal(connections, 100, 'a connection for each request')
        if (COUNTS_CONNECTIONS.includes(proxy)) t.ok(Number(accepted) > 0, 'counts the connections that it accepts')
        else t.notOk(accepted === 0, 'counts connections, or returns null')
        t.strictSame(arm.running.noted().filter(({ cache }) => cache === null), [], 'no errors in the log')
        if (transport === pooled) await servesAfterPause(t, arm)
      })
    }
  })
}

t.test('Varnish serves all clients that sent requests while it was paused', {
  skip: skipWithout('varnish'), buffered: true
}, async t => {
  const { running, network } = await staged(t, 'varnish:uds-keepalive/http-json', { connections: WAITING })
  const [program, ...args] = [...network.enter, process.execPath, atOnce, `${running.target.url}/`, String(WAITING)]
  const clients = execa(program, args, { reject: false, timeout: 60_000 })
  const lines = clients[Symbol.asyncIterator]()
  t.equal((await lines.next()).value, 'ready')
  running.pause()
  clients.stdin?.write('go\n')
  t.equal((await lines.next()).value, 'sent')
  running.resume()
  t.strictSame(JSON.parse((await lines.next()).value ?? '{}'), { 200: WAITING }) || t.comment((await clients).stderr)
})

/**
 * Kills the server of an arm, and sends requests.
 * @param {StagedArm} arm
 */
async function requestWithoutServer ({ arm, running, network }, times = 1) {
  for (const pid of running.pids().server) process.kill(pid, 'SIGKILL')
  await fetchResponses({ target: running.target, load: arm.load, network, times })
}

/**
 * Waits until an arm has noted a number of lines: a proxy may log a response after the client has received it.
 * @param {StagedArm} arm
 */
async function notedStatuses ({ running }, count = 1) {
  let noted = running.noted()
  for (let attempts = 0; noted.length < count && attempts < 100; attempts++) {
    await sleep(50)
    noted = [...noted, ...running.noted()]
  }
  return noted.map(({ status }) => status)
}

for (const proxy of ['haproxy', 'varnish', 'envoy']) {
  t.test(`${proxy} logs its own errors when the server has ended`, {
    skip: skipWithout(proxy), buffered: true
  }, async t => {
    const arm = await staged(t, `${proxy}:keepalive/http-json`)
    arm.running.noted()
    await requestWithoutServer(arm)
    t.strictSame(await notedStatuses(arm), [503])
  })
}

t.test('caddy logs its own errors, and counts those of hidden files', {
  skip: skipWithout('caddy'), buffered: true
}, async t => {
  const files = await staged(t, 'caddy/files', { path: '/1kb.json' })
  t.match(await countRequests(files, 3, '/.env'), { front: 3, non2xx: 3 }, 'hidden files are counted')
  files.running.noted()
  await countRequests(files, 3, '/nothing')
  t.strictSame(await notedStatuses(files, 3), [404, 404, 404], 'missing files are logged')
  const arm = await staged(t, 'caddy:keepalive/http-json')
  await requestWithoutServer(arm)
  t.strictSame(await notedStatuses(arm), [502])
})

t.test('Traefik counts its own errors by status', { skip: skipWithout('traefik'), buffered: true }, async t => {
  const arm = await staged(t, 'traefik:keepalive/http-json')
  const before = await arm.running.front()
  await requestWithoutServer(arm, 3)
  const after = await arm.running.front()
  t.strictSame([after.requests - before.requests, (after.non2xx ?? 0) - (before.non2xx ?? 0)], [3, 3])
})

t.test('Varnish forwards range requests to the app', { skip: skipWithout('varnish'), buffered: true }, async t => {
  const headers = { Range: 'lines=0-4' }
  const arm = await staged(t, 'varnish:tcp/express-static', { path: '/page.html', headers })
  t.strictSame((await countRequests(arm, 1, '/page.html')).failures, [])
  t.strictSame(arm.running.noted(), [], 'an unknown range unit is not an error')
})

t.test('the cache of Varnish serves all requests except the first', {
  skip: skipWithout('varnish'), buffered: true
}, async t => {
  const arm = await staged(t, 'varnish:uds+cache=1h/express-json')
  const { front, requests, failures } = await countRequests(arm, 100)
  t.strictSame(failures, [])
  t.strictSame([front, requests], [100, 0], 'the gate has filled the cache')
  t.ok(arm.running.noted().every(({ status }) => status === 200), 'only misses are logged')
})

t.test('an older HAProxy rejects a newer option with its own message', { skip: skipWithout('haproxy'), buffered: true },
  async t => {
    const arm = await armFrom('haproxy:uds/http-json', { connections: 10 })
    const [major, minor] = (await findProxies([arm])).get('haproxy')?.version.split('.').map(Number) ?? []
    const isSupported = major > 2 || minor >= 9
    const verdict = await verdictOn('haproxy:uds+zero_copy=off/http-json')
    if (isSupported) t.equal(verdict, 'accepted')
    else t.match(verdict, /unknown keyword 'tune.disable-zero-copy-forwarding'/)
  })
