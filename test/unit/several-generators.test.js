/** Tests how a load is divided over generators on several machines and how their measurements are merged. */
import t from '../support/tap.js'
import { HopbenchError } from '../../bench/errors.js'
import { Histogram } from '../../bench/load/histogram.js'
import { randomFrom } from '../../bench/shared/random.js'
import { mergeMeasurements } from '../../bench/studies/remote/merge.js'
import { enginesOfSeveral } from '../../bench/studies/remote/several.js'
import { fakeEngines, fakeGenerator, NO_ERRORS } from '../support/fake-engines.js'

/** @import { Measurement } from '../../bench/types.js' */

t.test('adds the counts and rates of several generators', async t => {
  /** @type {Measurement} */
  const first = { requests: 100, errors: { ...NO_ERRORS, resets: 1 }, bytes: 10, seconds: 1, latencyMs: null }
  const second = { requests: 300, errors: { ...NO_ERRORS, non2xx: 2 }, bytes: 20, seconds: 2, latencyMs: null }
  const merged = mergeMeasurements([first, second])
  t.match(merged, {
    requests: 400,
    errors: { non2xx: 2, timeouts: 0, resets: 1, mismatches: 0 },
    bytes: 30,
    latencyMs: null
  })
  t.equal(400 / Number(merged.seconds), 100 + 150)
  t.match(mergeMeasurements([first, { ...second, bytes: null, seconds: null }]), { bytes: null, seconds: null })
  t.equal(mergeMeasurements([first]), first)
  t.match(mergeMeasurements([{ ...first, requests: 0 }, { ...first, requests: 0 }]), {
    requests: 0,
    seconds: 1,
    latencyMs: null
  })
})

t.test('computes percentiles of all responses from merged histograms', async t => {
  const random = randomFrom(1, 'merge')
  const parts = [0, 1, 2].map(part =>
    Array.from({ length: 2000 * (part + 1) }, () => Math.round(1000 * (part + 1) ** 3 * -Math.log(1 - random())))
  )
  const of = (/** @type {number[]} */ values) => {
    const histogram = new Histogram()
    values.forEach(value => histogram.record(value))
    return histogram
  }
  /** @type {Measurement[]} */
  const measurements = parts.map(values => ({
    requests: values.length,
    errors: NO_ERRORS,
    bytes: null,
    seconds: 1,
    latencyMs: { ...of(values).milliseconds(), rate: null, source: 'it' },
    histograms: { latency: of(values).toJSON() }
  }))
  const pooled = of(parts.flat())
  t.strictSame(mergeMeasurements(measurements).latencyMs, {
    ...pooled.milliseconds(),
    rate: null,
    source: 'it, 3 generators'
  })
  const sorted = parts.flat().sort((a, b) => a - b)
  for (const [key, p] of /** @type {const} */ ([['p50', 0.5], ['p99', 0.99]])) {
    const raw = sorted[Math.ceil(p * sorted.length) - 1] / 1000
    t.ok(Math.abs(pooled.milliseconds()[key] / raw - 1) < 0.001, `${key} is that of the raw values`)
  }
  t.equal(mergeMeasurements([measurements[0], { ...measurements[1], histograms: undefined }]).latencyMs, null,
    'no percentiles when one histogram is missing')
})

t.test('adds the users of several generators and drops their percentiles', async t => {
  /** @type {Measurement} */
  const first = {
    requests: 3,
    errors: NO_ERRORS,
    bytes: null,
    seconds: 1,
    latencyMs: null,
    users: [{ second: 1, users: 2, rps: 3, failures: 0, p50: 5, p95: 6 }],
    failures: [{ kind: 'reset', count: 1 }],
    notes: ['slow']
  }
  const { users, failures, notes } = mergeMeasurements([first, {
    ...first,
    failures: [{ kind: 'reset', count: 2 }, { kind: 'timeout', count: 4 }]
  }])
  t.strictSame(users, [{ second: 1, users: 4, rps: 6, failures: 0, p50: null, p95: null }])
  t.strictSame(failures, [{ kind: 'reset', count: 3 }, { kind: 'timeout', count: 4 }])
  t.strictSame(notes, ['slow'])
})

t.test('divides a load completely', async t => {
  const load = { engine: 'x', connections: 10, path: '/', headers: {}, rate: 90, seed: 5, spawnPerSecond: 6 }
  /** @type {typeof load[]} */
  const shares = []
  const engines = () => fakeEngines('1', order => { shares.push(order.load); return fakeGenerator() })
  const all = enginesOfSeveral(['a', 'b', 'c'].map(name => ({ name, engines: engines() })))
  await (await all.find('x')).start(/** @type {any} */ ({ load }))
  t.strictSame(shares.map(({ connections }) => connections), [4, 3, 3])
  t.strictSame(shares.map(({ rate }) => rate), [30, 30, 30])
  t.strictSame(shares.map(({ seed }) => seed), [5, 6, 7])
  t.strictSame(shares.map(({ spawnPerSecond }) => spawnPerSecond), [2, 2, 2])
})

t.test('runs several generators as one, which is lost with any of them', async t => {
  /** @type {number[]} */
  const connections = []
  const engines = (version = '1', own = {}) => fakeEngines(version, order => {
    connections.push(order.load.connections)
    return fakeGenerator(own)
  })
  const both = enginesOfSeveral([{ name: 'a', engines: engines() }, { name: 'b', engines: engines() }])
  const generator = await (await both.find('x')).start(/** @type {any} */ ({ load: { connections: 5 } }))
  t.strictSame(connections, [3, 2])
  t.strictSame(await generator.cpu(), { seconds: 2, atSeconds: 5, alive: true })
  t.strictSame(await generator.errors(), { mismatches: 2, timeouts: 0, resets: 0 })
  t.match(await generator.finished(1), { measurement: { requests: 20 }, sampled: 4 })
  t.equal(await generator.end(), null)
  await t.rejects(
    enginesOfSeveral([{ name: 'a', engines: engines('1') }, { name: 'b', engines: engines('2') }]).find('x'),
    { code: 'hosts-differ', message: /x is 1 on a and 2 on b/ }
  )
  const lost = new HopbenchError('host-lost', { host: 'b', why: 'it is gone' })
  const half =
    await (await enginesOfSeveral([{ name: 'a', engines: engines() }, {
      name: 'b',
      engines: engines('1', {
        failure: async () => lost,
        finished: async () => {
          throw lost
        }
      })
    }]).find('x')).start(/** @type {any} */ ({ load: { connections: 5 } }))
  t.equal(await half.failure(), lost)
  await t.rejects(half.finished(1), lost)
})
