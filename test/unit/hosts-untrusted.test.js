import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import t from '../support/tap.js'
import { HopbenchError } from '../../bench/errors.js'
import { Channel } from '../../bench/studies/remote/channel.js'
import { enginesOver } from '../../bench/studies/remote/load-client.js'
import { serveLoad } from '../../bench/studies/remote/load-service.js'
import { unpackError } from '../../bench/studies/remote/received.js'
import { openRigOver } from '../../bench/studies/remote/rig-client.js'
import { fakeEngines, fakeGenerator } from '../support/fake-engines.js'
import { channels } from '../support/channels.js'

t.test('removes control characters from messages of another machine and rebuilds its errors', async t => {
  const [local, remote] = channels(t)
  remote.serve('text', () => ({ 'a\x1b[2J': ['b\x1b]0;title\x07\tc\nd\u202e\x9b31m'] }))
  const packed = { code: 'host-unreachable', details: { host: 'a\x1b[2J\nb', url: 'u', why: 'x'.repeat(1e5) } }
  t.equal(unpackError(packed)?.message.includes('\x1b'), false)
  t.ok(Number(unpackError(packed)?.message.length) < 2000)
  for (const nonsense of [null, 5, [], { code: 'constructor' }, { code: '__proto__' }, { code: 'hosts-differ' },
    { code: 'hosts-differ', details: { hosts: 5 } }, { code: 'host-unreachable', details: 'x' }]) {
    const error = unpackError(nonsense)
    t.ok(error === null || error instanceof HopbenchError, JSON.stringify(nonsense))
  }
  local.listen()
  remote.listen()
  t.strictSame(await local.request('text'), { 'a[2J': ['b]0;title\tc\nd31m'] })
})

t.test('closes the link to a machine that sends an invalid response, and stores nothing of the response', async t => {
  const answers = {
    'load/engine': [null, {}, { version: 5 }, { version: '1', more: 1 }],
    'load/start': ['0', -1, 0.5, null],
    'load/cpu': [{ seconds: -1, atSeconds: 1, alive: true }, { seconds: 1 }],
    'load/counts': [{ requests: -1, atSeconds: 1, isIdle: true }, { requests: 1 }],
    'load/failure': ['x', { code: 5, details: {} }],
    'host/environment': [null, { cpu: 'x' }],
    'rig/finish': [['a'], [['a', 'b']]],
    'rig/close': [{ 'a/nginx.conf': 5 }, 'x', { 'a/a.log': 'x'.repeat(2 << 20) }],
    'load/finished': [{ report: { measurement: { requests: -1 }, sampled: 0 }, logs: {} }]
  }
  for (const [method, wrong] of Object.entries(answers)) {
    for (const answer of wrong) {
      const [local, remote] = channels(t)
      remote.serve(method, () => answer)
      local.listen()
      remote.listen()
      const params = method === 'load/engine' ? 'wrk' : method === 'load/finished' ? { id: 0, graceSeconds: 1 } : 0
      await t.rejects(local.request(method, method === 'load/start' ? startOrder() : params), { code: 'host-answer' },
        `${method}: ${JSON.stringify(answer)?.slice(0, 80)}`)
      t.match(await local.lost, { code: 'host-answer' })
    }
  }
})

const startOrder = (target = {}) => ({
  engine: 'autocannon',
  order: {
    name: 'it',
    load: { engine: 'autocannon', connections: 1, path: '/', headers: {} },
    target: { url: 'http://10.0.0.1:80', socketPath: null, ...target },
    maxSeconds: 1
  }
})

t.test('rejects file names outside the target folder from a load generator and from a rig', async t => {
  const names = ['../../pwned.txt', '/pwned.log', '..', '../x.log', 'a/../../x.log', 'a\\..\\x.log', 'x\n.log', '', '.',
    'run.json', 'a/run.json', 'b/x.conf', `${'x'.repeat(300)}.log`, '../samples.jsonl']
  for (const name of names) {
    const dir = t.testdir({ run: {}, load: {} })
    const [local, remote] = channels(t)
    remote.serve('load/engine', () => ({ version: '9.0.0' }))
    remote.serve('load/start', () => 0)
    remote.serve('load/end', () => ({ report: null, logs: { [name]: 'pwned' } }))
    remote.serve('rig/open', () => ({
      lost: [], refused: [], tools: {}, slowerUsers: null, engine: 'wrk', switchedFor: null, instead: null
    }))
    remote.serve('rig/close', () => ({ [name]: 'pwned' }))
    local.listen()
    remote.listen()
    const { load, ...order } = startOrder().order
    const rig = await openRigOver(local, /** @type {any} */ ({ arms: [{ name: 'a' }] }), {
      keepIn: join(dir, 'run'), engine: 'wrk', mayswitch: false, maxSeconds: 1, note: () => {}
    })
    const generator = await (await enginesOver(local).find('autocannon')).start(/** @type {any} */ ({
      ...order, load, dir: join(dir, 'load'), target: { ...order.target, expectBody: null }
    }))
    if (name !== 'b/x.conf') await t.rejects(generator.end(), { code: 'host-answer' }, JSON.stringify(name))
    await rig.close()
    t.match(await local.lost, { code: 'host-answer' }, JSON.stringify(name))
    t.strictSame(readdirSync(dir, { recursive: true }).sort(), ['load', 'run'], 'writes nothing')
  }
})

t.test('a served host can only request load on itself', async t => {
  const urls = ['http://10.0.0.2:80', 'http://10.0.0.1.evil:80', 'http://127.0.0.1:80', 'file:///etc/passwd', 'x']
  for (const target of [...urls.map(url => ({ url })), { socketPath: '/var/run/docker.sock' }]) {
    const [rig, loader] = channels(t)
    const dir = t.testdir({})
    serveLoad(loader, fakeEngines('1', () => fakeGenerator()), dir, { onlyTo: '10.0.0.1' })
    rig.listen()
    loader.listen()
    const started = rig.request('load/start', startOrder(target))
    await t.rejects(started, { code: /^host-(answer|lost)$/ }, JSON.stringify(target))
    t.match(await loader.lost, { code: 'host-answer' })
    t.strictSame(readdirSync(dir), [])
  }
})

t.test('rejects messages without an end or with an invalid length', async t => {
  const [body, huge] = ['{"jsonrpc":"2.0","method":"beat"}', 'Content-Length: 999999999\r\n\r\n']
  const wrong = [huge, 'x'.repeat(1000), 'Content-Length: -5\r\n\r\n{}', 'Content-Length: 0\r\n\r\n', 'A: b\r\n\r\n',
    `Content-Length: ${body.length}\r\nX: y\r\n\r\n${body}`, 'Content-Length: 5\r\n\r\n{{{{{',
    '\0\x01\xff'.repeat(200)]
  for (const bytes of wrong) {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const channel = new Channel('it', { input, output })
    channel.listen()
    input.write(bytes)
    t.match(await channel.lost, { code: 'host-answer' }, JSON.stringify(bytes.slice(0, 40)))
  }
})
