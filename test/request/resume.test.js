/** Tests the programs that a resumed run may start and the machines on which it may be resumed. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { toResumeCommand, withoutSecrets } from '../../bench/plan/stored-plan.js'
import { isSuggested } from '../../bench/shared/commands.js'
import { openRun } from '../../bench/store/store.js'
import { planFrom } from '../../bench/request/request.js'
import { storedEngine, rejectOtherMachine, rejectOtherPrograms } from '../../bench/request/resume.js'
import { makeEnvironment, makeRecord } from '../support/record.js'
import { inEnvironment } from '../support/provoke.js'
import { planFor, sampleOf } from '../support/samples.js'
import { wordFor } from '../support/stage.js'

/** @import { Test } from 'tap' */
/** @import { Calibration, Environment, Sample } from '../../bench/types.js' */

/**
 * Stores a run that comes from somewhere else.
 * @param {Test} t
 * @param {(plan: any) => void} change
 * @param {Sample[]} [samples]
 */
function sent (t, change, samples = []) {
  const plan = JSON.parse(JSON.stringify(planFor()))
  change(plan)
  const dir = join(t.testdir({}), 'sent')
  mkdirSync(dir)
  writeFileSync(join(dir, 'plan.json'), JSON.stringify(plan))
  writeFileSync(join(dir, 'samples.jsonl'), samples.map(sample => `${JSON.stringify(sample)}\n`).join(''))
  return dir
}
const resume = (/** @type {string} */ dir, more = {}) => planFrom([], { lab: true, resume: dir, ...more })

/**
 * @param {any} plan
 * @param {Record<string, string>} sysctl
 */
const setting = (plan, sysctl) => { plan.arms[0].topology.lab = { sysctl } }

/**
 * @param {any} plan
 * @param {string} prefix
 * @param {string} folder
 */
const setFiles = (plan, prefix, folder) => { plan.arms[0].topology.files = [{ prefix, folder }] }

/** @type {[string, string, (plan: any) => void][]} */
const HOSTILE = [
  ['a name of a setting', 'bad-run-file', p => setting(p, { 'net.x;id': '1' })],
  ['another namespace\'s setting', 'bad-run-file', p => setting(p, { 'kernel.core_pattern': '1' })],
  ['a value of a setting', 'bad-run-file', p => setting(p, { 'net.core.somaxconn': '1; id' })],
  ['a line break in a setting', 'bad-run-file', p => setting(p, { 'net.core.somaxconn': '1\nid' })],
  ['a server\'s name', 'bad-run-file', p => { p.arms[0].topology.server.name = 'x/../../../evil' }],
  ['a proxy\'s name', 'bad-run-file', p => { p.arms[0].topology.proxy.name = '../evil' }],
  ['an engine', 'bad-run-file', p => { p.arms[0].load.engine = '../../evil' }],
  ['an unknown engine', 'unknown-plugin', p => { p.arms[0].load.engine = 'evil' }],
  ['an unknown protocol', 'unknown-plugin', p => { p.protocol = 'evil' }],
  ['a path', 'bad-run-file', p => { p.arms[0].load.path = '/\r\nX: y' }],
  ['one of many paths', 'bad-run-file', p => { p.arms[0].load.paths = ['/a', '/\u001b[2J'] }],
  ['a header\'s name', 'bad-run-file', p => { p.arms[0].load.headers = { 'a: b\r\nc': 'd' } }],
  ['a header\'s value', 'bad-run-file', p => { p.arms[0].load.headers = { a: 'b\r\nc: d' } }],
  ['a folder of files', 'bad-run-file', p => { p.root = '/srv\n; load_module evil.so' }],
  ['a prefix of files', 'bad-run-file', p => setFiles(p, '/a; }', '/srv')],
  ['a line break in the folder of a prefix', 'bad-run-file', p => setFiles(p, '/a', '/srv\n;')],
  ['an arm named ".."', 'bad-run-file', p => { p.arms[2].name = '..'; p.twin = null; p.contrasts = [] }],
  ['an arm with control characters', 'bad-run-file', p => { p.arms[2].name = '\u001b]0;x'; p.twin = null }],
  ['an option', 'bad-run-file', p => { p.arms[0].topology.proxy.options = { cache: '5s;\ninclude /etc/shadow' } }],
  ['an unknown option', 'bad-option', p => {
    p.arms[0].topology.proxy.options = { evil: 1 }
    p.arms[0].spec = 'nginx:tcp+evil=1/express-json'
  }],
  ['a spec that hides another server', 'bad-run-file', p => { p.arms[0].topology.server.name = '/tmp/evil.js' }],
  ['a server outside the project', 'untrusted-run', p => {
    p.arms[0].topology.server.name = '/tmp/evil.js'
    p.arms[0].spec = 'nginx:tcp//tmp/evil.js'
  }],
  ['a folder of files outside the project', 'untrusted-run', p => { p.root = '/root' }],
  ['a folder of a prefix outside the project', 'untrusted-run', p => setFiles(p, '/a', '/root')],
  ['a folder of a prefix above the served files', 'untrusted-run', p => setFiles(p, '/a', '../../etc')]
]

for (const [name, code, change] of HOSTILE) {
  t.test(`does not start a manipulated stored run: ${name}`, async t => {
    await t.rejects(resume(sent(t, change)), { code })
  })
}

t.test('starts a server outside the project only with --trust-run', async t => {
  const file = join(t.testdirName, 'sent', 'app.js')
  const app = wordFor(file)
  const dir = sent(t, p => {
    for (const arm of p.arms) Object.assign(arm.topology.server, { name: app })
    for (const arm of p.arms) arm.spec = arm.spec.replace('express-json', app)
  })
  writeFileSync(file, '')
  await t.rejects(resume(dir), { code: 'untrusted-run', exit: 2, message: new RegExp(app), remedy: /--trust-run/ })
  t.equal((await resume(dir, { trustRun: true })).plan.arms.length, 3)
  await t.rejects(planFrom(['http-json'], { lab: true, trustRun: true }),
    { code: 'bad-option', message: /--trust-run/ })
})

t.test('rejects samples of arms that are not in the plan', async t => {
  await t.rejects(resume(sent(t, () => {}, [sampleOf({ arm: 'other' })])), { code: 'bad-run-file', message: /"other"/ })
  t.ok(await resume(sent(t, () => {}, [sampleOf()])))
})

const cpu = { ...makeEnvironment().cpu, stepping: 1 }
const calibration = /** @type {Calibration} */ (makeEnvironment().calibration)
const bbr = makeEnvironment({ cpu, sysctl: { 'net.ipv4.tcp_congestion_control': 'bbr' } })
const stored = (record = makeRecord({ environment: bbr })) => ({ run: 'r', record, samples: [sampleOf()] })

/** @type {[string, Partial<Environment>, RegExp][]} */
const OTHERS = [
  ['another processor', { cpu: { ...cpu, model: 'Other' } }, /cpu model: Example CPU .* then, Other now/],
  ['more cores', { cpu: { ...cpu, cores: 4 } }, /cpu cores: 2 then, 4 now/],
  ['another split', { cores: { load: [0, 1], served: [2, 3] } },
    /cores load: 0 then, 0, 1 now; cores served: 1 then, 2, 3 now/],
  ['another kernel line', { kernel: '6.2.0' }, /kernel line: 6\.1 then, 6\.2 now/],
  ['another stepping', { cpu: { ...cpu, stepping: 2 } }, /cpu stepping: 1 then, 2 now/],
  ['another speed', { calibration: { ...calibration, arithmetic: calibration.arithmetic * 1.4 } },
    /speed of arithmetic: 730,000,000 per second then, 1,022,000,000 per second now/],
  ['another Node', { node: '24.0.0' }, /version of Node: 20\.19\.0 then, 24\.0\.0 now/],
  ['no private network', { lab: { network: 'shared-loopback', pids: false, why: 'x' } },
    /lab network: namespaces then/],
  ['another congestion control', { lab: { ...makeEnvironment().lab, congestionControl: 'cubic' } },
    /TCP congestion control: bbr then, cubic now/],
  ['load from elsewhere', { hosts: { load: [{ name: 'l1', cpu, kernel: '6' }] } },
    /hosts load: none then, l1: Example CPU .*, 2 cores now/]
]
for (const [name, change, message] of OTHERS) {
  t.test(`does not resume a run on another machine: ${name}`, async t => {
    t.throws(() => rejectOtherMachine(stored(), makeEnvironment(change)), { code: 'other-machine', exit: 2, message })
  })
}

t.test('resumes a run despite irrelevant or unknown differences', async t => {
  const now = makeEnvironment({
    kernel: '6.1.99', memoryMiB: 8000, calibration: null, busy: { loadAverage: 3, stealShare: 0.1 }
  })
  t.doesNotThrow(() => rejectOtherMachine(stored(), now))
  const slower = makeEnvironment({ calibration: { ...calibration, arithmetic: calibration.arithmetic / 1.2 } })
  t.doesNotThrow(() => rejectOtherMachine(stored(), slower), 'a busy neighbor')
  t.doesNotThrow(() => rejectOtherMachine({ ...stored(), record: null }, now))
  const other = makeEnvironment({ node: '1' })
  t.doesNotThrow(() => rejectOtherMachine({ ...stored(), samples: [] }, other), 'no sample was stored')
})

t.test('resumes a run at half of the speed if the machine has not been started again since', async t => {
  const { record, ...run } = stored()
  const before = { ...run, record: { ...record, environment: makeEnvironment({ boot: 'first' }) } }
  const half = { ...calibration, roundTrips: calibration.roundTrips / 2 }
  t.doesNotThrow(() => rejectOtherMachine(before, makeEnvironment({ boot: 'first', calibration: half })))
  t.throws(() => rejectOtherMachine(before, makeEnvironment({ boot: 'second', calibration: half })),
    { code: 'other-machine', message: /speed of round trips/ })
})

t.test('does not resume a run with another version of a program or another engine', async t => {
  const record = makeRecord()
  const engine = /** @type {string} */ (storedEngine(record))
  const rig = (/** @type {Record<string, string>} */ tools, as = engine) => ({ engine: as, tools })
  t.doesNotThrow(() => rejectOtherPrograms(stored(), rig(record.tools)))
  t.doesNotThrow(() => rejectOtherPrograms(stored(), rig({})), 'unknown versions')
  t.throws(() => rejectOtherPrograms(stored(), rig({ nginx: '1.28.0' })),
    { code: 'other-machine', message: /nginx: 1\.22\.1 then, 1\.28\.0 now/ })
  t.throws(() => rejectOtherPrograms(stored(), rig({}, 'ab')),
    { code: 'other-machine', message: /load generator: \w+ then, ab now/ })
  t.equal(storedEngine(makeRecord({ tools: {} })), undefined, 'interrupted before the version was known')
})

t.test('resumes a run with the releases of its start, if they have the same versions', async t => {
  const spec = 'nginx:keepalive+release=1.30/express-json'
  const dir = sent(t, plan => {
    plan.arms[0].spec = spec
    plan.arms[0].topology.proxy = { name: 'nginx', transport: 'keepalive', options: { release: '1.30' } }
  })
  const { plan } = await resume(dir)
  t.equal(plan.arms[0].spec, spec)
  t.equal(plan.arms[0].topology.proxy?.options.release, '1.30')
  await t.rejects(resume(dir, { release: 'sid' }), { code: 'bad-option', exit: 2 })
  const key = 'nginx+release=1.30'
  const stored = {
    run: 'run', samples: [sampleOf()], record: makeRecord({ tools: { [key]: '1.30.6 (sid, 1.30.6-2)' } })
  }
  const reject = (/** @type {string} */ version) => () =>
    rejectOtherPrograms(stored, { engine: stored.record.arms[0].load.engine, tools: { [key]: version } })
  t.doesNotThrow(reject('1.30.6 (sid, 1.30.6-2)'))
  t.throws(reject('1.30.6 (sid, 1.30.6-3)'),
    { code: 'other-machine', message: /1\.30\.6-2\) then, .*1\.30\.6-3\) now/ })
})

t.test('resumes a run of this account on this machine without --trust-run', async t => {
  const dir = t.testdir({ cache: {}, other: {} })
  inEnvironment(t, { HOPBENCH_CACHE: join(dir, 'cache') })
  const { plan } = await planFrom(['app'], { lab: true, app: 'node a.js' })
  const store = await openRun({
    resultsDir: join(dir, 'results'), experiment: 'typed', startedAt: '2026-01-01T00:00:00.000Z', plan
  })
  await store.close()
  t.equal((await resume(store.dir)).plan.arms[0].spec, 'app')
  const other = resume(store.dir, { app: 'node b.js' })
  await t.rejects(other, { code: 'bad-option', exit: 2 }, 'another app is not ignored')

  process.env.HOPBENCH_CACHE = join(dir, 'other')
  await t.rejects(resume(store.dir), { code: 'untrusted-run' }, 'another account has another key')
  process.env.HOPBENCH_CACHE = join(dir, 'cache')
  const file = join(store.dir, 'plan.json')
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('node a.js', 'node evil.js'))
  await t.rejects(resume(store.dir), { code: 'untrusted-run' }, 'a plan that was changed')
})

t.test('the command that resumes a run names what must be given again', async t => {
  const { plan } = await planFrom(['app', 'nginx:keepalive/app'], {
    lab: true,
    app: 'node a.js --token=sesame-street',
    path: '/a?api_key=secret',
    header: ['Authorization: Bearer sesame', 'Accept: text/html'],
    body: '{"a":1}'
  })
  const command = toResumeCommand('2026-01-01T00-00-00Z-typed', withoutSecrets(plan))
  t.equal(command, "run --resume 2026-01-01T00-00-00Z-typed --header 'Authorization: …' --body-file … --path … " +
    "--app 'app=…'")
  t.ok(isSuggested(`npm run hopbench -- ${command}`))
  t.notOk(isSuggested(`npm run hopbench -- ${command} --trust-run`))
  t.notOk(isSuggested('npm run hopbench -- run --resume x --header \'$(id): …\''))
  t.equal(toResumeCommand('/a run', { ...plan, arms: [] }), "run --resume '/a run'")
})

t.test('no command resumes a run of a configuration of your own, a sizing, or a comparison of two states', async t => {
  const { plan } = await planFrom(['nginx:keepalive/app'], { lab: true, app: 'node a.js' })
  t.equal(toResumeCommand('r', plan), 'run --resume r')
  const [arm] = plan.arms
  const config = { path: './nginx.conf', port: 8080, apps: [3000], script: 'sh' }
  const { proxy } = arm.topology
  const topology = { ...arm.topology, proxy: proxy && { ...proxy, config } }
  t.equal(toResumeCommand('r', { ...plan, arms: [{ ...arm, topology }] }), null)
  for (const experiment of ['size', 'size-url', 'diff']) t.equal(toResumeCommand('r', { ...plan, experiment }), null)
})

t.test('a run whose app was started in a folder that is gone is not resumed', async t => {
  const gone = join(t.testdirName, 'gone')
  const { plan } = await planFrom(['app'], { lab: true, app: 'node a.js' })
  const [arm] = plan.arms
  const { server } = arm.topology
  const command = { ...server?.command, cwd: gone }
  const moved = { ...arm, topology: { ...arm.topology, server: { ...server, command } } }
  const dir = sent(t, stored => Object.assign(stored, { ...plan, arms: [moved] }))
  await t.rejects(resume(dir, { trustRun: true, app: 'node a.js' }),
    { code: 'bad-option', message: /the folder in which it starts an app no longer exists: .*gone/ })
})
