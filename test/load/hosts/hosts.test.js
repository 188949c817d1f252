/** Load generators on other machines, whose ssh is replaced by a command on this machine. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from '../../support/tap.js'
import { quoteForShell } from '../../../bench/errors.js'
import { enginesOnHosts } from '../../../bench/load/hosts/engines.js'
import { RemoteProcess } from '../../../bench/load/hosts/process.js'
import { commandOn, failureOf, hostsFrom, inspectHost } from '../../../bench/load/hosts/ssh.js'
import { run } from '../../../bench/machine/process.js'
import { rejectPublicAddress } from '../../../bench/run/run-plan.js'
import { makeWorkspace } from '../../support/cli.js'
import { WRK } from '../../support/engine-output.js'
import { fakeHost, orderIn } from '../../support/fake-ssh.js'

/** @import { Test } from 'tap' */

/** Folders of load generators that remain on the machine. @param {string} dir */
const left = dir => readdirSync(dir).filter(name => name.startsWith('tmp.'))

/**
 * Starts shell scripts on a machine.
 * @param {Test} t
 * @param {string[]} scripts
 * @param {{ files?: Record<string, string>, script?: string }} [options]
 */
function startOn (t, scripts, { files, script } = {}) {
  const dir = t.testdir({})
  const host = fakeHost(dir, { script })
  const processes = scripts.map(text => ({ argv: ['sh', '-c', text], env: { GIVEN: "it's" } }))
  const child = new RemoteProcess(host, { name: 'it', dir: join(dir, 'load'), files, processes })
  t.teardown(() => child.stop())
  const read = (/** @type {string} */ file) => readFileSync(join(dir, 'load', file), 'utf8')
  return { child, dir, host, read }
}

t.test('parses typed hosts and rejects invalid names', async t => {
  t.strictSame(hostsFrom('me@a, b'), [{ name: 'me@a', ssh: ['ssh'] }, { name: 'b', ssh: ['ssh'] }])
  t.strictSame(hostsFrom('a', ' ssh -p 2222')[0].ssh, ['ssh', '-p', '2222'])
  for (const wrong of ['', 'a,', '-oProxyCommand=x', 'a b', "a'b", 'a,a', 'me@-a', 'a;b', 'a$(b)', 'a`b`', 'a|b', 'a&b',
    'a>b', 'a*', 'a\nb', 'a{1,2}', 'a(b)', 'a!b', 'a#b', 'a~b', '[::1]']) {
    t.throws(() => hostsFrom(wrong), { code: 'bad-option', exit: 2 }, wrong)
  }
  t.throws(() => hostsFrom('me@a;reboot'), { code: 'bad-option', message: /a host name cannot contain ";"/ })
  for (const right of ['me@web-1.example.org', 'fe80::1%eth0', 'bücher', 'a_b']) {
    t.equal(hostsFrom(right)[0].name, right)
  }
  t.throws(() => hostsFrom('a', ' '), { code: 'bad-option' })
})

t.test('runs commands with sh under any login shell, with ssh in batch mode', async t => {
  const argv = commandOn({ name: 'me@a', ssh: ['ssh'] }, "echo 'it is' \"$((1 + 1))\"")
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
  t.match(failureOf(host, { exit: 255, stderr: '' }).remedy, /ssh -p 22 me@a true/)
})

t.test('reads the facts of a machine, and rejects one that names a strange address', async t => {
  const dir = t.testdir({})
  t.match(await inspectHost(fakeHost(dir)),
    { name: 'me@it', address: '127.0.0.1', cpu: { model: String, cores: Number }, kernel: /^\d+\./, lost: null })
  for (const from of ['192.0.2.7 1 192.0.2.8 22', 'example.org 1 2 3', '', '127.0.0.1;id 1 2 3']) {
    await t.rejects(inspectHost(fakeHost(dir, { from })),
      { code: 'host-unfit', message: /which is no address of this machine/ }, from)
  }
  await t.rejects(inspectHost(fakeHost(dir, { script: 'echo missing awk' })),
    { code: 'host-unfit', message: /me@it cannot take part: awk is not on its PATH/ })
  await t.rejects(inspectHost(fakeHost(dir, { script: 'while :; do echo much; done' })), { code: 'ssh-failed' })
})

t.test('sends load over public networks only with permission', async t => {
  for (const address of ['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.1.1', '100.64.0.1', '::1',
    'fd00::1', 'fe80::1']) rejectPublicAddress('a', address, [])
  for (const address of ['192.0.2.7', '172.32.0.1', '2001:db8::1']) {
    t.throws(() => rejectPublicAddress('a', address, []), { code: 'host-unfit', remedy: /^Add --allow-host / }, address)
    rejectPublicAddress('a', address, [address])
  }
})

t.test('runs processes in a folder of their own, and fetches their output, reports and exit codes', async t => {
  const first = 'cat given empty; echo "$GIVEN" >&2; echo 1,2 >report.csv; exit 3'
  const { child, dir, read } = startOn(t, [first, 'echo two'], { files: { given: 'a file\n', empty: '' } })
  t.strictSame(await child.exited, [{ code: 3, signal: null }, { code: 0, signal: null }])
  t.strictSame(['0.out', '0.err', '1.out', 'report.csv'].map(read), ['a file\n', "it's\n", 'two\n', '1,2\n'])
  t.match(child.ended(), { code: 3 })
  t.equal(child.tail(), "it's")
  t.equal(child.lost, null)
  t.strictSame(left(dir), [])
})

t.test('reads the CPU time of the processes, pauses them and ends them with a signal', async t => {
  // A shell cannot trap a signal that was ignored at its start, as SIGINT is in background commands.
  const program = 'process.on("SIGINT", () => { console.log("report"); process.exit() })\n' +
    'console.error(process.pid); setInterval(() => { for (const end = Date.now() + 20; Date.now() < end;); })'
  const { child, dir, read } = startOn(t, [`exec ${process.execPath} -e ${quoteForShell(program)}`])
  while (await child.cpu() === 0) await sleep(20)
  const first = await child.cpu()
  await sleep(400)
  const busy = await child.cpu()
  t.ok(busy > first, `${first} s, then ${busy} s`)
  const paused = await child.pause()
  await sleep(200)
  t.ok(await child.cpu() - paused <= 0.02, 'a paused process uses no CPU time')
  await child.resume()
  t.strictSame(await child.stop({ signal: 'SIGINT', graceSeconds: 10 }), [{ code: 0, signal: null }])
  t.equal(read('0.out'), 'report\n')
  t.notOk(existsSync(`/proc/${read('0.err').trim()}`))
  t.strictSame(left(dir), [])
  t.equal(typeof await child.cpu(), 'number', 'the last CPU time remains')
})

t.test('kills processes that ignore the signal', async t => {
  const { child, dir } = startOn(t, ['trap "" INT; sleep 60 & sleep 60'])
  await child.cpu()
  t.strictSame(await child.stop({ signal: 'SIGINT', graceSeconds: 0.5 }), [{ code: null, signal: 'SIGKILL' }])
  t.equal(child.lost, null)
  t.strictSame(left(dir), [])
})

const HOSTILE = {
  'an unknown line': 'echo hello; cat >/dev/null',
  'a file with a path': "printf 'ended\\nfiles\\nfile ../x.csv 1\\na'",
  'a file of another kind': "printf 'ended\\nfiles\\nfile x.js 1\\na'",
  'an incomplete file': "printf 'ended\\nfiles\\nfile 0.out 9\\na'",
  'endless output': 'cat /dev/zero'
}
for (const [name, script] of Object.entries(HOSTILE)) {
  t.test(`gives up a machine that sends ${name}`, async t => {
    const { child, dir, host } = startOn(t, ['true'], { script })
    t.strictSame(await child.exited, [{ code: null, signal: 'SIGKILL' }])
    await t.rejects(child.cpu(), { code: 'host-answer', message: /^me@it sent an unexpected message: / })
    t.equal(host.lost, child.lost)
    t.strictSame(readdirSync(join(dir, 'load')), ['ssh.err'], 'no file is stored')
  })
}

t.test('reports the last line of an ssh that ends early', async t => {
  const { child } = startOn(t, ['true'], { script: 'echo "the cable is cut" >&2; exit 255' })
  await t.rejects(child.cpu(), { code: 'host-lost', message: /was lost during the run: the cable is cut\./ })
  t.strictSame(await child.exited, [{ code: null, signal: 'SIGKILL' }])
})

/** A program that prints the report of wrk. */
const PROGRAM = `[ "$1" = --version ] && echo 'wrk 4.2.0' && exit 1
echo '${WRK}'
grep -c percentile ./report.lua >&2`

t.test('starts an engine by its name on the PATH of a machine, and reads its report', async t => {
  const dir = t.testdir({})
  const engines = enginesOnHosts([fakeHost(dir, { programs: { wrk: PROGRAM } })], { ofUsers: false })
  const engine = await engines.findOrNext('autocannon', { insist: false })
  t.match(engine,
    { name: 'wrk', version: '4.2.0', instead: { wanted: 'autocannon', why: /cannot run on another machine/ } })
  const generator = await engine.start(orderIn(dir, { maxSeconds: 0.1 }))
  t.match(await generator.finished(10), { measurement: { requests: 10, bytes: 20 }, sampled: 0 })
  t.match(await generator.cpu(), { seconds: Number, alive: false })
  await generator.kill()
  t.match(readFileSync(join(dir, 'load', '0.err'), 'utf8'), /^[1-9]/, 'its files are there')
})

t.test('rejects engines that are part of hopbench, and names a missing program', async t => {
  const host = fakeHost(t.testdir({}), { programs: { h2load: 'echo nonsense' } })
  const engines = enginesOnHosts([host], { ofUsers: false })
  for (const name of ['autocannon', 'paced', 'locust']) await t.rejects(engines.find(name), { code: 'engine-cannot' })
  await t.rejects(engines.find('h2load'), { code: 'host-unfit', message: /does not print its version/ })
  const without = enginesOnHosts([fakeHost(makeWorkspace(t).dir, { script: 'echo missing' })], { ofUsers: false })
  await t.rejects(without.findOrNext('autocannon', { insist: false }),
    { code: 'host-unfit', message: 'me@it cannot take part: wrk is not on its PATH.', remedy: /^Install wrk there/ })
})
