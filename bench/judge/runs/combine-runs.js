/** Combines runs of one plan that were made at different times, so that their interval contains what differs (pure). */
import { toRecord } from '../../shared/group-by.js'
import { median } from '../stats/quantile.js'
import { findBound, judgeInterval } from '../verdict.js'

/** @import { ArmResult, Contrast, KindLatency, Latency, Plan, RatioInterval, RunRecord } from '../../types.js' */
/** @import { RatioBound } from '../verdict.js' */

/**
 * Returns the first run with the contrasts of all runs: the median of their ratios, and an interval that contains all
 * of their intervals. A run whose contrast is invalid is left out. The verdict is that of this interval. A contrast
 * that a run left open for another reason than its width stays open, and a bound of one run is a bound of all.
 * Response times at a given rate are medians of the runs, too, and the range of the p99 contains that of each run.
 *
 * @param {RunRecord[]} runs at least one; others than the first count if they compare the same
 * @returns {{ record: RunRecord, runs: string[] }} runs: those that were combined
 */
export function combineRuns ([first, ...others]) {
  const all = [first, ...others.filter(({ plan }) => printPlan(plan) === printPlan(first.plan))]
  const runs = all.map(({ run }) => run)
  if (all.length === 1) return { record: first, runs }
  const contrasts = first.contrasts.map(contrast => combine(all.flatMap(({ arms, contrasts }) => {
    const found = contrasts.find(({ arm, baseline }) => arm === contrast.arm && baseline === contrast.baseline)
    return found ? [{ arms, contrast: found }] : []
  })))
  const arms = first.arms.map(arm =>
    withLatencies(arm, all.flatMap(({ arms }) => arms.find(({ name }) => name === arm.name) ?? [])))
  return { record: { ...first, arms, contrasts }, runs }
}

/**
 * @param {ArmResult} arm
 * @param {ArmResult[]} found the arm in each run
 * @returns {ArmResult} with the response times of all runs
 */
function withLatencies (arm, found) {
  const latencyMs = combineLatencies(found.map(other => other.latencyMs))
  const [app, files] = (/** @type {const} */ (['app', 'files'])).map(kind =>
    combineLatencies(found.map(({ latencyByKind }) => latencyByKind?.[kind] ?? null)))
  return { ...arm, latencyMs, ...arm.latencyByKind && { latencyByKind: { app, files } } }
}

/**
 * @template {KindLatency | Latency} T
 * @param {(T | null)[]} latencies of the runs, the first run first; null: the arm had no valid trial
 * @returns {T | null} those of the first run without a given rate, because then they depend on the throughput
 */
function combineLatencies (latencies) {
  const known = latencies.flatMap(latency => latency ?? [])
  const ranges = known.flatMap(({ p99Range }) => p99Range ?? [])
  if (known.length === 0 || ranges.length < known.length) return latencies[0]
  return {
    ...known[0],
    ...toRecord(['p50', 'p90', 'p95', 'p99'], key => median(known.map(latency => latency[key]))),
    max: Math.max(...known.map(({ max }) => max)),
    p99Range: { low: Math.min(...ranges.map(({ low }) => low)), high: Math.max(...ranges.map(({ high }) => high)) }
  }
}

/**
 * @param {{ arms: ArmResult[], contrast: Contrast }[]} found one pair, by run
 * @returns {Contrast}
 */
function combine (found) {
  const valid = found.filter(({ contrast: { verdict } }) => verdict !== 'invalid')
  if (valid.length < 2) return (valid[0] ?? found[0]).contrast
  const contrasts = valid.map(({ contrast }) => contrast)
  const interval = {
    ratio: median(contrasts.map(({ ratio }) => ratio)),
    low: Math.min(...contrasts.map(({ low }) => low ?? 0)),
    high: Math.max(...contrasts.map(({ high }) => high ?? Infinity))
  }
  const bound = findCommonBound(interval, valid)
  const held = contrasts.find(({ verdict, why }) => verdict === 'inconclusive' && why?.code !== 'interval-too-wide')
  const { verdict, why } = held ?? judgeInterval(interval, { bound })
  return {
    ...contrasts[0],
    ...interval,
    oneSided: bound === null || bound.side === 'nothing' ? null : bound.side,
    verdict,
    why,
    secondsToSettle: null
  }
}

/**
 * @param {RatioInterval} interval
 * @param {{ arms: ArmResult[], contrast: Contrast }[]} found
 * @returns {RatioBound | null} null: the ratio of each run is an estimate
 */
function findCommonBound (interval, found) {
  const bounds = found.flatMap(({ arms, contrast }) => {
    const [arm, baseline] = [contrast.arm, contrast.baseline].map(name => arms.find(other => other.name === name))
    return arm && baseline ? findBound(interval, arm, baseline) ?? [] : []
  })
  const [bound = null] = bounds
  if (bound === null || bounds.every(({ side }) => side === bound.side)) return bound
  return { ...bound, side: 'nothing' }
}

/** Prints what a plan compares. @param {Pick<Plan, 'arms' | 'contrasts'>} plan */
export const printPlan = ({ arms, contrasts }) => JSON.stringify([
  arms.filter(({ twinOf }) => twinOf === null).map(({ name, spec, load: { connections, path } }) =>
    [name, spec, connections, path]),
  contrasts
])
