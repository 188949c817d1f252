import { join } from 'node:path'
import { execa } from 'execa'
import t from '../../support/tap.js'
import { findLabCongestionControl, openNetwork } from '../../../bench/machine/network/lab.js'
import { run, start, waitUntil } from '../../../bench/machine/process.js'
import { findTool } from '../../../bench/machine/tools.js'
import { waitUntilListening } from '../../../bench/topology/start/wait-until-listening.js'
import { listening } from '../../support/listening.js'
import { skipWithout } from '../../support/needs.js'
import { tempFolder } from '../../support/temp.js'

/** @import { Test } from 'tap' */

const skip = skipWithout('namespaces')

/**
 * @param {Test} t
 * @param {Partial<Parameters<typeof openNetwork>[0]>} [options]
 */
async function open (t, options = {}) {
  const dir = tempFolder(t)
  const network = await openNetwork({ name: 'it', dir, private: true, ...options })
  t.teardown(() => network.close())
  return network
}

t.test('a private network has its own loopback interface and ports', { skip }, async t => {
  const [one, other] = [await open(t), await open(t)]
  t.equal(await one.port(8080), 8080)
  const listen =
    `require('node:http').createServer((req, res) => res.end('mine')).listen(8080, '127.0.0.1', async function () {
    console.log(await (await fetch('http://127.0.0.1:8080')).text())
    this.close()
    this.closeAllConnections()
  })`
  const answers = await Promise.all([one, other].map(({ enter }) => run([...enter, process.execPath, '-e', listen])))
  for (const { stdout, stderr } of answers) t.equal(stdout, 'mine', stderr)
})

t.test('served programs run in the private network under a user id other than 0', { skip }, async t => {
  const { enter, enterServed } = await open(t)
  const [outer, served] = await Promise.all(
    [enter, enterServed].map(argv => run([...argv, 'readlink', '/proc/self/ns/net']))
  )
  t.equal(served.stdout, outer.stdout, 'the same network')
  t.not(outer.stdout, (await run(['readlink', '/proc/self/ns/net'])).stdout, 'and not the host\'s')
  t.not((await run([...enterServed, 'id', '-u'])).stdout, '0')
})

t.test('names the holder of a port in a private network for a program that has ended', { skip }, async t => {
  const { enterServed } = await open(t)
  const dir = t.testdir({})
  const code = "require('node:net').createServer().listen(8080, '127.0.0.1', () => console.log('up'))"
  const toSpec = (/** @type {string} */ name) =>
    ({ name, argv: [process.execPath, '-e', code], enter: enterServed, log: join(dir, `${name}.log`) })
  const first = start(toSpec('first'))
  t.teardown(() => first.stop({ signal: 'SIGKILL' }))
  await waitUntil(first, () => first.tail().includes('up'))
  const second = start(toSpec('second'))
  t.teardown(() => second.stop({ signal: 'SIGKILL' }))
  await second.exited
  const address = /** @type {const} */ ({ kind: 'tcp', host: '127.0.0.1', port: 8080 })
  await t.rejects(waitUntilListening(second, address, async () => false, 5),
    { code: 'port-in-use', details: { holder: 'node inside the private network of its topology' } })
})

t.test('kernel settings of a private network do not change those of the host', { skip }, async t => {
  const setting = '/proc/sys/net/ipv4/tcp_tw_reuse'
  const host = (await run(['cat', setting])).stdout
  const wanted = host === '0' ? '1' : '0'
  const { enter } = await open(t, { sysctl: { 'net.ipv4.tcp_tw_reuse': wanted } })
  t.equal((await run([...enter, 'cat', setting])).stdout, wanted)
  t.equal((await run(['cat', setting])).stdout, host)
})

/**
 * Opens a TCP connection in a network and returns the congestion control of both of its ends.
 * @param {string[]} enter
 * @param {string} address
 */
async function findControls (enter, address) {
  const ss = await findTool({ program: 'ss', packages: { debian: ['iproute2'] } })
  const code = `const net = require('node:net')
    const server = net.createServer().listen(8080, '${address}', () => {
      server.once('connection', () => {
        process.stdout.write(require('node:child_process').execFileSync('${ss.path}', ['-tinH']))
        process.exit()
      })
      net.connect(8080, '${address}')
    })`
  const { stdout } = await run([...enter, process.execPath, '-e', code], { env: ss.env })
  return [...stdout.matchAll(/^\t\s*(\w+)/gm)].map(([, control]) => control)
}

t.test('a private network uses cubic with any setting of the host, or what an arm sets', { skip }, async t => {
  const [plain, own, linked] = [
    await open(t), await open(t, { sysctl: { 'net.ipv4.tcp_congestion_control': 'reno' } }),
    await open(t, { net: 'gigabit' })
  ]
  t.equal(await findLabCongestionControl(), 'cubic')
  t.strictSame(await findControls(plain.enter, plain.address), ['cubic', 'cubic'])
  t.strictSame(await findControls(own.enter, own.address), ['reno', 'reno'])
  t.strictSame(await findControls(linked.enterBeside, linked.address), ['cubic', 'cubic'])
  await t.rejects(open(t, { sysctl: { 'net.ipv4.tcp_congestion_control': 'none-such' } }), {
    code: 'bad-sysctl', message: /tcp_congestion_control=none-such" is invalid: this kernel does not offer it/
  })
})

t.test('--net gigabit makes two networks, limited to 1 Gbit/s at both ends of their link', { skip }, async t => {
  const { enter, enterBeside, enterServed, address, link } = await open(t, { net: 'gigabit' })
  const networkOf = async (/** @type {string[]} */ argv) =>
    (await run([...argv, 'readlink', '/proc/self/ns/net'])).stdout
  const [clients, beside, served] = await Promise.all([enter, enterBeside, enterServed].map(networkOf))
  t.equal(beside, served)
  t.not(clients, served)
  t.equal(link?.bitsPerSecond, 1e9)
  const listening = start({
    name: 'a server',
    argv: [process.execPath, '-e',
      `require('node:http').createServer((req, res) => res.end('here')).listen(8080, '${address}', () => ` +
      'console.log(\'up\'))'],
    enter: enterServed,
    log: join(t.testdir({}), 'log')
  })
  t.teardown(() => listening.stop())
  await waitUntil(listening, () => listening.tail() === 'up')
  const ask = `fetch('http://${address}:8080').then(answer => answer.text()).then(console.log)`
  t.equal((await run([...enter, process.execPath, '-e', ask])).stdout, 'here', 'they reach each other')
  const tc = await findTool({ program: 'tc', packages: { debian: ['iproute2'] } })
  for (const [argv, device] of /** @type {const} */ ([[enterBeside, link?.device], [enter, 'hop1']])) {
    t.match((await run([...argv, tc.path, 'qdisc', 'show', 'dev', String(device)], { env: tc.env })).stdout,
      /qdisc tbf .* rate 1Gbit/)
  }
})

t.test('on the shared loopback skips used ports, and rejects kernel settings and links', async t => {
  await t.rejects(open(t, { private: false, net: 'gigabit' }), { code: 'lab-needed', message: /--net gigabit/ })
  const shared = await open(t, { private: false })
  t.strictSame(shared.enter, [])
  const port = await listening(t)
  t.not(await shared.port(port), port)
  const given = await Promise.all(Array.from({ length: 8 }, () => shared.port(18080)))
  t.equal(new Set(given).size, 8, 'returns each port once, before any program listens on it')
  const another = await execa(process.execPath, ['--input-type=module', '--eval',
    "console.log(await (await import('./bench/machine/network/ports.js')).freePort(18080, '127.0.0.1'))"])
  t.notOk(given.includes(Number(another.stdout)), 'another process gets another port')
  t.ok(Number(another.stdout) > 18080)
  await t.rejects(open(t, { private: false, sysctl: { 'net.core.somaxconn': '1' } }), { code: 'lab-needed' })
})
