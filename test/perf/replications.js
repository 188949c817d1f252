/** Evaluates independent runs of one command: a table, and whether they meet a goal (pure). */
import { column, textTable } from '../../bench/report/table.js'
import { halfWidth } from '../../bench/judge/stats/paired.js'
import {
  heterogeneity, holds, isDifferent, toMeasuredRun, computeVariances
} from '../../bench/judge/runs/replication.js'
import { median } from '../../bench/judge/stats/quantile.js'

/** @import { Contrast, RunRecord, Sample } from '../../bench/types.js' */

/** @typedef {{ record: RunRecord, samples: Sample[] }} StoredReplicate */
/** @typedef {{ what: string, measured: string, goal: string, met: boolean }} Goal */
/**
 * @typedef {object} PairResult of one contrast over all runs
 * @property {string} arm
 * @property {string} baseline
 * @property {Contrast[]} runs the contrast as printed by each run
 * @property {number} perDf Q ÷ its degrees of freedom; NaN of fewer than two runs
 */

/** @param {number} share */
const percent = share => `${(share * 100).toFixed(1)} %`

/**
 * @param {StoredReplicate[]} runs of one plan
 * @returns {PairResult[]} in the order of the plan
 */
export function pairsOf (runs) {
  const measured = runs.map(({ record, samples }) => toMeasuredRun(record.plan, samples))
  return (runs[0]?.record.contrasts ?? []).map(({ arm, baseline }) => {
    const { q, df } = heterogeneity(measured.map(({ of }) => of.pair(arm, baseline)))
    return {
      arm,
      baseline,
      runs: runs.flatMap(({ record }) =>
        record.contrasts.find(one => one.arm === arm && one.baseline === baseline) ?? []),
      perDf: q / df
    }
  })
}

/**
 * Makes a line for each run and contrast.
 * @param {StoredReplicate[]} runs
 * @returns {string[]}
 */
export function runLines (runs) {
  const rows = runs.flatMap(({ record }) => record.contrasts.map(contrast => ({ record, contrast })))
  /** @typedef {typeof rows[number]} Row */
  return textTable({
    rows,
    columns: [
      column('run', (/** @type {Row} */ { record }) => record.run, { left: true }),
      column('arm', (/** @type {Row} */ { contrast }) => contrast.arm, { left: true }),
      column('ratio', (/** @type {Row} */ { contrast: { ratio } }) => ratio.toFixed(3)),
      column('low', (/** @type {Row} */ { contrast: { low } }) => low.toFixed(3)),
      column('high', (/** @type {Row} */ { contrast: { high } }) => high.toFixed(3)),
      column('starts', (/** @type {Row} */ { contrast: { starts = 1 } }) => `${starts}`),
      column('blocks', (/** @type {Row} */ { contrast: { blocks } }) => `${blocks}`),
      column('verdict', (/** @type {Row} */ { contrast: { verdict } }) => verdict, { left: true })
    ]
  }, { columns: 160, colors: plainColors })
}
const plainColors = /** @type {any} */ (new Proxy({}, { get: () => String }))

/**
 * @param {StoredReplicate[]} runs
 * @returns {string[]} a sentence for each contrast, and one for all
 */
export function words (runs) {
  const pairs = pairsOf(runs)
  const { sliceSd, startSd, runSd, starts } = computeVariances(
    runs.map(({ record, samples }) => toMeasuredRun(record.plan, samples)),
    pairs.map(({ arm, baseline }) => [arm, baseline])
  )
  const format = (/** @type {number | null} */ sd) => sd === null ? 'unknown' : percent(sd)
  return [
    ...pairs.map(({ arm, baseline, runs, perDf }) =>
      `${arm} / ${baseline}: ${runs.map(({ ratio }) => ratio.toFixed(3)).join(', ')}; half-width in the middle ` +
      `${percent(median(runs.map(halfWidth)))}; Q ÷ df ${perDf.toFixed(2)}`),
    `sd of the log-ratio: block ${format(sliceSd)}, start ${format(startSd)}, run ${format(runSd)} ` +
      `(${runs.length} runs, ${starts} starts)`
  ]
}

/** Highest share of runs with a false verdict: one of twenty. */
const MAX_FALSE = 1 / 20
/** Lowest share of intervals that cover the truth. */
const MIN_COVERED = 18 / 20

/**
 * @param {StoredReplicate[]} runs of equal handlers
 * @returns {Goal}
 */
export function falseVerdicts (runs) {
  const wrong = pairsOf(runs).flatMap(({ runs }) => runs).filter(isDifferent).length
  return {
    what: 'verdicts other than no difference or inconclusive',
    measured: `${wrong} of ${runs.length}`,
    goal: '≤ 1 of 20',
    met: wrong <= Math.max(1, MAX_FALSE * runs.length)
  }
}

/**
 * @param {StoredReplicate[]} runs
 * @param {number} truth the true ratio
 * @returns {Goal}
 */
export function coverage (runs, truth) {
  const held = pairsOf(runs).flatMap(({ runs }) => runs).filter(holds(truth)).length
  return {
    what: `intervals that hold ${truth.toFixed(3)}`,
    measured: `${held} of ${runs.length}`,
    goal: '≥ 18 of 20',
    met: held >= Math.floor(MIN_COVERED * runs.length)
  }
}

/**
 * @param {StoredReplicate[]} runs
 * @returns {Goal}
 */
export function agreement (runs) {
  const worst = Math.max(...pairsOf(runs).map(({ perDf }) => perDf))
  return { what: 'Q ÷ df, worst contrast', measured: worst.toFixed(2), goal: '≤ 1.5', met: worst <= 1.5 }
}
