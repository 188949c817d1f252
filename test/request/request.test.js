import t from '../support/tap.js'
import { checkLimits } from '../../bench/request/plan-checks.js'
import { armFrom, planFrom } from '../../bench/request/request.js'
import { openRun } from '../../bench/store/store.js'
import { makeRecord } from '../support/record.js'
import { planFor } from '../support/samples.js'

const startedAt = '2024-05-06T07:08:09.000Z'
const plain = { lab: true }

t.test('plans an experiment by its name', async t => {
  const { plan } = await planFrom(['uds'], {
    ...plain,
    seed: 7,
    quick: true,
    budget: 30,
    connections: 20,
    engine: 'wrk'
  })
  t.match(plan, { experiment: 'uds', seed: 7, quick: true, targets: { budgetSeconds: 30 } })
  t.ok(plan.arms.every(({ load }) => load.connections === 20 && load.engine === 'wrk'))
})

t.test('compares typed topologies with the first one', async t => {
  const { plan } = await planFrom(['nginx:tcp/http-json', 'nginx:uds/http-json', 'http-json'], {
    ...plain,
    path: '/api'
  })
  t.equal(plan.experiment, 'typed')
  t.strictSame(plan.contrasts, [['nginx:uds/http-json', 'nginx:tcp/http-json'], ['http-json', 'nginx:tcp/http-json']])
  t.strictSame(plan.arms.map(({ twinOf }) => twinOf), [null, null, null], 'no twin, because starts replicate each arm')
  t.equal(plan.twin, null)
  t.ok(plan.arms.every(({ load }) => load.path === '/api'))
})

t.test('pauses whole arms on one machine, and only generators when another machine makes the load', async t => {
  const protocolOf = async (/** @type {object} */ more) =>
    (await planFrom(['http-json', 'nginx:uds/http-json'], { ...plain, ...more })).plan.protocol
  t.equal(await protocolOf({}), 'gang')
  t.equal(await protocolOf({ load: ['me@load1'] }), 'slices')
})

t.test('draws a random seed when none is given', async t => {
  const seeds = await Promise.all(
    Array.from({ length: 3 }, async () => (await planFrom(['http-json'], plain)).plan.seed)
  )
  t.equal(new Set(seeds).size, 3)
  for (const seed of seeds) t.ok(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32)
})

/** @type {[string[], object, string, RegExp][]} */
const IMPOSSIBLE = [
  [[], {}, 'bad-option', /./],
  [['udss'], {}, 'unknown-experiment', /"uds"/],
  [['http-jsn'], {}, 'unknown-experiment', /"http-json"/],
  [['nginx:udp/http-json'], {}, 'bad-topology', /udp/],
  [['ngnix:uds/http-json'], {}, 'unknown-plugin', /"nginx"/],
  [['uds'], { engine: 'wrkk' }, 'unknown-plugin', /"wrk"/],
  [['nginx:uds+cach=5s/http-json'], {}, 'bad-option', /did you mean cache/],
  [['http-json'], { path: 'api' }, 'bad-option', /begins with \//],
  [['http-json', 'http-json'], {}, 'bad-option', /twice/]
]
t.test('rejects an impossible run before anything starts', async t => {
  for (const [words, options, code, message] of IMPOSSIBLE) {
    await t.rejects(planFrom(words, { ...plain, ...options }), { code, exit: 2, message }, words.join(' '))
  }
})

t.test('makes an arm from a single topology', async t => {
  t.match(await armFrom('nginx:uds/http-json', { connections: 10, path: '/x' }), {
    name: 'nginx:uds/http-json', load: { connections: 10, path: '/x' }, twinOf: null
  })
})

t.test('checks the limit of open files, two for each proxied connection', async t => {
  const direct = planFor({ arms: { it: 'http-json' } }, { connections: 100 })
  const proxied = planFor({ arms: { it: 'nginx:tcp/http-json' } }, { connections: 100 })
  t.doesNotThrow(() => checkLimits(direct, 300))
  t.throws(() => checkLimits(direct, 200), { code: 'too-many-connections', exit: 2 })
  t.throws(() => checkLimits(proxied, 300), { code: 'too-many-connections', remedy: /ulimit -Hn 328/ })
  t.doesNotThrow(() => checkLimits(proxied, null), 'an unknown limit is not checked')
})

t.test('resumes an interrupted run with its stored plan', async t => {
  const results = t.testdir({})
  const plan = planFor()
  const run = await openRun({ resultsDir: results, experiment: 'test', startedAt, plan })
  t.strictSame((await planFrom([], { ...plain, resume: run.run, results })).plan, plan)
  await run.writeRecord(makeRecord())
  await run.close()
  await t.rejects(planFrom([], { ...plain, resume: run.run, results }), {
    code: 'bad-option',
    message: /that run is complete/
  })
  await t.rejects(planFrom([], { ...plain, resume: 'none', results }), { code: 'unknown-run' })
})
