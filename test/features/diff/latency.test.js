/** Response times of `hopbench diff`: offered rates, the number of starts, and failures. */
import t from '../../support/tap.js'
import { findRates, measureLatency } from '../../../bench/features/diff/latency.js'
import { makeArm, makePlan, makeRecord, makeSample } from '../../support/record.js'

/** Length of a start of one pair, in seconds, as measured. */
const START_SECONDS = 44
const WINDOWS = 5
/** 99th percentiles of head by start, so different that five starts decide nothing. */
const UNSTEADY = [10, 20, 12, 18, 11]
const STEADY = [10]

/**
 * Makes a run of head and base for each path.
 *
 * @param {string[]} paths
 * @param {Record<string, number | null>} [rates] by arm; null: not measured
 */
function makeRun (paths, rates = {}) {
  const [arm] = makePlan().arms
  const contrasts = paths.map(path => /** @type {[string, string]} */ ([`head ${path}`, `base ${path}`]))
  const names = contrasts.flat()
  const plan = makePlan({ arms: names.map(name => ({ ...arm, name })), contrasts, twin: null })
  const margin = 0.05
  const arms = names.map(name => {
    const { [name]: median = 1000 } = rates
    return makeArm({ name, rps: median === null ? null : { median, low: median, high: median } })
  })
  return {
    plan: { ...plan, targets: { ...plan.targets, margin } },
    run: { record: makeRecord({ plan, arms }), samples: [] }
  }
}

/** @type {(options?: object) => Parameters<typeof measureLatency>[1]} */
const makeWorld = (options = {}) => /** @type {any} */ ({
  interrupted: () => false, workspace: { printProgress () {}, progress: { end () {} } }, ...options
})

/**
 * Counts the starts of a measurement with a clock of its own.
 *
 * @param {string[]} paths
 * @param {number[]} p99s of head in each start, repeated
 */
async function countStarts (paths, p99s) {
  const { plan, run } = makeRun(paths)
  let seconds = 0
  let starts = 0
  await measureLatency(plan, makeWorld(), { rates: findRates(run.record), run }, {
    now: () => seconds,
    async measureStart ({ arms }, _world, { start }) {
      starts++
      seconds += START_SECONDS * paths.length
      return arms.flatMap(({ name }) => Array.from({ length: WINDOWS }, (_, i) => {
        const isHead = name.startsWith('head')
        const p99 = (isHead ? p99s[start % p99s.length] : 10) * (1 + i * (isHead ? 2 : 3) % WINDOWS / 1000)
        const latencyMs = { p50: 1, p90: 2, p95: 3, p99, max: 99, rate: 500, source: 'paced' }
        return makeSample({ arm: name, block: start * WINDOWS + i, start, latencyMs })
      }))
    }
  })
  return starts
}

t.test('both arms of a pair are offered half of the lower throughput of this pair', async t => {
  const { run: { record } } = makeRun(['/', '/slow'], { 'head /': 901, 'head /slow': 40, 'base /slow': 1 })
  t.strictSame(findRates(record), new Map([['head /', 450], ['base /', 450], ['head /slow', 1], ['base /slow', 1]]))
  t.strictSame(new Set(findRates(record, 300).values()), new Set([300]), 'a typed rate is the rate of every arm')
  const { run } = makeRun(['/', '/slow'], { 'base /slow': null })
  t.equal(findRates(run.record).size, 0, 'an arm without a throughput')
})

t.test('each path adds time for the starts that an undecided percentile needs', async t => {
  t.equal(await countStarts(['/'], UNSTEADY), 5)
  t.equal(await countStarts(['/', '/a', '/b'], UNSTEADY), 5)
})

t.test('decided percentiles end the measurement after three starts', async t => {
  t.equal(await countStarts(['/'], STEADY), 3)
  t.equal(await countStarts(['/', '/a'], STEADY), 3)
})

t.test('a later start that fails ends the measurement and leaves the windows before it', async t => {
  const { plan, run } = makeRun(['/'])
  const sample = makeSample({ arm: 'head /' })
  const prints = t.capture(process.stderr, 'write', () => true)
  const windows = await measureLatency(plan, makeWorld(), { rates: findRates(run.record), run }, {
    now: () => 0,
    async measureStart (_plan, _world, { start }) {
      if (start > 0) throw new Error('no more processes')
      return [sample]
    }
  })
  prints.restore?.()
  t.strictSame(windows, [sample])
  t.match(prints().map(({ args }) => String(args[0])).join(''),
    /^The response times end before start 2\. .*no more processes/)
})

t.test('a failure is printed, and leaves the verdict about the throughput', async t => {
  const { plan, run } = makeRun(['/'])
  const world = makeWorld({
    workspace: {
      printProgress () { throw new Error('no more processes') },
      progress: { end () {} }
    }
  })
  const prints = t.capture(process.stderr, 'write', () => true)
  const order = { rates: findRates(run.record), run }
  const windows = await measureLatency(plan, world, order)
  prints.restore?.()
  t.strictSame(windows, [])
  t.match(prints().map(({ args }) => String(args[0])).join(''),
    /^The response times were not measured\. .*no more processes/)
  t.strictSame(await measureLatency(plan, world, { ...order, rates: new Map() }), [], 'nothing was tried')
})
