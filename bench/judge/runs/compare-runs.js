/**
 * Comparison of two runs (pure). Figures that do not depend on the machine decide: ratios between arms of the same run,
 * and CPU time per request relative to the baseline. Rates decide only if both runs are from machines of the same kind
 * and speed.
 */
import { changeBetween, changeOverStarts, judgeBounded, noChange } from './change.js'
import { findMachineDifferences, findSpeedDifferences, isSpeedKnown } from '../machines.js'
import { findNotSteady } from '../not-steady.js'
import { computeCommonCorrelation, computeMetrics, estimatePair } from './run-metrics.js'
import { levelOfFamily } from '../stats/family.js'
import { getBoundedSide, isLimitedByLoad } from '../verdict.js'
import { startsEachTrial } from '../../plan/plan.js'
import { COMPARISON_MARGIN } from '../../shared/thresholds.js'
import { diffLines } from 'diff'

/** @import { ArmResult, Change, ChangeWhy, RatioInterval, RunRecord, Sample } from '../../types.js' */
/** @import { Difference } from '../machines.js' */
/** @import { ChangeOptions } from './change.js' */
/** @import { RunMetrics } from './run-metrics.js' */
/** @import { RatioBound } from '../verdict.js' */

/** Exit code of a comparison that shows a slowdown, so that a build can fail. */
export const SLOWER_EXIT = 3

/** @typedef {{ record: RunRecord, samples: Sample[], configs?: Record<string, string> }} Run configs: text by file */
/** @typedef {Change & { decides: boolean }} ComparedChange decides: false: not comparable */
/**
 * Rates of an arm in units per second; null: nothing valid was measured.
 *
 * @typedef {ComparedChange & { arm: string, before: number | null, after: number | null, rates:
 *   ArmResult['rps'][] }} ComparedArm
 */
/**
 * Ratios of arm ÷ baseline within each run; NaN without a block.
 *
 * @typedef {ComparedChange & { arm: string, baseline: string, before: RatioInterval, after: RatioInterval }}
 *   ComparedPair
 */

/**
 * @typedef {object} Comparison
 * @property {{ before: string, after: string }} runs
 * @property {{ before: number, after: number }} starts of each run
 * @property {boolean} startsEachTrial whether each trial of both runs has new processes
 * @property {RunRecord['unit']} unit
 * @property {number} margin
 * @property {ComparedPair[]} contrasts relative throughput, within each run
 * @property {ComparedPair[]} costs CPU time of proxy and server per unit relative to the baseline, within each run
 * @property {ComparedArm[]} arms rates; none decides if `ratesApart` has a reason
 * @property {ChangeWhy | null} ratesApart why rates do not decide; null: they decide
 * @property {{ before: string[], after: string[] }} only arms of one run only
 * @property {Difference[]} differences of environment, programs, topologies and load
 * @property {ReturnType<typeof configDifferences>} configs differences in the files of both runs
 * @property {boolean} slower whether a deciding figure is worse by more than the margin
 * @property {boolean} open whether a deciding figure is inconclusive, or none decides
 * @property {number | null} sees slowdown that is detectable in every deciding figure at 80 % power; null: none
 */

/**
 * @param {Run} before
 * @param {Run} after
 * @param {{ margin?: number, rates?: boolean }} [options] margin: as a share; rates: false: rates never decide
 * @returns {Comparison}
 */
export function compareRuns (before, after, { margin = COMPARISON_MARGIN, rates = true } = {}) {
  const both = listArms(before).filter(name => listArms(after).includes(name))
  const pairs = listPairs(before).filter(([arm, baseline]) =>
    both.includes(arm) && both.includes(baseline) &&
    listPairs(after).some(pair => pair.join('\0') === [arm, baseline].join('\0'))
  )
  const ratesApart = whyApart(before.record, after.record, { rates })
  const runs = [computeMetrics(before), computeMetrics(after)]
  const correlations = pairs.map(pair => computeCommonCorrelation(pair, runs))
  const level = levelOfFamily(correlations, ratesApart === null ? both.length : 0)
  const settings = { level, margin, runs }
  const contrasts = pairs.map(pair => comparePair(pair, before, after, { ...settings, kind: 'rate' }))
  const costs = pairs.map(pair => comparePair(pair, before, after, { ...settings, kind: 'cost' }))
  const arms = both.map(arm => compareArm(arm, before, after, { ...settings, ratesApart }))
  return {
    runs: { before: before.record.run, after: after.record.run },
    starts: { before: runs[0].starts, after: runs[1].starts },
    startsEachTrial: [before, after].every(({ record }) => startsEachTrial(record.plan)),
    unit: before.record.unit,
    margin,
    contrasts,
    costs,
    arms,
    ratesApart,
    only: {
      before: listArms(before).filter(name => !both.includes(name)),
      after: listArms(after).filter(name => !both.includes(name))
    },
    differences: differences(before.record, after.record, both),
    configs: configDifferences(before.configs ?? {}, after.configs ?? {}),
    ...summarizeChanges([...contrasts, ...costs, ...arms])
  }
}

/**
 * Summarizes the figures that decide a comparison.
 *
 * @param {Pick<ComparedChange, 'verdict' | 'sees' | 'decides'>[]} figures
 * @returns {Pick<Comparison, 'slower' | 'open' | 'sees'>}
 */
export function summarizeChanges (figures) {
  const deciding = figures.filter(({ decides }) => decides)
  const seen = deciding.flatMap(({ sees }) => sees ?? [])
  return {
    slower: deciding.some(({ verdict }) => verdict === 'slower'),
    open: deciding.length === 0 || deciding.some(({ verdict }) => verdict === 'inconclusive' || verdict === 'invalid'),
    sees: seen.length === 0 || seen.length < deciding.length ? null : Math.max(...seen)
  }
}

/** Returns the names of the arms, without the twin. @param {Run} run */
const listArms = ({ record }) => record.arms.map(({ name }) => name).filter(name => name !== record.plan.twin?.arm)
/**
 * @param {Run} run
 * @returns {[string, string][]}
 */
const listPairs = ({ record }) => record.contrasts.map(({ arm, baseline }) => [arm, baseline])

/**
 * @param {RunRecord} before
 * @param {RunRecord} after
 * @param {{ rates: boolean }} options
 * @returns {ChangeWhy | null}
 */
function whyApart (before, after, { rates }) {
  if (before.unit !== after.unit) return { code: 'units-differ', params: { before: before.unit, after: after.unit } }
  const machine = findMachineDifferences(before.environment, after.environment)
  if (machine.length > 0) return { code: 'machines-differ', params: { differences: machine.map(({ what }) => what) } }
  if (!rates) return { code: 'rates-left-out', params: {} }
  return [before, after].every(({ environment }) => isSpeedKnown(environment))
    ? null
    : { code: 'speed-unknown', params: {} }
}

/**
 * @param {[string, string]} pair arm and baseline
 * @param {Run} before
 * @param {Run} after
 * @param {{ level: number, margin: number, runs: RunMetrics[], kind: 'rate' | 'cost' }} settings
 * @returns {ComparedPair}
 */
function comparePair ([arm, baseline], { record: before }, { record: after }, { level, margin, runs, kind }) {
  const within = (/** @type {RunMetrics} */ { starts, ...run }) =>
    estimatePair(run[kind], [arm, baseline], { starts, level })
  const figures = { arm, baseline, before: within(runs[0]), after: within(runs[1]), decides: true }
  /** @type {ChangeOptions} */
  const options = { level, margin, worse: kind === 'rate' ? 'lower' : 'higher' }
  const lost = whyInvalid([arm, baseline], [before, after])
  if (lost !== null) return { ...figures, ...noChange(options, 'invalid', lost) }
  const changed = [arm, baseline].find(name => !isSameArm(before, after, name))
  if (changed !== undefined) {
    return { ...figures, ...rejectComparison(options, { code: 'other-arm', params: { arm: changed } }) }
  }
  const bound = [arm, baseline].find(name => isBoundByLoad(before, name) || isBoundByLoad(after, name))
  const side = kind === 'cost'
    ? null
    : getBoundedSide(
      isBoundByLoad(after, arm) || isBoundByLoad(before, baseline),
      isBoundByLoad(after, baseline) || isBoundByLoad(before, arm))
  const [first, second] = runs.map(run => run[kind])
  const change = runs.some(({ starts }) => starts > 1)
    ? changeOverStarts(first.overStarts.pair(arm, baseline), second.overStarts.pair(arm, baseline), options)
    : changeBetween(first.ratios([arm, baseline]), second.ratios([arm, baseline]), options)
  const judged = judgeBoundedSide(change, { side, arm: bound }, options)
  return { ...figures, ...whereSteady(judged, [arm, baseline], [before, after]) }
}

/**
 * Returns a change of figures that are not comparable, which decides nothing.
 *
 * @type {(options: ChangeOptions, why: ChangeWhy) => ComparedChange}
 */
const rejectComparison = (options, why) => ({ ...noChange(options, 'inconclusive', why), decides: false })

/**
 * Judges a change of rates that are lower bounds where the load generator or the link was the bottleneck. Only a bound
 * of the change can decide.
 *
 * @param {Change} change
 * @param {{ side: RatioBound['side'] | null, arm: string | undefined }} bound
 * @param {ChangeOptions} options
 * @returns {Change | ComparedChange}
 */
function judgeBoundedSide (change, bound, options) {
  if (bound.side === null) return change
  const { ratio, low, high } = change
  const judged = ratio === null ? change : judgeBounded({ ratio, low, high }, bound, options)
  if (judged.ratio !== null && judged.why === null) return judged
  return rejectComparison(options, { code: 'load-bound', params: { arm: bound.arm } })
}

/**
 * @param {string} arm
 * @param {Run} before
 * @param {Run} after
 * @param {Omit<Parameters<typeof comparePair>[3], 'kind'> & { ratesApart: ChangeWhy | null }} settings
 * @returns {ComparedArm}
 */
function compareArm (arm, { record: before }, { record: after }, { level, margin, runs, ratesApart }) {
  const rates = [before, after].map(({ arms }) => arms.find(({ name }) => name === arm)?.rps ?? null)
  const figures = { arm, before: rates[0]?.median ?? null, after: rates[1]?.median ?? null, rates, decides: true }
  /** @type {ChangeOptions} */
  const options = { level, margin, worse: 'lower' }
  const side = getBoundedSide(isBoundByLoad(after, arm), isBoundByLoad(before, arm))
  /** @type {ChangeWhy | null} */
  const otherArm = isSameArm(before, after, arm) ? null : { code: 'other-arm', params: {} }
  const why = ratesApart ?? otherArm
  if (why !== null) return { ...figures, ...rejectComparison(options, why) }
  const lost = whyInvalid([arm], [before, after])
  if (lost !== null) return { ...figures, ...noChange(options, 'invalid', lost) }
  const [first, second] = runs.map(({ rate }) => rate)
  const change = runs.some(({ starts }) => starts > 1)
    ? changeOverStarts(first.overStarts.arm(arm), second.overStarts.arm(arm), options)
    : changeBetween(first.logs(arm), second.logs(arm), options)
  const judged = judgeBoundedSide(change, { side, arm: undefined }, options)
  return { ...figures, ...whereSteady(judged, [arm], [before, after]) }
}

/**
 * Returns a change, or an inconclusive one if an arm was not steady in one of the runs.
 *
 * @template {Change} Judged
 * @param {Judged} change
 * @param {string[]} names of the arms
 * @param {RunRecord[]} records
 * @returns {Judged}
 */
function whereSteady (change, names, records) {
  const why = findNotSteady(records.flatMap(({ arms }) => arms.filter(({ name }) => names.includes(name))))
  return why === null || change.ratio === null ? change : { ...change, verdict: 'inconclusive', why, sees: null }
}

/**
 * Returns why an arm is invalid.
 *
 * @param {string[]} names of arms
 * @param {RunRecord[]} records
 * @returns {ChangeWhy | null} of the first arm that is invalid in one of the runs; null: none is
 */
export function whyInvalid (names, records) {
  for (const name of names) {
    const reason = records.flatMap(({ arms }) => arms.find(arm => arm.name === name)?.invalid ?? []).at(0)
    if (reason) return { code: 'arm-invalid', params: { arm: name, reason } }
  }
  return null
}

/**
 * Returns whether the generator or the link limited the rate of an arm.
 *
 * @param {RunRecord} record
 * @param {string} arm
 */
export const isBoundByLoad = ({ arms }, arm) => isLimitedByLoad(arms.find(({ name }) => name === arm)?.bound ?? 'none')

/**
 * Lists the differing facts of two runs.
 *
 * @param {RunRecord} before
 * @param {RunRecord} after
 * @param {string[]} arms names of the arms of both runs
 * @returns {Difference[]}
 */
function differences (before, after, arms) {
  const leaves = differingLeaves(before, after, record => ({
    unit: record.unit,
    protocol: record.protocol,
    quick: record.plan.quick,
    'window, s': record.plan.windowSeconds ?? null,
    tools: record.tools,
    // The load before the run is not a property of the machine, and no two calibrations are equal.
    environment: { ...record.environment, busy: undefined, calibration: undefined },
    arms: Object.fromEntries(
      record.arms.filter(({ name }) => arms.includes(name)).map(arm => [arm.name, getSettings(arm)])
    )
  }))
  return [...leaves, ...findSpeedDifferences(before.environment, after.environment)]
}

/**
 * Returns whether an arm has the same topology, load and network settings in both runs.
 *
 * @param {RunRecord} before
 * @param {RunRecord} after
 * @param {string} name of an arm of both runs
 */
const isSameArm = (before, after, name) =>
  differingLeaves(before, after, ({ arms }) => arms.filter(arm => arm.name === name).map(getSettings)).length === 0

/**
 * Returns the settings of an arm, without the seed of its schedule, which differs in every run.
 *
 * @param {RunRecord['arms'][number]} arm
 */
const getSettings = ({ spec, load, topology }) => ({
  topology: spec,
  load: { ...load, seed: undefined },
  lab: topology.lab ?? {}
})

/**
 * @param {RunRecord} before
 * @param {RunRecord} after
 * @param {(record: RunRecord) => unknown} getFacts
 * @returns {Difference[]}
 */
function differingLeaves (before, after, getFacts) {
  const [first, second] = [leaves(getFacts(before)), leaves(getFacts(after))]
  return [...new Set([...first.keys(), ...second.keys()])]
    .filter(what => first.get(what) !== second.get(what))
    .map(what => ({ what, before: first.get(what) ?? 'not there', after: second.get(what) ?? 'not there' }))
}

/**
 * @param {unknown} value
 * @param {string} [path]
 * @returns {Map<string, string>} "environment cpu model" → "…"
 */
function leaves (value, path = '') {
  if (value === undefined) return new Map()
  if (value === null || typeof value !== 'object') return new Map([[path, String(value)]])
  if (Array.isArray(value) && value.every(item => item === null || typeof item !== 'object')) {
    return new Map([[path, value.join(', ')]])
  }
  return new Map(Object.entries(value).flatMap(([key, child]) => [...leaves(child, path ? `${path} ${key}` : key)]))
}

/** Most changed lines of two configurations that are matched, because the time grows with their square. */
const MAX_EDITS = 1000

/**
 * @param {Record<string, string>} before text by file
 * @param {Record<string, string>} after
 * @returns {{ file: string, removed: string[], added: string[] }[]} of the files of both runs; removed, added: lines
 *   without their indentation
 */
export function configDifferences (before, after) {
  return Object.keys(before).filter(file => file in after && before[file] !== after[file]).map(file => {
    const parts = diffLines(before[file], after[file], { maxEditLength: MAX_EDITS }) ??
      [{ removed: true, value: before[file] }, { added: true, value: after[file] }]
    const lines = (/** @type {'removed' | 'added'} */ kind) =>
      parts.filter(part => part[kind]).flatMap(({ value }) =>
        value.split('\n').map(line => line.trim()).filter(Boolean)
      )
    return { file, removed: lines('removed'), added: lines('added') }
  }).filter(({ removed, added }) => removed.length + added.length > 0)
}
