/**
 * Compares the estimated capacity of apps under a quota with the measured one (pure). `npm run perf -- q` measures,
 * results/reference/quotas.json has the measurements, and test/features/size/capacity/quota-measured.test.js repeats
 * the estimate.
 */
import { capacityUnder } from '../../bench/features/size/capacity/cost.js'
import {
  adviseFor, computeDelay, estimateInstance, estimateRange, toMeasured
} from '../../bench/features/size/prices/instance.js'

/** @import { Offering, SizedTopology } from '../../bench/types.js' */
/** @import { Line } from './index.js' */

export const GOALS_MS = [25, 50, 100, 250]
/** Highest rate that is tried, as a multiple of the highest estimate. */
export const ABOVE = 1.4
/** Windows beyond the highest rate of the searches, at most. Without them a
 * rate that every window met only bounds the measured capacity from below. */
const MAX_BEYOND = 4
/** Ratio of two rates beyond those of the searches, at least. */
const STEP_BEYOND = 1.12

/**
 * @typedef {object} Seen of one app under one quota
 * @property {string} app
 * @property {number} cpu the quota, cores
 * @property {number} cores that there are
 * @property {number} unloadedMs median
 * @property {{ rate: number, cores: number }[]} usages without the quota
 * @property {number | null} burst seconds of CPU time, as burstSeconds() computes them without the quota
 * @property {number | null} pause the same of pauseSeconds()
 * @property {{ rate: number, p99Ms: number | null }[]} outcomes under the quota; null: something failed
 */
/** @typedef {{ app: string, cpu: number, p99Ms: number, estimated: number, measured: number }} Cell rates */

/**
 * @param {Seen} seen
 * @param {number[]} [goals] ms
 * @returns {Cell[]}
 */
export const cellsOf = (seen, goals = GOALS_MS) => goals.map(p99Ms => ({
  app: seen.app,
  cpu: seen.cpu,
  p99Ms,
  estimated: estimated(seen, p99Ms),
  measured: threshold(seen.outcomes.map(({ rate, p99Ms: seenMs }) => ({ rate, holds: (seenMs ?? Infinity) <= p99Ms })))
}))

/**
 * @param {Seen} seen
 * @param {number} p99Ms
 */
function estimated ({ cpu, cores, unloadedMs, usages, burst, pause }, p99Ms) {
  const delay = computeDelay({ p50Ms: unloadedMs }, p99Ms)
  const uneven = burst === null ? null : { cores, delay, burst, pause: pause ?? undefined }
  return capacityUnder(cpu, usages, Infinity, uneven).rate
}

/**
 * Finds the rate that best separates the windows that meet the goal from the others: the middle of the range with the
 * fewest windows on the wrong side.
 * @param {{ rate: number, holds: boolean }[]} outcomes
 */
function threshold (outcomes) {
  const byRate = [...outcomes].sort((a, b) => a.rate - b.rate)
  const wrong = Array.from({ length: byRate.length + 1 }, (_, i) =>
    byRate.filter(({ holds }, j) => holds === (j >= i)).length)
  const least = Math.min(...wrong)
  const between = (/** @type {number} */ i) =>
    Math.sqrt((byRate[i - 1] ?? byRate[0]).rate * (byRate[i] ?? byRate[i - 1]).rate)
  return Math.sqrt(between(wrong.indexOf(least)) * between(wrong.lastIndexOf(least)))
}

/**
 * Returns rates above the highest one so far, at equal ratios, up to the target.
 * @param {number} highest rate so far
 * @param {number} target
 */
export function ratesBeyond (highest, target) {
  const ratio = target / highest
  if (!(ratio > 1)) return []
  const steps = Math.min(MAX_BEYOND, Math.ceil(Math.log(ratio) / Math.log(STEP_BEYOND)))
  return Array.from({ length: steps }, (_, i) => highest * ratio ** ((i + 1) / steps))
}

/** Goals of the held-out validation: share of the cells in the printed range, and the largest overestimate. */
const HELD_OUT_GOALS = { covered: 0.9, above: 1.25 }
/** Memory of the offerings of the held-out validation: more than any of its apps uses. */
const PLENTY_MIB = 16_384

/**
 * @typedef {object} HeldOutCell
 * @property {number} cpu the quota, cores
 * @property {number} measured requests per second under the quota; 0: the goal fails at all rates
 * @property {boolean} atLeast the load was the bottleneck
 * @property {number[]} searches
 * @property {number} windows
 * @property {number} seconds that the cell took
 */
/**
 * @typedef {object} HeldOut of one app
 * @property {string} app
 * @property {number} p99Ms the goal
 * @property {number | null} otherShare share of the cores that other programs used before the sizing
 * @property {SizedTopology} sizing without a quota
 * @property {HeldOutCell[]} cells
 */

/**
 * Estimates what an instance with so many cores serves, as a sizing prints.
 * @param {Pick<HeldOut, 'p99Ms' | 'otherShare' | 'sizing'>} found
 * @param {number} cpu
 * @returns {{ estimated: number, low: number, high: number }} requests per second
 */
export function estimateHeldOut ({ p99Ms, otherShare, sizing }, cpu) {
  // The cores of an instance are those of this machine.
  const measured = toMeasured(sizing, p99Ms, 0, { otherShare, score: 1 })
  const offering = /** @type {Offering} */ (/** @type {unknown} */ ({
    provider: 'cores', name: String(cpu), vcpu: cpu, memoryMiB: PLENTY_MIB, score: { value: 1 }
  }))
  const { workers } = adviseFor(offering, cpu, measured)
  const { rate } = estimateInstance(offering, { cores: cpu, workers }, measured)
  const { low, high } = estimateRange(offering, measured) ?? { low: rate, high: rate }
  return { estimated: rate, low, high }
}

/** Returns the cells with their estimates. @param {HeldOut[]} found */
const listHeldOut = found => found.flatMap(one => one.cells.map(cell => {
  const estimate = estimateHeldOut(one, cell.cpu)
  const { measured, atLeast } = cell
  return {
    ...cell,
    ...estimate,
    app: one.app,
    p99Ms: one.p99Ms,
    isPrinted: estimate.estimated > 0,
    // A load generator that was late shows nothing about a rate that it did not reach.
    isLate: atLeast && measured < estimate.low,
    isCovered: measured >= estimate.low && (atLeast || measured <= estimate.high),
    above: estimate.estimated === 0 || atLeast ? 0 : estimate.estimated / measured
  }
}))

/**
 * Prints the cells as a table in Markdown.
 * @param {HeldOut[]} found
 */
export const heldOutTable = found => [
  '| app | goal, ms | cores | estimated, req/s | range | measured | in range | estimated ÷ measured |',
  '| --- | ---: | ---: | ---: | --- | ---: | --- | ---: |',
  ...listHeldOut(found).map(({ app, p99Ms, cpu, estimated, low, high, measured, atLeast, ...cell }) => {
    const [rate, least, most, real] = [estimated, low, high, measured].map(Math.round)
    return `| ${app} | ${p99Ms} | ${cpu} | ${rate} | ${least} to ${most} | ${atLeast ? '≥ ' : ''}${real} | ` +
      `${cell.isLate ? 'generator late' : cell.isPrinted ? cell.isCovered ? 'yes' : 'no' : 'nothing printed'} | ` +
      `${Number.isFinite(cell.above) ? cell.above.toFixed(2) : 'not served'} |`
  })
].join('\n')

/**
 * Judges the held-out cells.
 * @param {HeldOut[]} found
 * @returns {Line[]}
 */
export function heldOutGoals (found) {
  const all = listHeldOut(found)
  const late = all.filter(({ isLate }) => isLate).length
  const without = late > 0 ? `, ${late} left out because the load was late` : ''
  // The price table has no range where the model finds that an instance serves nothing at the goal.
  const rates = all.filter(({ isPrinted, isLate }) => !isPrinted && !isLate)
    .map(({ measured }) => Math.round(measured))
  const served = rates.length > 0 ? `, ${rates.length} left out without a range (${rates.join(', ')} req/s)` : ''
  const cells = all.filter(({ isPrinted, isLate }) => isPrinted && !isLate)
  const covered = cells.filter(({ isCovered }) => isCovered).length
  const above = Math.max(...cells.map(cell => cell.above))
  return [
    {
      what: `held-out cells in the printed range${without}${served}`,
      measured: `${covered} of ${cells.length}`,
      goal: `≥ ${100 * HELD_OUT_GOALS.covered} %`,
      met: covered >= HELD_OUT_GOALS.covered * cells.length
    },
    {
      what: 'the largest overestimate of a held-out cell',
      measured: `a factor of ${above.toFixed(2)}`,
      goal: `≤ ${HELD_OUT_GOALS.above}`,
      met: above <= HELD_OUT_GOALS.above
    }
  ]
}
