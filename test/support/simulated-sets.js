/** Simulates sets of runs whose figures are consistent, with noise between starts. Seeded, like simulate.js. */
import { createArm } from '../../bench/plan/plan.js'
import { parse } from '../../bench/plan/spec.js'
import { tQuantile } from '../../bench/judge/stats/student.js'
import { makeArm, makeContrast, makePlan, makeRecord, makeSample } from './record.js'
import { normal, seriesOf } from './simulate.js'

/** @import { Run } from '../perf/consistency.js' */

const LEVEL = 0.99
const STARTS = 5
const BLOCKS = 4
/** Standard deviation of the rate of a start, as on virtual machines (docs/method.md). */
const START_SD = 0.03
/** Requests per second of each arm. */
const RATES = { direct: 8000, tcp: 3000, keepalive: 6000, pool: 7000 }
const SPECS = {
  direct: 'express-json',
  tcp: 'nginx:tcp/express-json',
  keepalive: 'nginx:keepalive/express-json',
  pool: 'nginx:uds-keepalive/express-json'
}
/** Arms and contrasts of three experiments. Every two of them have arms in common, and the contrasts are a triangle. */
const EXPERIMENTS = [
  { run: 'one', names: ['direct', 'tcp', 'keepalive'], contrasts: [['keepalive', 'tcp'], ['tcp', 'direct']] },
  { run: 'two', names: ['tcp', 'keepalive', 'pool'], contrasts: [['keepalive', 'tcp'], ['pool', 'keepalive']] },
  { run: 'three', names: ['direct', 'tcp', 'pool'], contrasts: [['pool', 'tcp'], ['pool', 'direct']] }
]
export const calibration = { arithmetic: 1, memory: 1, systemCalls: 1, roundTrips: 1 }

/**
 * Simulates a run with noise between starts, and with rates that a factor changes.
 *
 * @param {typeof EXPERIMENTS[number]} experiment
 * @param {{ random: () => number, factors?: Record<string, number>, tools?: Record<string, string> }} options
 * @returns {Run}
 */
function simulate ({ run, names, contrasts }, { random, factors = {}, tools = { nginx: '1.30.6' } }) {
  const arms = names.map(name => ({ ...createArm(parse(SPECS[/** @type {keyof typeof SPECS} */ (name)])), name }))
  const logs = new Map(names.map(name => [name, Array.from({ length: STARTS }, () =>
    Math.log(RATES[/** @type {keyof typeof RATES} */ (name)] * (factors[name] ?? 1)) + START_SD * normal(random))]))
  const record = makeRecord({
    run,
    tools,
    plan: makePlan({ arms, twin: null, contrasts: /** @type {[string, string][]} */ (contrasts) }),
    arms: arms.map(arm => makeArm(arm)),
    contrasts: contrasts.map(([arm, baseline]) => {
      const values = logs.get(arm)?.map((log, i) => log - Number(logs.get(baseline)?.[i])) ?? []
      const centre = values.reduce((a, b) => a + b, 0) / STARTS
      const variance = values.reduce((a, b) => a + (b - centre) ** 2, 0) / (STARTS - 1) / STARTS
      const half = tQuantile((1 + LEVEL) / 2, STARTS - 1) * Math.sqrt(variance)
      const [ratio, low, high] = [centre, centre - half, centre + half].map(Math.exp)
      return makeContrast({ arm, baseline, ratio, low, high, level: LEVEL, starts: STARTS, df: STARTS - 1 })
    })
  })
  const samples = [...logs].flatMap(([arm, ofStarts]) => ofStarts.flatMap((log, start) =>
    Array.from({ length: BLOCKS }, (_, i) =>
      makeSample({ arm, start, block: start * BLOCKS + i, rps: Math.exp(log + START_SD / 2 * normal(random)) }))))
  return { record: { ...record, environment: { ...record.environment, calibration } }, samples }
}

/** @type {(seed: string, changes?: Record<string, Partial<Parameters<typeof simulate>[1]>>) => Run[]} */
export const simulateSet = (seed, changes = {}) => {
  const random = seriesOf(seed)
  return EXPERIMENTS.map(experiment => simulate(experiment, { random, ...changes[experiment.run] }))
}
