/**
 * Finds figures of a set of runs that contradict each other: an arm in two runs, a contrast in two runs, and products
 * of contrasts, such as pool/none × all/pool against all/none (pure).
 *
 * Rule: the difference of two estimates on the scale of logarithms has the interval of B. L. Welch (1947), Biometrika
 * 34, 28-35. Figures are inconsistent if the interval excludes 0. The intervals of all comparisons of a set hold
 * together at 95 % (C. E. Bonferroni (1936)), so one of twenty consistent sets at most is reported.
 */
import { groupByMachine, haveOneSpeed, isSpeedKnown } from '../../bench/judge/machines.js'
import { toMeasuredRun } from '../../bench/judge/runs/replication.js'
import { computeInterval, subtractEstimates } from '../../bench/judge/runs/run-estimate.js'
import { levelOfFamily } from '../../bench/judge/stats/family.js'
import { tQuantile } from '../../bench/judge/stats/student.js'
import { getServerRuntime, getServedNode } from '../../bench/plan/runtimes.js'
import { groupBy } from '../../bench/shared/group-by.js'
import { getProgramKey } from '../../bench/shared/releases.js'
import { CALIBRATION_BOUNDS } from '../../bench/shared/thresholds.js'

/** @import { ArmResult, Contrast, RunRecord, Sample } from '../../bench/types.js' */
/** @import { RunEstimate } from '../../bench/judge/runs/run-estimate.js' */

/** @typedef {{ record: RunRecord, samples: Sample[] }} Run */
/**
 * @typedef {object} Figure an estimate with its source
 * @property {string} run
 * @property {string} name of the arm, or "arm / baseline"
 * @property {RunEstimate} estimate on the scale of logarithms
 */
/**
 * @typedef {object} Comparison of two values that are equal if the figures are consistent
 * @property {'arm' | 'contrast' | 'product'} kind
 * @property {Figure[]} figures
 * @property {RunEstimate} difference of the values
 * @property {number} allowance difference that is no contradiction, as a logarithm
 */

/**
 * Factor by which the rates of an arm may differ although the machines have one speed: the largest of the bounds below
 * which two calibrations agree.
 */
const RATE_ALLOWANCE = Math.log(Math.max(...Object.values(CALIBRATION_BOUNDS)))

/**
 * Finds the contradictions of a set.
 *
 * @param {Run[]} runs of one kind of machine
 * @returns {{ compared: number, level: number, found: { kind: Comparison['kind'], text: string }[] }} compared: number
 *   of comparisons
 */
export function findInconsistent (runs) {
  const usable = runs.filter(({ record }) => record.complete && record.plan.result === 'throughput')
  const contrasts = usable.flatMap(({ record }) => listContrasts(record))
  const comparisons = [...compareArms(usable), ...compareContrasts(contrasts), ...compareProducts(contrasts)]
    .filter(({ difference: { df, variance } }) => df > 0 && variance > 0)
  const level = levelOfFamily([], Math.max(1, comparisons.length))
  return {
    compared: comparisons.length,
    level,
    found: comparisons.filter(comparison => isContradiction(comparison, level))
      .map(comparison => ({ kind: comparison.kind, text: printComparison(comparison, level) }))
  }
}

/**
 * @param {Comparison} comparison
 * @param {number} level
 */
function isContradiction ({ difference, allowance }, level) {
  const { low, high } = computeInterval(difference, level)
  return Math.log(low) > allowance || Math.log(high) < -allowance
}

/** Identifies an arm with its load, programs and cores. @type {(record: RunRecord, arm: ArmResult) => string} */
const identify = ({ plan, unit, tools, environment }, { spec, topology: { proxy, server }, load, name }) =>
  JSON.stringify([
    spec, unit, plan.cores, load,
    plan.arms.find(arm => arm.name === name)?.topology.lab ?? null,
    [proxy, server].flatMap(hop => hop ? tools[getProgramKey(hop)] ?? [] : []),
    tools[load.engine] ?? null,
    server && (getServerRuntime(server)?.version ?? getServedNode({ tools, environment }))
  ])

/** Names of arms that are no twins. @param {RunRecord} record */
const listArms = ({ plan, arms }) =>
  arms.filter(({ name }) => plan.arms.some(arm => arm.name === name && arm.twinOf === null))

/**
 * @typedef {object} Edge a contrast whose size is published
 * @property {string} arm as identify() returns it
 * @property {string} baseline
 * @property {Figure} figure
 */

/**
 * Returns the contrasts of a run that state a size: valid, of saturated arms, and of the steady state.
 *
 * @param {RunRecord} record
 * @returns {Edge[]}
 */
function listContrasts (record) {
  const identities = new Map(listArms(record).map(arm => [arm.name, identify(record, arm)]))
  return record.contrasts.filter(isSize).flatMap(contrast => {
    const [arm, baseline] = [contrast.arm, contrast.baseline].map(name => identities.get(name))
    const figure = { run: record.run, name: `${contrast.arm} / ${contrast.baseline}`, estimate: toEstimate(contrast) }
    return arm === undefined || baseline === undefined ? [] : [{ arm, baseline, figure }]
  })
}

/** @param {Contrast} contrast */
const isSize = ({ verdict, oneSided, why, low, high }) => verdict !== 'invalid' && oneSided === null && low > 0 &&
  Number.isFinite(high) && why?.code !== 'drift' && why?.code !== 'not-steady'

/**
 * Returns the estimate that the interval of a contrast expresses.
 *
 * @param {Contrast} contrast
 * @returns {RunEstimate}
 */
function toEstimate ({ ratio, low, high, level, df, starts = 1, blocks }) {
  const freedom = df ?? blocks - 1
  const half = Math.log(high / low) / 2
  return {
    centre: Math.log(ratio),
    variance: (half / tQuantile((1 + level) / 2, freedom)) ** 2,
    df: freedom,
    starts,
    startVariance: NaN
  }
}

/**
 * Compares the rates of each arm between runs on machines of one speed.
 *
 * @param {Run[]} runs
 * @returns {Comparison[]}
 */
function compareArms (runs) {
  const measured = runs.filter(({ record: { environment } }) => isSpeedKnown(environment))
    .map(({ record, samples }) => ({ ...record, of: toMeasuredRun(record.plan, samples).of }))
  return groupByMachine(measured, haveOneSpeed).flatMap(ofMachine => {
    const arms = ofMachine.flatMap(({ of, ...record }) => listArms(record)
      .filter(({ invalid, bound, unsteady }) => !invalid && !unsteady && ['server', 'proxy'].includes(bound))
      .map(arm => ({
        key: identify(record, arm), figure: { run: record.run, name: arm.name, estimate: of.arm(arm.name) }
      })))
    return [...groupBy(arms, ({ key }) => key).values()].flatMap(same => listPairs(same.map(({ figure }) => figure)))
      .map(figures => compare('arm', figures, RATE_ALLOWANCE))
  })
}

/**
 * Compares each contrast between runs.
 *
 * @param {Edge[]} edges
 * @returns {Comparison[]}
 */
const compareContrasts = edges => [...groupBy(edges, ({ arm, baseline }) => `${arm} ${baseline}`).values()]
  .flatMap(same => listPairs(same.map(({ figure }) => figure))).map(figures => compare('contrast', figures))

/**
 * Compares the product of two contrasts with the third one of three arms. Contrasts of one run share arms, by which
 * errors cancel, so the interval is wider than it had to be.
 *
 * @param {Edge[]} edges
 * @returns {Comparison[]}
 */
function compareProducts (edges) {
  const means = [...groupBy(edges, ({ arm, baseline }) => JSON.stringify([arm, baseline].sort())).values()].map(toMean)
  const ofArm = groupBy([...means, ...means.map(reverse)], ({ arm }) => arm)
  // Each triangle once: its arms in the order of their identities.
  const listAfter = (/** @type {string} */ arm) => (ofArm.get(arm) ?? []).filter(({ baseline }) => baseline > arm)
  return [...ofArm.keys()].flatMap(listAfter).flatMap(first => listAfter(first.baseline).flatMap(second => {
    const product = listAfter(first.arm).find(({ baseline }) => baseline === second.baseline)
    if (!product) return []
    const difference = subtractEstimates(product.estimate, addEstimates(first.estimate, second.estimate))
    const figures = [first, second, product].flatMap(({ figures }) => figures)
    return [{ kind: /** @type {const} */ ('product'), figures, difference, allowance: 0 }]
  }))
}

/**
 * Averages the estimates of one pair of arms with weights inverse to their variances.
 *
 * @param {Edge[]} edges at least one, of either direction
 */
function toMean (edges) {
  const [{ arm, baseline }] = edges
  const estimates = edges.map(({ figure, ...edge }) => edge.arm === arm ? figure.estimate : negate(figure.estimate))
  const weights = estimates.map(({ variance }) => 1 / variance)
  const sum = weights.reduce((a, b) => a + b, 0)
  const estimate = {
    centre: estimates.reduce((all, { centre }, i) => all + weights[i] * centre, 0) / sum,
    variance: 1 / sum,
    // Satterthwaite's formula for the weighted mean.
    df: sum ** 2 / estimates.reduce((all, { df }, i) => all + weights[i] ** 2 / df, 0),
    starts: Math.min(...estimates.map(({ starts }) => starts)),
    startVariance: NaN
  }
  return { arm, baseline, estimate, figures: edges.map(({ figure }) => figure) }
}

/** @type {(estimate: RunEstimate) => RunEstimate} */
const negate = estimate => ({ ...estimate, centre: -estimate.centre })

/** @type {(mean: ReturnType<typeof toMean>) => ReturnType<typeof toMean>} */
const reverse = ({ arm, baseline, estimate, figures }) =>
  ({ arm: baseline, baseline: arm, estimate: negate(estimate), figures })

/** @type {(first: RunEstimate, second: RunEstimate) => RunEstimate} */
const addEstimates = (first, second) => subtractEstimates(negate(first), second)

/**
 * @template T
 * @param {T[]} list
 * @returns {[T, T][]} every pair once
 */
const listPairs = list => list.flatMap((first, i) =>
  list.slice(i + 1).map(second => /** @type {[T, T]} */ ([first, second])))

/**
 * @param {Comparison['kind']} kind
 * @param {[Figure, Figure]} figures
 * @param {number} [allowance]
 * @returns {Comparison}
 */
const compare = (kind, figures, allowance = 0) =>
  ({ kind, figures, difference: subtractEstimates(figures[0].estimate, figures[1].estimate), allowance })

/**
 * Prints a contradiction: "contrast: keepalive / tcp 2.01 (1.95 to 2.07) in …-uds, … differ by a factor of 1.20 (1.05
 * to 1.37)". Intervals have the level of the comparisons.
 *
 * @param {Comparison} comparison
 * @param {number} level
 */
function printComparison ({ kind, figures, difference }, level) {
  const print = (/** @type {RunEstimate} */ estimate) => {
    const { ratio, low, high } = computeInterval(estimate, level)
    return `${toDigits(ratio)} (${toDigits(low)} to ${toDigits(high)})`
  }
  const named = figures.map(({ run, name, estimate }) => `${name} ${print(estimate)} in ${run}`)
  return `${kind}: ${named.join(', ')} differ by a factor of ${print(difference)}`
}

/** @param {number} value */
const toDigits = value => value >= 100 ? value.toFixed(0) : value.toFixed(3)
