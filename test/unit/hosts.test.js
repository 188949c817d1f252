import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import t from '../support/tap.js'
import { HopbenchError } from '../../bench/errors.js'
import { Channel } from '../../bench/studies/remote/channel.js'
import { listContents, remove } from '../../bench/studies/remote/install-project.js'
import { holdFolder, isFolderOfOurs, sweepLeftovers } from '../../bench/studies/remote/leftovers.js'
import { enginesOver } from '../../bench/studies/remote/load-client.js'
import { serveLoad } from '../../bench/studies/remote/load-service.js'
import { addressOfMaster } from '../../bench/studies/remote/locust-workers.js'
import { packTarget, unpackTarget } from '../../bench/studies/remote/pack.js'
import { openRigOver } from '../../bench/studies/remote/rig-client.js'
import { commandOn, failureOf, hostsFrom } from '../../bench/studies/remote/ssh.js'
import { run } from '../../bench/machine/process.js'
import { fakeEngines, fakeGenerator } from '../support/fake-engines.js'
import { makeSample } from '../support/record.js'
import { channels } from '../support/channels.js'
import { makeTrial } from '../support/trial.js'

/** @import { AddressInfo } from 'node:net' */

t.test('parses typed hosts and rejects invalid names', async t => {
  t.strictSame(hostsFrom('me@a, b', { option: '--load-hosts' }), [{ name: 'me@a', ssh: ['ssh'] }, {
    name: 'b',
    ssh: ['ssh']
  }])
  t.strictSame(hostsFrom('a', { option: '--load-hosts', ssh: ' ssh -p 2222' })[0].ssh, ['ssh', '-p', '2222'])
  for (const wrong of ['', 'a,', '-oProxyCommand=x', 'a b', "a'b", 'a,a', 'me@-a', 'a;b', 'a$(b)', 'a`b`', 'a|b', 'a&b',
    'a>b', 'a*', 'a\nb', 'a{1,2}', 'a(b)', 'a!b', 'a#b', 'a~b', '[::1]']) {
    t.throws(() => hostsFrom(wrong, { option: '--load-hosts' }), { code: 'bad-option', exit: 2 }, wrong)
  }
  t.throws(() => hostsFrom('me@a;reboot', { option: '--server' }), {
    code: 'bad-option', message: /a host name cannot contain ";"/
  })
  for (const right of ['me@web-1.example.org', 'fe80::1%eth0', 'bücher', 'a_b']) {
    t.equal(hostsFrom(right, { option: '--load-hosts' })[0].name, right)
  }
  t.throws(() => hostsFrom('a', { option: '--load-hosts', ssh: ' ' }), { code: 'bad-option' })
})

t.test('runs commands with sh under any login shell, with ssh in batch mode', async t => {
  const script = "echo 'it is' \"$((1 + 1))\""
  const argv = commandOn({ name: 'me@a', ssh: ['ssh'] }, script)
  t.strictSame(argv.slice(-3, -1), ['--', 'me@a'])
  for (const option of ['BatchMode=yes', 'StrictHostKeyChecking=yes', 'ForwardAgent=no', 'ClearAllForwardings=yes']) {
    t.equal(argv[argv.indexOf(option) - 1], '-o', option)
  }
  t.equal((await run(['bash', '-c', argv[argv.length - 1]])).stdout, 'it is 2')
})

t.test('maps each failure of ssh to an error code', async t => {
  const host = { name: 'me@a', ssh: ['ssh', '-p', '22'] }
  const codeOf = (/** @type {number | null} */ exit, stderr = '') => failureOf(host, { exit, stderr }).code
  t.equal(
    codeOf(255,
      'No ED25519 host key is known for a and you have requested strict checking.\nHost key verification failed.'),
    'ssh-host-key'
  )
  t.equal(codeOf(255, '@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @'), 'ssh-host-key')
  t.equal(codeOf(255, 'me@a: Permission denied (publickey).'), 'ssh-denied')
  t.equal(codeOf(255, 'ssh: connect to host a port 22: Connection refused'), 'ssh-failed')
  t.equal(codeOf(null), 'ssh-failed')
  t.equal(codeOf(1, 'Permission denied'), 'host-unfit', 'the remote command failed, not ssh')
  t.match(failureOf(host, { exit: 255, stderr: '' }).remedy, 'ssh -p 22 me@a true')
})

t.test('packs what a run needs, without development dependencies', async t => {
  const packed = listContents()
  for (const needed of ['bench', 'proxy', 'nginx', 'node_modules/express', 'node_modules/pm2']) {
    t.ok(packed.includes(needed), needed)
  }
  for (const not of ['test', 'results', 'package-lock.json', 'node_modules/tap', 'node_modules/typescript']) {
    t.notOk(packed.includes(not), not)
  }
})

t.test('errors keep their code over a channel, and a closed side is reported as lost', async t => {
  const [local, remote] = channels(t)
  remote.serve('add', ([a, b]) => a + b)
  remote.serve('fail', () => { throw new HopbenchError('already-running') })
  remote.serve('crash', () => { throw new TypeError('oops') })
  remote.serve('never', () => new Promise(() => {}))
  local.listen()
  remote.listen()
  t.equal(await local.request('add', [1, 2]), 3)
  await t.rejects(local.request('fail'), { code: 'already-running', remedy: /./ })
  await t.rejects(local.request('crash'), { message: 'one: oops' })
  const waiting = local.request('never')
  remote.close()
  local.close()
  await t.rejects(waiting, { code: 'host-lost' })
  await t.rejects(local.request('add', [1, 2]), { code: 'host-lost' })
  t.match(await local.lost, { code: 'host-lost' })
})

t.test('reports the other side as lost when the pipe ends', async t => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const channel = new Channel('it', { input, output })
  channel.listen()
  input.end()
  t.match(await channel.lost, { code: 'host-lost', message: /\bit was lost/ })
})

t.test('a generator on another machine has the interface of a local one', async t => {
  const [rig, loader] = channels(t)
  const dir = t.testdir({ there: {}, body: 'the body' })
  const server = createServer(socket => socket.end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${/** @type {AddressInfo} */ (server.address()).port}`
  /** @type {any} */
  let started
  serveLoad(loader, fakeEngines('3', order => {
    started = order
    return fakeGenerator({ failure: async () => new HopbenchError('already-running') })
  }), join(dir, 'there'))
  rig.listen()
  loader.listen()
  const engine = await enginesOver(rig).find('autocannon')
  t.equal(engine.version, '3')
  t.equal(engine.plugin.about.title, 'autocannon')
  const order = {
    name: 'it',
    load: { engine: 'autocannon', connections: 2, path: '/', headers: {} },
    network: { enter: [] },
    cores: null,
    dir: join(dir, 'here'),
    maxSeconds: 1,
    target: { url, socketPath: null, expectBody: { file: join(dir, 'body'), sha256: 'x', bytes: 8 } }
  }
  const generator = await engine.start(order)
  t.equal(readFileSync(started.target.expectBody.file, 'utf8'), 'the body')
  t.ok(started.target.expectBody.file.startsWith(join(dir, 'there')), 'in a folder on that machine')
  await generator.resume()
  t.same(await generator.cpu(), { seconds: 1, atSeconds: 5, alive: true })
  t.match(await generator.finished(1), { measurement: { requests: 10 }, sampled: 2 })
  t.match(await generator.failure(), { code: 'already-running' })
  server.close()
  await t.rejects(engine.start({ ...order, target: { ...order.target, url: 'http://127.0.0.1:1' } }), {
    code: 'host-unreachable',
    message: /cannot reach the served side at http:\/\/127\.0\.0\.1:1/
  })
})

t.test('packs and unpacks a target with binary content', async t => {
  const bytes = randomBytes(1000)
  const dir = t.testdir({ body: bytes.toString('latin1'), crt: 'PEM', there: {} })
  writeFileSync(join(dir, 'body'), bytes)
  const target = {
    url: 'https://a:1',
    socketPath: null,
    caFile: join(dir, 'crt'),
    expectBody: { file: join(dir, 'body'), sha256: 'x', bytes: 1000 }
  }
  const unpacked = unpackTarget(JSON.parse(JSON.stringify(packTarget(target))), join(dir, 'there'))
  t.strictSame(readFileSync(/** @type {any} */ (unpacked.expectBody).file), bytes)
  t.equal(readFileSync(String(unpacked.caFile), 'utf8'), 'PEM')
  t.equal(unpackTarget(packTarget({ url: 'http://a', socketPath: null, expectBody: null }), dir).expectBody, null)
})

t.test('returns the trials of a rig on another machine, and loses all arms with the link', async t => {
  const [here, there] = channels(t)
  const dir = t.testdir({})
  const sample = makeSample({ arm: 'a', block: 0, rps: 5 })
  there.serve('rig/open',
    () => ({
      lost: [],
      refused: [['c', { code: 'gate-refused', params: { why: 'no' } }]],
      tools: { nginx: '1' },
      engine: 'wrk',
      switchedFor: null,
      instead: null,
      slowerUsers: null
    }))
  there.serve('rig/trial',
    () => ({ sample, lost: ['b'], refused: [], tools: { nginx: '1', wrk: '4' }, slowerUsers: null }))
  there.serve('rig/finish', () => [['a', { code: 'counts-disagree', params: { generator: 5, served: 9, most: 2 } }]])
  there.serve('rig/close', () => ({ 'a/nginx.conf': 'text', 'b/logs/error.log': 'line' }))
  here.listen()
  there.listen()
  const plan = /** @type {any} */ ({ arms: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] })
  const rig = await openRigOver(here, plan, {
    keepIn: join(dir, 'run'),
    engine: 'wrk',
    mayswitch: false,
    maxSeconds: 1,
    note: () => {}
  })
  t.equal(rig.engine, 'wrk')
  t.match(rig.refused.get('c'), { code: 'gate-refused' })
  t.same(await makeTrial(rig, 'a', 0), sample)
  t.strictSame([...rig.lost()], ['b'])
  t.strictSame(rig.tools, { nginx: '1', wrk: '4' })
  t.match((await rig.finish()).get('a'), { code: 'counts-disagree' })
  await rig.close()
  t.equal(readFileSync(join(dir, 'run/a/nginx.conf'), 'utf8'), 'text')
  t.equal(readFileSync(join(dir, 'run/b/logs/error.log'), 'utf8'), 'line')
  there.close()
  here.close()
  t.match(await makeTrial(rig, 'a', 1), { arm: 'a', block: 1, invalid: { code: 'host-lost' } })
  t.strictSame([...rig.lost()], ['a', 'b', 'c'])
  t.equal((await rig.finish()).size, 0)
  await rig.close()
})

t.test('reports a machine as lost when a response does not arrive within its limit', async t => {
  const [local, remote] = channels(t)
  remote.serve('never', () => new Promise(() => {}))
  local.listen()
  remote.listen()
  await t.rejects(local.request('never', null, 0.2), {
    code: 'host-lost',
    message: /no response to "never" within 0.2 s/
  })
  await t.rejects(local.request('add', [1, 2]), { code: 'host-lost' })
})

t.test('accepts and removes only folders that hopbench has made', async t => {
  for (const path of ['/tmp/hopbench.host.aB3xYz', '/var/tmp/with space/hopbench.host.000000']) {
    t.ok(isFolderOfOurs(path), path)
  }
  const others = ['/', '', '/tmp', '~', '/tmp/hopbench.host.aB3xYz/..', '/tmp/../hopbench.host.aB3xYz',
    'hopbench.host.aB3xYz', '/tmp/hopbench.host.$(x)ab', '/t"; rm -rf ~; "/hopbench.host.aB3xYz',
    '/tmp/hopbench.host.a',
    "/t'/hopbench.host.aB3xYz", '/t`x`/hopbench.host.aB3xYz', '/t\n/hopbench.host.aB3xYz', '/tmp/hopbench-aB3xYz']
  for (const dir of others) {
    t.notOk(isFolderOfOurs(dir), JSON.stringify(dir))
    await t.rejects(remove(/** @type {any} */ ({ host: { name: 'a', ssh: ['false'] }, dir })),
      { message: `${dir} is not a folder of hopbench` })
  }
})

t.test('removes leftovers of an earlier run on another machine', async t => {
  const dir = t.testdir({
    'hopbench.host.ownown': {},
    'hopbench.host.isused': { holder: '' },
    'hopbench.host.isdead': { holder: '99999999 5 ' },
    'hopbench.host.paused': { holder: '99999999 5 ' },
    'hopbench.host.nobody': {},
    'hopbench.host.theirs': { holder: '1 5 pid:[1]' },
    'hopbench.host.toolongs': {},
    'hopbench.host.a-file': 'x',
    else: { 'keep.txt': '' }
  })
  symlinkSync(join(dir, 'else'), join(dir, 'hopbench.host.linked'))
  const at = (/** @type {string} */ name) => join(dir, `hopbench.host.${name}`)
  holdFolder(at('isused'))
  const space = readFileSync(join(at('isused'), 'holder'), 'utf8').split(' ')[2]
  for (const name of ['isdead', 'paused']) writeFileSync(join(at(name), 'holder'), `99999999 5 ${space}`)
  const now = Date.now()
  const old = new Date(now - 7200_000)
  for (const path of [join(at('isdead'), 'holder'), at('nobody'), join(at('isused'), 'holder'), at('isused')]) {
    utimesSync(path, old, old)
  }
  t.strictSame(sweepLeftovers(`${at('ownown')}/`, now).sort(), [at('isdead'), at('nobody')])
  t.strictSame(readdirSync(dir).sort(), ['else', 'hopbench.host.a-file', 'hopbench.host.isused', 'hopbench.host.linked',
    'hopbench.host.ownown', 'hopbench.host.paused', 'hopbench.host.theirs', 'hopbench.host.toolongs'])
  t.strictSame(sweepLeftovers(dir, now), [], 'removes nothing when the project is not in a folder of a run')
})

t.test('the master of Locust listens on the address that its workers connect to', async t => {
  const host = (/** @type {string} */ seenFrom) => /** @type {any} */ ({ name: seenFrom, seenFrom, workers: 1 })
  const options = { address: '10.0.0.9', print: () => {} }
  t.equal(addressOfMaster({ ...options, hosts: [], byHand: 2 }), '10.0.0.9')
  t.equal(addressOfMaster({ ...options, hosts: [host('10.1.0.1'), host('10.1.0.1')], byHand: 0 }), '10.1.0.1')
  t.equal(addressOfMaster({ ...options, hosts: [host('10.1.0.1'), host('10.2.0.1')], byHand: 0 }), '*')
})
