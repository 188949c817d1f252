/** The kit for systemd under a real systemd, as process 1 of a container. */
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from '../../../support/tap.js'
import { run } from '../../../../bench/machine/process.js'
import { makeBase } from '../../../support/docker-base.js'
import { openEngine } from '../../../support/docker-engine.js'
import { getByTls } from '../../../support/docker-kits.js'
import { get, within } from '../../../support/kit-checks.js'
import { skipWithout } from '../../../support/needs.js'
import { BASE, bootMachine, writeMachine } from '../../../support/systemd-machine.js'

/**
 * @import { Test } from 'tap'
 * @import { Machine } from '../../../support/systemd-machine.js'
 */

const load = fileURLToPath(new URL('../../../support/new-connections.js', import.meta.url))
const MEMORY_MIB = 200
/** Size of a response that a slow client leaves in nginx's temporary file, above the limit of memory. */
const LARGE_MIB = 400
const APP = `
import { setTimeout as sleep } from 'node:timers/promises'
const piece = Buffer.alloc(2 ** 20)
const kept = []
let sent = 0
const paths = {
  '/exit': () => process.exit(7),
  '/grow': () => { for (;;) kept.push(Buffer.alloc(2 ** 24, 1)) },
  '/slow': async res => { await sleep(3000); res.end('slow') },
  '/large': async res => {
    for (; sent < ${LARGE_MIB}; sent++) if (!res.write(piece)) await new Promise(ok => res.once('drain', ok))
    res.end()
  },
  '/sent': res => res.end(String(sent))
}
export default (req, res) => paths[req.url]?.(res) ?? res.end(String(process.pid))
export const upgrade = (req, socket) => {
  socket.on('error', () => {})
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nConnection: Upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n')
}
`
/** App by command, whose WebSockets only nginx closes. */
const SERVER = `
import http from 'node:http'
import handler, { upgrade } from './app.mjs'
const server = http.createServer(handler).on('upgrade', upgrade).listen(process.env.SOCKET)
process.once('SIGTERM', () => server.close(() => process.exit(0)))
`
const START_SECONDS = 30
const LOAD_SECONDS = 60
/** Longest restart of a module, which closes its WebSockets and has a request of 3 s in flight. */
const RESTART_SECONDS = 8
/** Longest restart of a command: after 10 s nginx closes the WebSocket, and then the app gets 3 s. */
const COMMAND_RESTART_SECONDS = 16
const skip = skipWithout('docker', 'registry')

t.test('the kit for systemd', { skip }, async t => {
  const engine = await openEngine(t)
  await makeBase(engine, BASE)
  const files = { 'app.mjs': APP, 'server.mjs': SERVER, 'package.json': '{ "name": "shop" }' }
  const kits = {
    module: { spec: 'nginx:uds-keepalive/./app.mjs', args: ['--memory', String(MEMORY_MIB)], files },
    command: {
      spec: 'nginx:uds-keepalive+tls=ecdsa-p256/app', args: ['--app', 'node server.mjs', '--listen', '$SOCKET'], files
    }
  }
  for (const [name, kit] of Object.entries(kits)) await engine.build(await writeMachine(t, kit), name)
  await engine.isolate()

  await t.test('of a module', async t => {
    const machine = await bootMachine(t, engine, 'module')
    await machine.start()
    const client = await machine.open(80)
    await responds(client)
    t.equal(await machine.show('ActiveState'), 'active')
    await t.test('lets no other account reach the app', t => isClosedToOthers(t, machine))
    await t.test('writes each request to the journal', t => isLogged(t, machine, client))
    await t.test('refuses no connection while it restarts', async t =>
      losesNothing(t, await restart(machine, { client, port: 80 }), RESTART_SECONDS))
    await t.test('starts again after each of six quick failures', t => survivesFailures(t, machine, client))
    await t.test('keeps slow downloads out of the memory', t => downloadsSlowly(t, machine, client))
    await t.test('replaces an app that exceeds the limit of memory', t => outgrows(t, machine, client))
    await t.test('ends all of its processes when it is stopped', t => stops(t, machine))
    await t.test('refuses connections without its socket', t => refusesWithoutSocket(t, machine, client))
  })

  await t.test('of a command with TLS', async t => {
    const machine = await bootMachine(t, engine, 'command')
    await machine.start()
    const client = await machine.open(443)
    await responds(client, getByTls)
    t.match(await get(await machine.open(80), '/x'), { status: 308, headers: { location: 'https://shop.example/x' } })
    const first = await getByTls(client, '/')
    await machine.sh('cp -r /srv/renewed/. /etc/ssl/')
    losesNothing(t, await restart(machine, { client, port: 443 }), COMMAND_RESTART_SECONDS)
    t.not((await getByTls(client, '/')).certificate, first.certificate, 'the renewed certificate is used')
    await stops(t, machine)
  })
})

/**
 * @param {string} client
 * @param {typeof get | typeof getByTls} [send]
 */
const responds = (client, send = get) => within(START_SECONDS, 'it responds',
  () => send(client, '/').then(({ status }) => status === 200, () => false))

/**
 * @param {Test} t
 * @param {Machine} machine
 */
async function isClosedToOthers (t, machine) {
  t.equal(await machine.sh('stat -c %a /run/shop /run/shop/app.sock'), '750\n660')
  const [app, nginx] = (await machine.sh('for unit in shop shop-nginx; do stat -c %u ' +
    '/proc/$(systemctl show --value --property MainPID $unit); done')).split('\n')
  t.not(app, nginx)
  t.not((await machine.call('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', 'ls', '/run/shop')).exit, 0)
}

/**
 * @param {Test} t
 * @param {Machine} machine
 * @param {string} client
 */
async function isLogged (t, machine, client) {
  await get(client, '/?logged')
  await within(10, 'the journal has the line', async () => (await machine.journal()).includes('/?logged'))
  t.match(await machine.journal(), /"GET \/\?logged HTTP\/1\.1" 200 \d+ .* [\d.]+ [\d.]+ 200/)
}

/**
 * Restarts the unit while clients open connections, a WebSocket is open, and a request is in flight.
 * @param {Machine} machine
 * @param {{ client: string, port: number }} address
 * @returns {Promise<{ seconds: number, slow: string, faults: string[], slowestMs: number }>} slow: response in flight
 */
async function restart (machine, { client, port }) {
  const send = port === 443 ? getByTls : get
  const before = await machine.show('MainPID')
  const [end, started] = ['restarted', 'started'].map(name => join(dirname(client), `${name}-${before}`))
  const loaded = run([...machine.enter, process.execPath, load, String(port), end, started],
    { env: { NODE_OPTIONS: '' }, timeoutSeconds: LOAD_SECONDS })
  await within(START_SECONDS, 'requests are answered', () => existsSync(started))
  const { closed } = await openWebSocket(client, port)
  const slow = send(client, '/slow')
  const at = performance.now()
  await machine.succeed('systemctl', 'restart', 'shop')
  const seconds = (performance.now() - at) / 1000
  await closed
  await responds(client, send)
  if (await machine.show('MainPID') === before) throw new Error('the unit did not restart')
  writeFileSync(end, '')
  const { stdout, stderr } = await loaded
  return { seconds, slow: (await slow).body, ...JSON.parse(stdout || JSON.stringify({ faults: [stderr] })) }
}

/**
 * Asserts that a restart lost no request.
 * @param {Test} t
 * @param {Awaited<ReturnType<typeof restart>>} restarted
 * @param {number} maxSeconds
 */
function losesNothing (t, { seconds, slow, faults, slowestMs }, maxSeconds) {
  t.equal(slow, 'slow', 'the request in flight gets its response')
  t.strictSame(faults, [], `the slowest response after ${slowestMs} ms`)
  t.ok(seconds < maxSeconds, `${seconds} s with an open WebSocket`)
}

/**
 * Restarts a unit without its socket, which is the fault that this test must find.
 * @param {Test} t
 * @param {Machine} machine
 * @param {string} client
 */
async function refusesWithoutSocket (t, machine, client) {
  await machine.sh(`cd /etc/systemd/system
    rm shop-nginx.socket
    sed -i /shop-nginx.socket/d shop-nginx.service
    systemctl daemon-reload
    systemctl start shop-nginx`)
  await responds(client)
  const { faults } = await restart(machine, { client, port: 80 })
  t.ok(faults.some(fault => fault.includes('ECONNREFUSED')), `${faults.length} requests failed`)
}

/**
 * Opens a WebSocket.
 * @param {string} socketPath
 * @param {number} port
 * @returns {Promise<{ closed: Promise<unknown> }>}
 */
const openWebSocket = (socketPath, port) => new Promise((resolve, reject) => {
  const { get: send } = port === 443 ? https : http
  const headers = { host: 'shop.example', Connection: 'Upgrade', Upgrade: 'websocket' }
  const options = { socketPath, path: '/', headers, agent: false, rejectUnauthorized: false }
  send(options)
    .on('upgrade', (response, socket) => {
      socket.on('error', () => {}).resume()
      resolve({ closed: once(socket, 'close', { signal: AbortSignal.timeout(LOAD_SECONDS * 1000) }) })
    })
    .on('response', response => reject(new Error(`status ${response.statusCode}`)))
    .on('error', reject)
})

/**
 * @param {Test} t
 * @param {Machine} machine
 * @param {string} client
 */
async function survivesFailures (t, machine, client) {
  for (let failure = 1; failure <= 6; failure++) {
    const before = await machine.show('MainPID')
    await get(client, '/exit').catch(() => {})
    await within(START_SECONDS, 'it has ended', async () => await machine.show('MainPID') !== before)
    await responds(client)
  }
  t.equal(await machine.show('ActiveState'), 'active')
  t.ok(Number(await machine.show('NRestarts')) >= 6)
}

/**
 * @param {Test} t
 * @param {Machine} machine
 * @param {string} client
 */
async function downloadsSlowly (t, machine, client) {
  const before = await machine.show('MainPID')
  const response = await new Promise((/** @type {(value: http.IncomingMessage) => void} */ resolve, reject) => {
    http.get({ socketPath: client, path: '/large', agent: false }, resolve).on('error', reject)
  })
  await within(START_SECONDS, 'nginx has the whole response', async () =>
    (await get(client, '/sent')).body === String(LARGE_MIB))
  t.match(await machine.journal(), 'buffered to a temporary file /var/cache/shop/temp-proxy/')
  t.not(await machine.sh('stat -f -c %T /var/cache/shop/'), 'tmpfs')
  t.equal(await machine.show('MainPID'), before)
  response.destroy()
}

/**
 * @param {Test} t
 * @param {Machine} machine
 * @param {string} client
 */
async function outgrows (t, machine, client) {
  t.equal(await machine.show('MemoryMax'), String(MEMORY_MIB * 2 ** 20))
  const before = await machine.show('MainPID')
  await get(client, '/grow').catch(() => {})
  await within(START_SECONDS, 'it is replaced', async () => await machine.show('MainPID') !== before)
  await responds(client)
  t.match(await machine.journal(), /killed by the OOM killer|status=9\/KILL/)
}

/**
 * @param {Test} t
 * @param {Machine} machine
 */
async function stops (t, machine) {
  await machine.succeed('systemctl', 'stop', 'shop-nginx.socket', 'shop-nginx', 'shop')
  t.equal(await machine.show('Result'), 'success')
  t.notMatch(await machine.sh('cat /proc/[0-9]*/comm'), /node|nginx/)
}
