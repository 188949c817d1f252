/**
 * Compares two arms in ninety seconds of wall time on simulated machines whose true ratio is known: by one long run of
 * each arm, by windows of one arm after the other, and by alternating slices.
 * All arms share the noise of a machine: white noise, slow noise (an Ornstein-Uhlenbeck process), and noise that is new
 * with every start of the load.
 */
import t from '../support/tap.js'
import { blockLogRatios, halfWidth, pairedRatio } from '../../bench/judge/stats/paired.js'
import { selectBlocks } from '../../bench/judge/starts.js'
import { judgeInterval } from '../../bench/judge/verdict.js'
import { SLICE_SECONDS } from '../../bench/plan/targets.js'
import { planFor, sampleOf } from '../support/samples.js'
import { normal, seriesOf } from '../support/simulate.js'

/** @import { Paired } from '../../bench/judge/stats/paired.js' */
/** @import { PlanOptions } from '../../bench/plan/plan.js' */

/**
 * @typedef {object} Machine standard deviations are shares of the rate
 * @property {number} white sd over one second
 * @property {{ sd: number, seconds: number }[]} slow sd and correlation time of slow noise
 * @property {number} start sd between slices or windows
 * @property {number} overhead seconds of a slice in addition to its length
 */

/** @type {Record<string, Machine>} */
const machines = {
  /** the development machine (docs/method.md), whose noise is flat between half a second and two seconds */
  'a virtual machine': {
    white: 0.03,
    slow: [{ sd: 0.03, seconds: 2 }, { sd: 0.03, seconds: 60 }],
    start: 0.01,
    overhead: 0.12
  },
  'a quiet machine': { white: 0.01, slow: [{ sd: 0.01, seconds: 60 }], start: 0.002, overhead: 0.1 },
  'a machine with erratic scheduling': {
    white: 0.01,
    slow: [{ sd: 0.02, seconds: 60 }],
    start: 0.05,
    overhead: 0.08
  },
  'a machine that is slow to settle': {
    white: 0.04,
    slow: [{ sd: 0.02, seconds: 60 }],
    start: 0.002,
    overhead: 0.6
  }
}

const STEP = 0.1

/**
 * @param {Machine} machine
 * @param {() => number} random
 */
function clockOf ({ white, slow, start }, random) {
  const states = slow.map(({ sd }) => sd * normal(random))
  const wait = (/** @type {number} */ seconds) => slow.forEach(({ sd, seconds: tau }, i) => {
    const kept = Math.exp(-seconds / tau)
    states[i] = states[i] * kept + sd * Math.sqrt(1 - kept ** 2) * normal(random)
  })
  let at = 0
  return {
    now: () => at,
    wait (/** @type {number} */ seconds) {
      at += seconds
      wait(seconds)
    },
    /**
     * @param {number} seconds
     * @returns {number[]} mean log-rate over the first step, the first two …
     */
    run (seconds) {
      const offset = start * normal(random)
      let sum = 0
      const means = []
      for (let step = 1; step <= Math.round(seconds / STEP); step++) {
        wait(STEP)
        sum += offset + states.reduce((a, b) => a + b, 0) + white / Math.sqrt(STEP) * normal(random)
        means.push(sum / step)
      }
      at += seconds
      return means
    }
  }
}

/**
 * @typedef {{ log: number, different: boolean }} Found the log of the ratio, and whether the way calls the arms
 *   different
 * @typedef {(machine: Machine, truth: number, wall: number, random: () => number) => Found} Way
 */

/** Seconds to start a server and its load. */
const START_SECONDS = 1
/** Smallest relative difference that counts as one after a single run of each arm. */
const CUT = 0.03

/**
 * Compares one long run of each arm.
 * @type {Way}
 */
const single = (machine, truth, wall, random) => {
  const clock = clockOf(machine, random)
  const [a, b] = [0, Math.log(truth)].map(shift => {
    clock.wait(START_SECONDS)
    return shift + Number(clock.run(wall / 2 - START_SECONDS).at(-1))
  })
  return { log: b - a, different: Math.abs(b - a) > Math.log(1 + CUT) }
}

/**
 * Compares windows of two seconds by Welch's interval, all windows of the first arm before those of the second.
 * @type {Way}
 */
const sequential = (machine, truth, wall, random) => {
  const clock = clockOf(machine, random)
  const times = Math.floor(wall / 2 / (2 + START_SECONDS))
  const [a, b] = [0, Math.log(truth)].map(shift => Array.from({ length: times }, () => {
    clock.wait(START_SECONDS)
    return shift + Number(clock.run(2).at(-1))
  }))
  const mean = (/** @type {number[]} */ values) => values.reduce((x, y) => x + y, 0) / values.length
  const variance = (/** @type {number[]} */ values) =>
    values.reduce((sum, x) => sum + (x - mean(values)) ** 2, 0) / (values.length - 1)
  const log = mean(b) - mean(a)
  // Quantile of Student's t for 28 degrees of freedom. With fewer windows the exact value is larger.
  return { log, different: Math.abs(log) > 2.05 * Math.sqrt((variance(a) + variance(b)) / times) }
}

/**
 * Compares slices in blocks with a twin, with the plan and the verdict of the suite.
 * @type {Way}
 */
const slices = (machine, truth, wall, random) => {
  const { interval } = slicedRun(machine, truth, { budgetSeconds: wall }, random)
  return { log: Math.log(interval.ratio), different: ['faster', 'slower'].includes(judgeInterval(interval).verdict) }
}

/**
 * Simulates a run of slices. With `detect` it ends by its precision or its budget, otherwise by its budget alone.
 *
 * @param {Machine} machine
 * @param {number} truth ratio of uds to tcp
 * @param {Partial<PlanOptions> & { budgetSeconds: number }} options
 * @param {() => number} random
 * @returns {{ interval: Paired, seconds: number }}
 */
function slicedRun (machine, truth, options, random) {
  const plan = planFor({}, options)
  const { targets } = plan
  const clock = clockOf(machine, random)
  clock.wait(plan.arms.length * 2)
  const firstAt = clock.now()
  const samples = []
  for (let block = 0; ; block++) {
    for (const { name: arm } of plan.arms) {
      clock.wait(machine.overhead)
      const rps = 1000 * Math.exp(Number(clock.run(SLICE_SECONDS).at(-1))) * (arm === 'uds' ? truth : 1)
      samples.push(sampleOf({ arm, block, seconds: SLICE_SECONDS, rps }))
    }
    const blockSeconds = (clock.now() - firstAt) / (block + 1)
    const isOver = clock.now() + blockSeconds > options.budgetSeconds
    if (!isOver && options.detect === undefined) continue
    const { byArm } = selectBlocks(plan, samples)
    const logRatios = blockLogRatios(byArm.get('uds') ?? new Map(), byArm.get('tcp') ?? new Map())
    const interval = pairedRatio(logRatios, 0.95)
    const isPrecise = logRatios.length >= targets.minBlocks && halfWidth(interval) <= targets.precision
    if (isOver || isPrecise) return { interval, seconds: clock.now() }
  }
}

/** @type {Record<string, Way>} */
const ways = { single, sequential, slices }

/**
 * @param {string} way
 * @param {string} machine
 * @param {{ truth?: number, wall?: number, rounds: number }} options wall: seconds
 * @returns {{ error: number, different: number }} root of the mean squared error of the log-ratio; share of rounds in
 *   which the arms are called different
 */
function getResultKind (way, machine, { truth = 1, wall = 90, rounds }) {
  const random = seriesOf('machine', way, machine, truth)
  const found = Array.from({ length: rounds }, () => ways[way](machines[machine], truth, wall, random))
  return {
    error: Math.sqrt(found.reduce((sum, { log }) => sum + (log - Math.log(truth)) ** 2, 0) / rounds),
    different: found.filter(({ different }) => different).length / rounds
  }
}

const ROUNDS = 200
const percent = (/** @type {number} */ share) => `${(share * 100).toFixed(1)} %`
const names = Object.keys(machines)
/** On this machine a slice needs a long time to settle, so alternating gains little. */
const SLOW = 'a machine that is slow to settle'

t.test('slices have the smallest error, and find a difference of equal arms in at most one of twenty runs', async t => {
  for (const machine of names) {
    const [slices, single, sequential] = ['slices', 'single', 'sequential']
      .map(way => getResultKind(way, machine, { rounds: ROUNDS }))
    const errors = [slices, single, sequential].map(({ error }) => percent(error)).join(', ')
    const limit = machine === SLOW ? 1 : 0.6
    t.ok(slices.error < limit * Math.min(single.error, sequential.error), `${machine}: ${errors}`)
    const shares = [slices, single, sequential].map(({ different }) => percent(different)).join(', ')
    t.ok(slices.different <= 0.05, `${machine}: ${shares}`)
    t.ok(Math.max(single.different, sequential.different) > 0.1, `${machine}: ${shares}`)
  }
})

t.test('--detect finds the difference in about four runs of five, or more', async t => {
  const random = seriesOf('detect')
  const options = { detect: 0.05, budgetSeconds: 1200 }
  const runs = Array.from({ length: 100 }, () => slicedRun(machines['a virtual machine'], 1.05, options, random))
  const found = runs.filter(({ interval: { low } }) => low > 1).length
  t.ok(found >= 75, `${found} of 100`)
  t.ok(runs.every(({ seconds }) => seconds < 1200), 'within the budget')
  const [half] = runs.map(({ seconds }) => seconds).sort((a, b) => a - b).slice(50)
  t.ok(half < 300, `half of them within ${half.toFixed(0)} s`)
})
