/** Combines runs of one plan that were made at different times, so that their interval contains what differs (pure). */
import { median } from '../stats/quantile.js'
import { findBound, judgeInterval } from '../verdict.js'

/** @import { ArmResult, Contrast, Plan, RunRecord } from '../../types.js' */

/**
 * Returns the first run with the contrasts of all runs: the median of their ratios, and an interval that contains all
 * of their intervals. A run whose contrast is invalid is left out of it. The verdict is that of this interval; a
 * contrast that a run left open for another reason than its width stays open.
 *
 * @param {RunRecord[]} runs at least one; others than the first count if they compare the same
 * @returns {{ record: RunRecord, runs: string[] }} runs: those that were combined
 */
export function combineRuns ([first, ...others]) {
  const all = [first, ...others.filter(({ plan }) => printPlan(plan) === printPlan(first.plan))]
  const runs = all.map(({ run }) => run)
  if (all.length === 1) return { record: first, runs }
  const contrasts = first.contrasts.map(contrast => combine(first.arms, all.flatMap(({ contrasts }) =>
    contrasts.filter(({ arm, baseline }) => arm === contrast.arm && baseline === contrast.baseline))))
  return { record: { ...first, contrasts }, runs }
}

/**
 * @param {ArmResult[]} arms
 * @param {Contrast[]} found of one pair, by run
 * @returns {Contrast}
 */
function combine (arms, found) {
  const valid = found.filter(({ verdict }) => verdict !== 'invalid')
  const held = valid.find(({ verdict, why }) => verdict === 'inconclusive' && why?.code !== 'interval-too-wide')
  if (valid.length < 2 || held) return held ?? valid[0] ?? found[0]
  const interval = {
    ratio: median(valid.map(({ ratio }) => ratio)),
    low: Math.min(...valid.map(({ low }) => low ?? 0)),
    high: Math.max(...valid.map(({ high }) => high ?? Infinity))
  }
  const [arm, baseline] = [valid[0].arm, valid[0].baseline].map(name => arms.find(other => other.name === name))
  const bound = arm && baseline ? findBound(interval, arm, baseline) : null
  const { verdict, why } = judgeInterval(interval, { bound })
  return { ...valid[0], ...interval, verdict, why, secondsToSettle: null }
}

/** Prints what a plan compares. @param {Pick<Plan, 'arms' | 'contrasts'>} plan */
export const printPlan = ({ arms, contrasts }) => JSON.stringify([
  arms.filter(({ twinOf }) => twinOf === null).map(({ name, spec, load: { connections, path } }) =>
    [name, spec, connections, path]),
  contrasts
])
