/** Figures of two states of an app that were measured in one run, base and head, with their verdicts (pure). */
import { judgeBounded, judgeRatio, noChange, withKnownEnds } from './change.js'
import { isBoundByLoad, summarizeChanges, whyInvalid } from './compare-runs.js'
import { isDrifting } from '../drift.js'
import { findNotSteady, findUnsteady, selectWarm } from '../not-steady.js'
import { computeInterval } from './run-estimate.js'
import { computeCommonCorrelation, computeMetrics, createMetric, estimatePair } from './run-metrics.js'
import { levelOfFamily, toInterimLevel } from '../stats/family.js'
import { median } from '../stats/quantile.js'
import { getBoundedSide } from '../verdict.js'
import { groupBy } from '../../shared/group-by.js'
import { COMPARISON_MARGIN, LEVEL } from '../../shared/thresholds.js'
import { DIED } from '../../shared/trial.js'

/** @import { Change, ChangeWhy, DiffMetric, DiffResult, Drift, RunRecord, Sample } from '../../types.js' */
/** @import { ChangeOptions } from './change.js' */

/** @typedef {{ record: RunRecord, samples: Sample[] }} Run */
/** @typedef {{ figure: DiffMetric['figure'], before: number | null, after: number | null }} Values */
/**
 * @typedef {{ level: number, margin: number, isInterim: boolean }} Settings margin: as a share; isInterim: whether the
 *   comparison decides that the run ends early
 */

/** Reasons of invalid windows that are faults of the app, not of the load generator or the machine. @type {string[]} */
const FAULTS_OF_APP = [DIED, 'errors']

/**
 * Compares head with base. CPU time, throughput and the 99th percentile decide. Memory and the size of responses are
 * reported with a verdict of their own, because neither makes a response slower.
 *
 * @param {Run} run whose contrasts are pairs of head and base
 * @param {{ margin?: number, windows?: Sample[] | null, isInterim?: boolean }} [options] margin: as a share; windows:
 *   of an open loop, all arms at the same rate; null: percentiles are not compared; isInterim: the comparison decides
 *   whether the run ends early
 * @returns {DiffResult}
 */
export function compareSides (run, { margin = COMPARISON_MARGIN, windows = null, isInterim = false } = {}) {
  const pairs = run.record.plan.contrasts
  const figures = computeMetrics(run)
  const correlations = pairs.map(pair => computeCommonCorrelation(pair, [figures]))
  const finalLevel = levelOfFamily(correlations, windows ? pairs.length : 0)
  const settings = { margin, level: isInterim ? toInterimLevel(finalLevel) : finalLevel, isInterim }
  const compared = pairs.flatMap(pair => [
    compareCpuTime(pair, run, figures, settings),
    compareRates(pair, run, figures, settings),
    ...windows ? [comparePercentiles(pair, run, windows, settings)] : [],
    ...compareMemory(pair, run, settings),
    ...compareBytes(pair, run, settings)
  ])
  return { margin, starts: figures.starts, figures: compared, ...summarizeChanges(compared) }
}

/**
 * Returns whether every figure of some kinds has a verdict at the level of an interim look, so that the run can end
 * early.
 *
 * @param {Run} run so far
 * @param {{ margin: number, windows?: Sample[], kinds: DiffMetric['figure'][] }} options
 */
export const areSidesResolved = (run, { margin, windows, kinds }) =>
  compareSides(run, { margin, windows, isInterim: true }).figures
    .filter(({ figure }) => kinds.includes(figure))
    .every(figure => figure.verdict !== 'inconclusive' || cannotBeDecided(figure))

/**
 * Returns whether more blocks cannot lead to a verdict, because an arm was not steady or the load generator was the
 * bottleneck. Only an upper bound below 1 can still show a slowdown.
 *
 * @param {DiffMetric} figure inconclusive
 */
function cannotBeDecided ({ why, ratio, baseline }) {
  if (why?.code === 'not-steady') return true
  if (why?.code !== 'load-bound') return false
  const canBeSlower = why.params.arm === baseline && Number(ratio) < 1
  return !canBeSlower
}

/**
 * Creates a figure of a pair.
 *
 * @param {[string, string]} pair head and base
 * @param {Values} values
 * @param {Change} change
 * @param {boolean} decides whether the exit code depends on the figure
 * @returns {DiffMetric}
 */
const toMetric = ([arm, baseline], values, change, decides) => ({ ...values, arm, baseline, decides, ...change })

/**
 * Returns the change of a figure that decides. A ratio of a single start decides nothing, because its interval lacks
 * the variation between starts, by which equal apps can differ by more than the margin.
 *
 * @param {ReturnType<typeof createMetric>} metric
 * @param {[string, string]} pair
 * @param {ChangeOptions & { starts: number }} options
 * @param {ChangeWhy | null} lost why the figure is invalid
 * @param {Parameters<typeof judgeBounded>[1]} [bound] arm: the arm whose rate is a lower bound, head if both are;
 *   undefined: neither
 * @returns {Change}
 */
function toChange (metric, pair, { starts, ...options }, lost, bound = { side: null, arm: undefined }) {
  if (lost) return noChange(options, 'invalid', lost)
  const estimate = estimatePair(metric, pair, { starts, level: options.level })
  if (!Number.isFinite(estimate.ratio)) return noChange(options, 'invalid', { code: 'nothing-valid', params: {} })
  const change = judgeBounded(withKnownEnds(estimate), bound, options)
  if (starts > 1) return change
  return { ...change, verdict: 'inconclusive', why: { code: 'one-start', params: {} }, sees: null }
}

/**
 * Returns a change, or an inconclusive one if the figure is not that of the steady state. Drift is tested at the end of
 * a run only, so that chance at one of many looks does not make a figure inconclusive.
 *
 * @param {Change} change
 * @param {[string, string]} pair
 * @param {RunRecord} record
 * @param {{ drift?: Drift | null, windows?: Sample[] } & Settings} context windows: of an open loop, whose starts have
 *   a warm-up of their own
 * @returns {Change}
 */
function whereSteady (change, pair, { arms }, { drift, windows, margin, isInterim }) {
  if (change.verdict === 'invalid') return change
  const measured = pair.map(name => windows
    ? { name, unsteady: findUnsteady(windows.filter(({ arm }) => arm === name)) ?? undefined }
    : arms.find(arm => arm.name === name))
  const notSteady = findNotSteady(measured)
  if (notSteady) return { ...change, verdict: 'inconclusive', why: notSteady, sees: null }
  if (isInterim || !isDrifting(drift, margin)) return change
  return { ...change, verdict: 'inconclusive', why: { code: 'drift', params: drift }, sees: null }
}

/**
 * Returns the arms of a pair, base first.
 *
 * @param {[string, string]} pair head and base
 * @param {RunRecord} record
 */
const getArms = ([arm, baseline], { arms }) => [baseline, arm].map(wanted => arms.find(({ name }) => name === wanted))

/**
 * Compares the CPU time per request of proxy and server together.
 *
 * @param {[string, string]} pair
 * @param {Run} run
 * @param {ReturnType<typeof computeMetrics>} figures
 * @param {Settings} settings
 */
function compareCpuTime (pair, { record }, { starts, cost }, settings) {
  const [before, after] = getArms(pair, record).map(arm =>
    arm?.cpuMicrosPerRequest ? arm.cpuMicrosPerRequest.proxy + arm.cpuMicrosPerRequest.server : null)
  const change = toChange(cost, pair, { ...settings, starts, worse: 'higher' }, whyInvalid(pair, [record]))
  const judged = whereSteady(change, pair, record, { ...settings, drift: cost.drift(pair) })
  return toMetric(pair, { figure: 'cpu', before, after }, judged, true)
}

/**
 * Compares the rates. If the load generator limited only base, the ratio is an upper bound, so that a slower head is
 * still found.
 *
 * @param {[string, string]} pair
 * @param {Run} run
 * @param {ReturnType<typeof computeMetrics>} figures
 * @param {Settings} settings
 */
function compareRates (pair, { record }, { starts, rate }, settings) {
  const [base, head] = getArms(pair, record)
  const [before, after] = [base, head].map(arm => arm?.rps?.median ?? null)
  const side = getBoundedSide(isBoundByLoad(record, pair[0]), isBoundByLoad(record, pair[1]))
  const arm = pair.find(name => isBoundByLoad(record, name))
  const lost = whyInvalid(pair, [record])
  const change = toChange(rate, pair, { ...settings, starts, worse: 'lower' }, lost, { side, arm })
  const judged = whereSteady(change, pair, record, { ...settings, drift: rate.drift(pair) })
  return toMetric(pair, { figure: 'throughput', before, after }, judged, true)
}

/**
 * Returns the fault if exactly one app of the pair failed in a window. Percentiles of the remaining windows would hide
 * the fault.
 *
 * @param {[string, string]} pair
 * @param {Sample[]} windows
 * @returns {ChangeWhy | null} null: neither or both failed
 */
function findWindowFault (pair, windows) {
  const [fault, otherFault] = pair.flatMap(name => windows.find(({ arm, invalid }) =>
    arm === name && invalid && FAULTS_OF_APP.includes(invalid.code)) ?? [])
  if (!fault?.invalid || otherFault) return null
  return { code: 'arm-invalid', params: { arm: fault.arm, reason: fault.invalid } }
}

/**
 * Compares the 99th percentiles of windows in turn. The windows of other pairs improve the estimate of the variance
 * between starts.
 *
 * @param {[string, string]} pair
 * @param {Run} run
 * @param {Sample[]} windows of all arms
 * @param {Settings} settings
 */
function comparePercentiles (pair, { record }, windows, settings) {
  const valid = selectWarm(windows).filter(({ invalid, latencyMs }) => !invalid && latencyMs)
  const byArm = new Map([...groupBy(valid, ({ arm }) => arm)].map(([name, ofArm]) =>
    [name, new Map(ofArm.map(({ block, latencyMs }) => [block, Number(latencyMs?.p99)]))]))
  const startOf = new Map(valid.map(({ block, start = 0 }) => [block, start]))
  const starts = new Set(startOf.values()).size
  const [arm, baseline] = pair.map(name => [...byArm.get(name)?.values() ?? []])
  const [before, after] = [baseline, arm].map(values => values.length > 0 ? median(values) : null)
  const metric = createMetric(byArm, startOf)
  const options = { ...settings, starts, worse: /** @type {const} */ ('higher') }
  const change = toChange(metric, pair, options, findWindowFault(pair, windows))
  const judged = whereSteady(change, pair, record, { ...settings, windows: valid })
  return toMetric(pair, { figure: 'p99', before, after }, judged, true)
}

/**
 * Compares the memory of both arms after the same number of requests in each start. The interval has the level of a
 * single one, because figures that do not decide are not in the family.
 *
 * @param {[string, string]} pair
 * @param {Run} run
 * @param {Settings} settings
 * @returns {DiffMetric[]} empty: the system reports no memory
 */
function compareMemory (pair, { samples }, { margin }) {
  const found = getMemoryAtEqualRequests(samples, pair)
  if (found.length === 0) return []
  const estimate = computeInterval(estimateMean(found.map(({ log }) => log)), LEVEL)
  const change = judgeRatio(withKnownEnds(estimate), { margin, level: LEVEL, worse: 'higher' })
  const values = {
    figure: /** @type {const} */ ('memory'),
    before: median(found.map(({ baseMiB }) => baseMiB)),
    after: median(found.map(({ headMiB }) => headMiB))
  }
  return [toMetric(pair, values, change, false)]
}

/**
 * Returns the memory of both arms in each start, after as many requests as the arm with fewer requests served, because
 * an app that has served more requests has filled more of its heap.
 *
 * @param {Sample[]} samples
 * @param {[string, string]} pair head and base
 * @returns {{ headMiB: number, baseMiB: number, log: number }[]} log: natural logarithm of head ÷ base
 */
const getMemoryAtEqualRequests = (samples, pair) =>
  [...groupBy(samples, ({ start = 0 }) => start).values()].flatMap(ofStart => {
    const [after, before] = pair.map(name => accumulate(ofStart.filter(({ arm }) => arm === name)))
    const requests = Math.min(after.at(-1)?.requests ?? 0, before.at(-1)?.requests ?? 0)
    const [headMiB, baseMiB] = [after, before].map(points => points.find(point => point.requests >= requests)?.mib ?? 0)
    return headMiB > 0 && baseMiB > 0 ? [{ headMiB, baseMiB, log: Math.log(headMiB / baseMiB) }] : []
  })

/**
 * Returns the memory after each trial, with the requests up to its end.
 *
 * @param {Sample[]} samples of an arm in one start
 */
function accumulate (samples) {
  let requests = 0
  return samples.filter(sample => sample.requests > 0).map(({ requests: count, memoryMiB }) => {
    requests += count
    return { requests, mib: memoryMiB.proxy + memoryMiB.server }
  })
}

/**
 * Returns the mean and its variance as a RunEstimate. The variance is NaN with one value.
 *
 * @param {number[]} values at least one
 */
function estimateMean (values) {
  const n = values.length
  const centre = values.reduce((sum, value) => sum + value, 0) / n
  const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0)
  return { centre, variance: squares / (n - 1) / n, df: n - 1, starts: n, startVariance: NaN }
}

/**
 * Compares the sizes of responses on the wire, which are counted and have no noise.
 *
 * @param {[string, string]} pair
 * @param {Run} run
 * @param {Settings} settings
 * @returns {DiffMetric[]} empty: not measured
 */
function compareBytes (pair, { record }, { margin }) {
  const [before, after] = getArms(pair, record).map(arm => arm?.bytesPerResponse ?? null)
  if (!before || !after) return []
  const ratio = after / before
  const change = judgeRatio({ ratio, low: ratio, high: ratio }, { margin, level: LEVEL, worse: 'higher' })
  return [toMetric(pair, { figure: 'bytes', before, after }, { ...change, sees: null }, false)]
}
