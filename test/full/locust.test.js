/** Users that wait, made by real Locust; skipped, with the reason, where Python cannot be had. */
import { join } from 'node:path'
import t from 'tap'
import { splitCores } from '../../bench/machine/cores.js'
import { findEngine } from '../../bench/load/find-engine.js'
import { startGenerator } from '../../bench/load/generator.js'
import { labFacts } from '../../bench/machine/lab.js'
import { planOf } from '../../bench/plan/plan.js'
import { faultOf } from '../../bench/store/record-format.js'
import { makeTempRoot } from '../../bench/machine/temp.js'
import { parse } from '../../bench/plan/word.js'
import { protocols } from '../support/samples.js'
import { makeWorkspace } from '../support/cli.js'
import { skipWithout } from '../support/needs.js'
import { staged } from '../support/stage.js'

/** @import { Load } from '../../bench/types.js' */
/** @import { Test } from 'tap' */

const { network } = await labFacts()
const USERS = 40
const GRACE_SECONDS = 30
/**
 * Two of the connections are listening sockets, one is the worker's own to its master: far fewer than there are
 * users.
 */
const TOO_FEW = 10

const skip = skipWithout('locust', 'nginx')

/**
 * @param {Test} t
 * @param {Record<string, string>} arms
 * @param {Partial<Load>} [more]
 */
async function rigFor (t, arms, more = {}) {
  const plan = planOf('test', {
    title: 'a test',
    question: 'Does it?',
    source: null,
    unit: 'requests',
    protocol: 'series',
    windowSeconds: { full: 3, quick: 3 },
    contrasts: [],
    errorsAreResults: true,
    arms,
    load: {
      engine: 'locust',
      connections: USERS,
      path: '/page.html',
      spawnPerSecond: USERS,
      perUserPerSecond: 4,
      ...more
    }
  }, { seed: 1 }, { parse, protocol: protocols.series })
  const temp = makeTempRoot()
  t.teardown(() => temp.remove())
  const { open } = await import('../../bench/measure/protocols/series.js')
  const rig = await open(plan, {
    temp: temp.path,
    keepIn: makeWorkspace(t).dir,
    lab: network === 'namespaces',
    cores: splitCores(),
    engine: 'locust',
    mayswitch: false,
    cwd: process.cwd(),
    maxSeconds: 60,
    note: () => {}
  })
  t.teardown(() => rig.close())
  return rig
}

/** What a record would hold of a sample. @param {unknown} sample */
const stored = sample => JSON.parse(JSON.stringify(sample))

t.test('users come, ask and are answered, and both sides count the same', { skip }, async t => {
  const rig = await rigFor(t, { roomy: 'nginx/files' })
  const sample = await rig.trial('roomy', 0)
  t.match(sample, { invalid: null, errors: { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }, failures: [] })
  t.equal(faultOf('sample', stored(sample)), null, 'the sample keeps to results/schema.json')
  const { users = [] } = sample
  t.equal(Math.max(...users.map(({ users }) => users)), USERS, 'all of them were there')
  t.ok(users.length > 0 && users.every(({ second }, i) => second > (users[i - 1]?.second ?? 0)), 'second by second')
  t.ok(users.some(({ rps }) => rps > 0) && users.every(({ failures }) => failures === 0))
  t.ok(sample.latencyMs && Number.isInteger(sample.latencyMs.p50) && sample.latencyMs.p50 <= sample.latencyMs.p99,
    JSON.stringify(sample.latencyMs))
  t.ok(sample.requests > USERS, 'connections are kept and used again')
  t.ok(Number(sample.proof.clientConnectionsPerRequest) < 0.5,
    `${sample.proof.clientConnectionsPerRequest} connections for each request`)
  t.notOk(sample.errorLog, 'nginx has nothing to say')
  t.match(rig.tools(), { nginx: /^\d/, locust: /^\d/ })
})

t.test('with too few connections the error log says so', { skip }, async t => {
  const rig = await rigFor(t, { tight: `nginx+connections=${TOO_FEW}/files` })
  const sample = await rig.trial('tight', 0)
  t.equal(sample.invalid, null) || t.comment(sample.invalid)
  t.equal(faultOf('sample', stored(sample)), null, 'the sample keeps to results/schema.json')
  t.ok(sample.errors.resets > 0 && sample.failures?.some(({ kind }) => /closed/.test(kind)),
    'users lose connections under their requests')
  t.ok(Number(sample.proof.clientConnectionsPerRequest) > 0.5, 'and have to open others')
  t.ok(
    sample.errorLog?.some(({ text, count }) =>
      /^\[\w+\] 10 worker_connections are not enough/.test(text) && count > 0
    ),
    JSON.stringify(sample.errorLog)
  )
})

/**
 * A window of Locust on an arm that is up, whatever it asks for.
 * @param {Test} t
 * @param {string} word
 * @param {string} path
 */
async function windowOf (t, word, path) {
  const arm = await staged(t, word, { path: '/page.html', connections: 8 })
  const generator = startGenerator(await findEngine('locust'), {
    name: word,
    load: { engine: 'locust', connections: 8, path, headers: {}, perUserPerSecond: 10 },
    target: arm.target,
    network: arm.network,
    cores: null,
    dir: join(arm.dir, 'engine'),
    maxSeconds: 6
  })
  try {
    return (await generator.finished(GRACE_SECONDS)).measurement
  } finally {
    await generator.kill()
  }
}

t.test('answers that are errors are failures of a kind', { skip }, async t => {
  const { requests, errors, failures = [] } = await windowOf(t, 'nginx/files', '/nothing-there')
  t.ok(requests > 0)
  t.same(errors, { non2xx: requests, timeouts: 0, resets: 0, mismatches: 0 })
  t.equal(failures.length, 1) && t.match(failures[0], { kind: /404/, count: requests })
})

t.test('over TLS', { skip }, async t => {
  const { requests, errors } = await windowOf(t, 'nginx+tls=ecdsa-p256/files', '/page.html')
  t.ok(requests > 0)
  t.same(errors, { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 })
})

t.test('where an answer leads elsewhere nobody follows', { skip }, async t => {
  const { errors, failures = [] } = await windowOf(t, './test/support/leads-elsewhere.js', '/old')
  t.ok(errors.non2xx > 0 && failures.every(({ kind }) => /302/.test(kind)), JSON.stringify(failures))
})
