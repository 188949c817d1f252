/** Figures of two states of an app that were measured in one run, base and head, with their verdicts (pure). */
import { judgeHidden, judgeRatio, noChange } from './change.js'
import { isBoundByLoad, summarize, whyInvalid } from './compare-runs.js'
import { computeInterval } from './run-estimate.js'
import { computeCommonCorrelation, computeFigures, createFigure, estimatePair } from './run-figures.js'
import { levelOfFamily, toInterimLevel } from './stats/family.js'
import { median } from './stats/quantile.js'
import { getKnownSide } from './verdict.js'
import { groupBy } from '../shared/group-by.js'
import { COMPARISON_MARGIN, LEVEL } from '../shared/thresholds.js'
import { DIED } from '../shared/trial.js'

/** @import { ChangeWhy, DiffFigure, DiffResult, RunRecord, Sample } from '../types.js' */
/** @import { Change } from './change.js' */

/** @typedef {{ record: RunRecord, samples: Sample[] }} Run */
/** @typedef {{ figure: DiffFigure['figure'], before: number | null, after: number | null }} Values */
/** @typedef {{ level: number, margin: number }} Settings margin: as a share */

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
  const figures = computeFigures(run)
  const correlations = pairs.map(pair => computeCommonCorrelation(pair, [figures]))
  const finalLevel = levelOfFamily(correlations, windows ? pairs.length : 0)
  const settings = { margin, level: isInterim ? toInterimLevel(finalLevel) : finalLevel }
  const compared = pairs.flatMap(pair => [
    compareCpuTime(pair, run, figures, settings),
    compareRates(pair, run, figures, settings),
    ...windows ? [comparePercentiles(pair, windows, settings)] : [],
    ...compareMemory(pair, run, settings),
    ...compareBytes(pair, run, settings)
  ])
  return {
    margin, starts: figures.starts, figures: compared, ...summarize(compared.filter(({ decides }) => decides))
  }
}

/**
 * Whether every figure of some kinds has a verdict at the level of an interim look, so that the run can end early.
 *
 * @param {Run} run so far
 * @param {{ margin: number, windows?: Sample[], kinds: DiffFigure['figure'][] }} options
 */
export const areSidesResolved = (run, { margin, windows, kinds }) =>
  compareSides(run, { margin, windows, isInterim: true }).figures
    .filter(({ figure }) => kinds.includes(figure))
    .every(figure => figure.verdict !== 'inconclusive' || isHidden(figure))

/**
 * Whether more blocks cannot lead to a verdict, because the load generator hides the end of the interval that matters.
 *
 * @param {DiffFigure} figure inconclusive
 */
function isHidden ({ why, ratio, baseline }) {
  if (why?.code !== 'load-bound') return false
  const canBeSlower = why.params.arm === baseline && Number(ratio) < 1
  return !canBeSlower
}

/**
 * @param {[string, string]} pair
 * @param {Values} values
 * @param {Change} change
 * @param {boolean} decides
 * @returns {DiffFigure}
 */
const toFigure = ([arm, baseline], values, change, decides) => ({ ...values, arm, baseline, decides, ...change })

/**
 * Returns the ratio of a pair, with null in place of ends that are unknown.
 *
 * @param {ReturnType<typeof createFigure>} figure
 * @param {[string, string]} pair
 * @param {{ starts: number, level: number }} options
 */
function estimateRatio (figure, pair, { starts, level }) {
  const found = estimatePair(figure, pair, { starts, level })
  const isKnown = found.low > 0 && found.high < Infinity
  return { ratio: found.ratio, low: isKnown ? found.low : null, high: isKnown ? found.high : null }
}

/**
 * Returns the change of a figure, unless an arm is invalid.
 *
 * @param {[string, string]} pair
 * @param {RunRecord} record
 * @param {Settings} settings
 * @param {() => Change} getChange
 */
function unlessInvalid (pair, record, { level }, getChange) {
  const lost = pair.map(name => whyInvalid(record, name)).find(why => why !== null)
  return lost ? noChange(level, 'invalid', lost) : getChange()
}

/**
 * Returns the change of a figure that decides. A ratio of a single start decides nothing, because its interval lacks
 * the variation between starts, by which equal apps can differ by more than the margin.
 *
 * @param {{ ratio: number, low: number | null, high: number | null }} estimate
 * @param {Settings & { starts: number, kind: 'rate' | 'cost' }} settings
 * @param {Parameters<typeof judgeHidden>[1]} [hidden] arm: head, if its rate is a lower bound, else base
 * @returns {Change}
 */
function toChange (estimate, { starts, ...settings }, hidden = { known: null, arm: undefined }) {
  const { level } = settings
  if (!Number.isFinite(estimate.ratio)) return noChange(level, 'invalid', { code: 'nothing-valid', params: {} })
  const change = judgeHidden(estimate, hidden, settings)
  if (starts > 1) return change
  return { ...change, verdict: 'inconclusive', why: { code: 'one-start', params: {} }, sees: null }
}

/**
 * Returns the arms of a pair, base first.
 *
 * @param {[string, string]} pair head and base
 * @param {RunRecord} record
 */
const getArms = ([arm, baseline], { arms }) => [baseline, arm].map(wanted => arms.find(({ name }) => name === wanted))

/** @param {number | null | undefined} value */
const toKnown = value => value ?? null

/**
 * @param {[string, string]} pair
 * @param {Run} run
 * @param {ReturnType<typeof computeFigures>} figures
 * @param {Settings} settings
 */
function compareCpuTime (pair, { record }, { starts, cost }, settings) {
  const [before, after] = getArms(pair, record).map(arm =>
    arm?.cpuMicrosPerRequest ? arm.cpuMicrosPerRequest.proxy + arm.cpuMicrosPerRequest.server : null)
  const change = unlessInvalid(pair, record, settings, () =>
    toChange(estimateRatio(cost, pair, { starts, level: settings.level }), { ...settings, starts, kind: 'cost' }))
  return toFigure(pair, { figure: 'cpu', before, after }, change, true)
}

/**
 * Compares the rates. If the load generator limited only base, the ratio is an upper bound, so that a slower head is
 * still found.
 *
 * @param {[string, string]} pair
 * @param {Run} run
 * @param {ReturnType<typeof computeFigures>} figures
 * @param {Settings} settings
 */
function compareRates (pair, { record }, { starts, rate }, settings) {
  const [base, head] = getArms(pair, record)
  const [before, after] = [base, head].map(arm => toKnown(arm?.rps?.median))
  const known = getKnownSide(head?.bound ?? 'none', base?.bound ?? 'none')
  const arm = pair.find(name => isBoundByLoad(record, name))
  const change = unlessInvalid(pair, record, settings, () => {
    const estimate = estimateRatio(rate, pair, { starts, level: settings.level })
    return toChange(estimate, { ...settings, starts, kind: 'rate' }, { known, arm })
  })
  return toFigure(pair, { figure: 'throughput', before, after }, change, true)
}

/**
 * Returns the fault of one app in windows that the other app served, because percentiles of the other windows would be
 * those of an app that works.
 *
 * @param {[string, string]} pair
 * @param {Sample[]} windows
 * @returns {ChangeWhy | null}
 */
function findFault (pair, windows) {
  const [fault, other] = pair.flatMap(name => windows.find(({ arm, invalid }) =>
    arm === name && invalid && FAULTS_OF_APP.includes(invalid.code)) ?? [])
  if (!fault?.invalid || other) return null
  return { code: 'arm-invalid', params: { arm: fault.arm, reason: fault.invalid } }
}

/**
 * Compares the 99th percentiles of windows in turn.
 *
 * @param {[string, string]} pair
 * @param {Sample[]} windows
 * @param {Settings} settings
 */
function comparePercentiles (pair, windows, settings) {
  const valid = windows.filter(({ invalid, latencyMs }) => !invalid && latencyMs)
  const byArm = new Map(pair.map(name => [name, new Map(valid.filter(({ arm }) => arm === name)
    .map(({ block, latencyMs }) => [block, Number(latencyMs?.p99)]))]))
  const startOf = new Map(valid.map(({ block, start = 0 }) => [block, start]))
  const starts = new Set(startOf.values()).size
  const [arm, baseline] = pair.map(name => [...byArm.get(name)?.values() ?? []])
  const estimate = estimateRatio(createFigure(byArm, startOf), pair, { starts, level: settings.level })
  const [before, after] = [baseline, arm].map(values => values.length > 0 ? median(values) : null)
  const fault = findFault(pair, windows)
  const change = fault
    ? noChange(settings.level, 'invalid', fault)
    : toChange(estimate, { ...settings, starts, kind: 'cost' })
  return toFigure(pair, { figure: 'p99', before, after }, change, true)
}

/**
 * Compares the memory of both arms after the same number of requests in each start, because an app that has served more
 * requests has filled more of its heap.
 *
 * @param {[string, string]} pair
 * @param {Run} run
 * @param {Settings} settings
 * @returns {DiffFigure[]} empty: the system reports no memory
 */
function compareMemory (pair, { samples }, { margin }) {
  const found = [...groupBy(samples, ({ start = 0 }) => start).values()].flatMap(ofStart => {
    const [after, before] = pair.map(name => accumulate(ofStart.filter(({ arm }) => arm === name)))
    const requests = Math.min(after.at(-1)?.requests ?? 0, before.at(-1)?.requests ?? 0)
    const [headMiB, baseMiB] = [after, before].map(points => points.find(point => point.requests >= requests)?.mib ?? 0)
    return headMiB > 0 && baseMiB > 0 ? [{ headMiB, baseMiB, log: Math.log(headMiB / baseMiB) }] : []
  })
  if (found.length === 0) return []
  const estimate = computeInterval(estimateMean(found.map(({ log }) => log)), LEVEL)
  const isKnown = estimate.high < Infinity
  const change = judgeRatio({
    ratio: estimate.ratio, low: isKnown ? estimate.low : null, high: isKnown ? estimate.high : null
  }, { margin, level: LEVEL, kind: 'cost' })
  const values = {
    figure: /** @type {const} */ ('memory'),
    before: median(found.map(({ baseMiB }) => baseMiB)),
    after: median(found.map(({ headMiB }) => headMiB))
  }
  return [toFigure(pair, values, change, false)]
}

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

/** @param {number[]} values at least one */
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
 * @returns {DiffFigure[]} empty: not measured
 */
function compareBytes (pair, { record }, { margin }) {
  const [before, after] = getArms(pair, record).map(arm => toKnown(arm?.bytesPerResponse))
  if (!before || !after) return []
  const ratio = after / before
  const change = judgeRatio({ ratio, low: ratio, high: ratio }, { margin, level: LEVEL, kind: 'cost' })
  return [toFigure(pair, { figure: 'bytes', before, after }, { ...change, sees: null }, false)]
}
