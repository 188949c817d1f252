import { readdirSync } from 'node:fs'
import t from '../../support/tap.js'
import { openRealRig } from '../../support/real-rig.js'
import { makeTrial } from '../../support/trial.js'

/** @import { Sample } from '../../../bench/types.js' */

const EVERY = { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }

/** Trials need no warm arm where no figure is compared. Other tests of this file have arms that warm up. */
const SMOKE = { more: { smoke: true } }

/** @param {Sample} sample */
const errors = ({ errors }) => Object.values(errors).reduce((a, b) => a + b, 0)

t.test('slices last as long as requested, or half a second', async t => {
  const { rig } = await openRealRig(t, {
    arms: { app: 'http-json', proxied: 'nginx:uds/http-json' },
    protocol: 'slices',
    load: { connections: 10, path: '/' }
  }, { more: { windowSeconds: 0.3 } })
  for (const arm of ['app', 'proxied']) {
    const { seconds, rps, invalid } = await makeTrial(rig, arm, 0)
    t.equal(invalid, null)
    t.ok(seconds >= 0.29, `${arm}: ${seconds} s, longer on a busy machine, never shorter`)
    t.ok(rps > 0)
  }
  const { rig: usual } = await openRealRig(t, { arms: { app: 'http-json' }, protocol: 'slices' }, SMOKE)
  const { seconds } = await makeTrial(usual, 'app', 0)
  t.ok(seconds >= 0.49)
})

t.test('window: every trial has new processes and is counted by the client', async t => {
  const { rig, temp } = await openRealRig(t, {
    arms: { roomy: 'nginx:uds/http-json', other: 'http-json' },
    protocol: 'window',
    windowSeconds: { full: 1, quick: 1 },
    load: { connections: 150, path: '/' },
    errorsAreResults: true
  }, SMOKE)
  const [first, second] = [await makeTrial(rig, 'roomy', 0), await makeTrial(rig, 'roomy', 1)]
  for (const sample of [first, second]) {
    t.match(sample, { arm: 'roomy', errors: EVERY, invalid: null, proof: { socketType: 'unix' } })
    t.ok(sample.requests > 0 && Math.abs(sample.rps - sample.requests / sample.seconds) < 1e-6)
    t.ok(sample.proof.upstreamConnectionsPerRequest !== null && sample.proof.upstreamConnectionsPerRequest > 0.9,
      'a connection for each request')
    t.ok(sample.cpuSeconds.load > 0 && sample.cpuSeconds.proxy > 0 && sample.cpuSeconds.server > 0)
    t.ok(sample.memoryMiB.proxy > 0 && sample.memoryMiB.server > 0)
  }
  t.ok(readdirSync(temp.path).length >= 3, 'a folder for each trial')
  t.match(rig.tools, { nginx: /^\d/, autocannon: /^9\./ })
})

t.test('ladder: measures rising steps until the first errors', async t => {
  const { rig, plan } = await openRealRig(t, {
    arms: { tight: './test/support/sixty-four-clients.js', roomy: 'http-json' },
    protocol: 'ladder',
    steps: [10, 200, 300],
    windowSeconds: { full: 1, quick: 1 },
    load: { path: '/' },
    errorsAreResults: true
  }, SMOKE)
  /** @type {Sample[]} */
  const samples = []
  for (const { name } of plan.arms.filter(({ twinOf }) => !twinOf)) samples.push(await makeTrial(rig, name, 0))
  const of = (/** @type {string} */ arm) => /** @type {Sample} */ (samples.find(sample => sample.arm === arm))
  t.match(of('tight c10'), { errors: EVERY, invalid: null })
  t.ok(errors(of('tight c200')) > 0, '200 clients are more than 64')
  t.match(of('tight c300'), {
    seconds: 0,
    invalid: { code: 'beyond-first-errors', params: { connections: 200 } }
  })
  for (const step of ['roomy c10', 'roomy c200', 'roomy c300']) {
    t.match(of(step), { errors: EVERY, invalid: null }, step)
  }
  t.equal(rig.lost().size, 0)
})

t.test('series: returns the rate of each second of one window', async t => {
  const { rig } = await openRealRig(t, {
    arms: { tcp: 'nginx:tcp/http-json', other: 'http-json' },
    protocol: 'series',
    windowSeconds: { full: 3, quick: 3 },
    load: { connections: 10, path: '/' }
  })
  const { series = [], ...sample } = await makeTrial(rig, 'tcp', 0)
  t.match(sample, { errors: EVERY, invalid: null })
  t.strictSame(series.map(({ second, errors }) => [second, errors]), [[1, 0], [2, 0], [3, 0]])
  t.ok(series.every(({ rate }) => rate > 0))
  const waiting = series.map(({ timeWait }) => timeWait ?? 0)
  t.ok(waiting[0] > 0 && waiting[2] > waiting[0], 'every request leaves a socket in TIME_WAIT')
})

t.test('counts clients with an open connection and without a response as timeouts', async t => {
  const { rig } = await openRealRig(t, {
    arms: { four: 'apache+mpm=prefork+processes=4/files', many: 'apache+mpm=prefork+processes=60/files' },
    protocol: 'window',
    windowSeconds: { full: 2, quick: 2 },
    load: { connections: 40, path: '/1kb.json' },
    errorsAreResults: true
  })
  // Apache has two additional processes for the connections of the suite.
  const { errors: { timeouts }, requests } = await makeTrial(rig, 'four', 0)
  t.ok(timeouts >= 34 && timeouts <= 36, `${timeouts} of 40`)
  t.ok(requests > 0, 'the other clients are served')
  t.match(await makeTrial(rig, 'many', 0), { errors: EVERY, invalid: null })
})

t.test('an arm whose server exits is lost, with the exit code', async t => {
  const { rig } = await openRealRig(t, {
    arms: { dies: './test/support/dies-under-load.js', lives: 'http-json' },
    protocol: 'window',
    windowSeconds: { full: 1, quick: 1 },
    load: { connections: 5, path: '/' }
  })
  const sample = await makeTrial(rig, 'dies', 0)
  t.match(sample.invalid, { code: 'process-died', params: { message: /exit code 3/ } })
  t.ok(rig.lost().has('dies'))
  t.match(await makeTrial(rig, 'lives', 0), { invalid: null })
})

t.test('rates: offers all arms the same shares of the lowest peak', async t => {
  const { rig, plan } = await openRealRig(t, {
    arms: { app: 'nginx:keepalive/http-json', other: 'nginx:tcp/http-json' },
    protocol: 'rates',
    shares: [0.05, 0.1],
    windowSeconds: { full: 1, quick: 1 },
    load: { engine: 'paced', connections: 50, path: '/' }
  }, { engine: 'paced', ...SMOKE })
  t.same(plan.arms.map(({ name }) => name), ['app 5 %', 'app 10 %', 'other 5 %', 'other 10 %'])
  t.equal(plan.twin, null)
  const [few, more] = [await makeTrial(rig, 'app 5 %', 0), await makeTrial(rig, 'app 10 %', 0)]
  for (const sample of [few, more]) {
    t.match(sample, {
      errors: EVERY,
      latencyMs: { p50: Number, p99: Number, source: 'paced, open loop' },
      lagMs: { p99: Number }
    })
    t.ok(sample.requests > 0)
  }
  t.ok(Math.abs(Number(more.latencyMs?.rate) / Number(few.latencyMs?.rate) - 2) < 1e-9, 'shares of one peak')
  // Processes and files are new in every trial, even if one arm is the last of a block and the first of the next one.
  const again = await makeTrial(rig, 'app 10 %', 1)
  t.equal(again.invalid, null)
  t.ok(again.requests > 0)
  const other = await makeTrial(rig, 'other 10 %', 1)
  t.same([again, other].map(({ latencyMs }) => latencyMs?.rate), [more, more].map(({ latencyMs }) => latencyMs?.rate),
    'the same rate for all arms and blocks')
  t.match(rig.tools, { nginx: /^\d/, paced: /^\d/ })
})
