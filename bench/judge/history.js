/** Figures of one experiment over its stored runs, and the runs at which their level changed (pure). */
import { findSteps } from './stats/change-points.js'
import { isSameArm } from './differences.js'
import { findMachineDifferences, isSpeedKnown } from './machines.js'
import { mean } from './stats/huber.js'

/** @import { Commit, RunRecord } from '../types.js' */

/** @typedef {{ run: string, startedAt: string, commit: Commit | null }} HistoryRun */
/** @typedef {{ run: number, value: number, low: number | null, high: number | null }} Point run: index in `runs` */
/**
 * A change of level. ratio: level after ÷ level before.
 *
 * @typedef {{ run: number, ratio: number, direction: 'better' | 'worse' }} Step
 */
/**
 * @typedef {object} HistoryFigure
 * @property {'ratio' | 'cpu' | 'rate'} kind ratio: of two arms within each run; cpu: microseconds for each unit
 * @property {string} name arm, or "arm ÷ baseline"
 * @property {Point[]} points in the order of the runs
 * @property {Step[]} steps
 * @property {number[]} levels geometric mean of the segment of each point
 */
/**
 * @typedef {object} History
 * @property {string} experiment
 * @property {RunRecord['unit']} unit
 * @property {HistoryRun[]} runs the oldest first
 * @property {HistoryFigure[]} figures those with two points or more
 * @property {number} elsewhere runs on other machines than the last one, whose rates and CPU times are left out
 */

/** Kinds of figures in the order of the report. @type {HistoryFigure['kind'][]} */
const KINDS = ['ratio', 'cpu', 'rate']

/** Standard deviation of a figure between runs that counts as noise in any case: of rates on a shared machine. */
const LEAST_NOISE = 0.01

/**
 * Collects the figures of runs of one experiment. Leaves out arms whose topology or load differs from the last run's,
 * other apps of the same repository, and rates and CPU times of runs on another machine than the last one's.
 *
 * @param {RunRecord[]} records at least one, the oldest first
 * @returns {History}
 */
export function computeHistory (records) {
  const last = records[records.length - 1]
  const isHere = records.map(({ environment }) => isSpeedKnown(environment) && isSpeedKnown(last.environment) &&
    findMachineDifferences(environment, last.environment).length === 0)
  /** @type {Map<string, Pick<HistoryFigure, 'kind' | 'name' | 'points'>>} */
  const byKey = new Map()
  const add = (/** @type {HistoryFigure['kind']} */ kind, /** @type {string} */ name, /** @type {Point} */ point) => {
    const key = JSON.stringify([kind, name])
    if (!byKey.has(key)) byKey.set(key, { kind, name, points: [] })
    if (point.value > 0 && point.value < Infinity) byKey.get(key)?.points.push(point)
  }
  records.forEach((record, run) => {
    if (record.unit !== last.unit || record.diff?.head.folder !== last.diff?.head.folder) return
    const isComparable = (/** @type {string} */ name) => isUsable(record, name) && isSameArm(record, last, name)
    for (const { arm, baseline, ratio, low, high, verdict } of record.contrasts) {
      if (verdict === 'invalid' || !isComparable(arm) || !isComparable(baseline)) continue
      add('ratio', `${arm} ÷ ${baseline}`, { run, value: ratio, low, high })
    }
    for (const { name, rps, cpuMicrosPerRequest: cpu } of isHere[run] ? record.arms : []) {
      if (!isComparable(name)) continue
      if (cpu) add('cpu', name, { run, value: cpu.proxy + cpu.server, low: null, high: null })
      if (rps) add('rate', name, { run, value: rps.median, low: rps.low, high: rps.high })
    }
  })
  return {
    experiment: last.experiment,
    unit: last.unit,
    runs: records.map(record => ({ run: record.run, startedAt: record.startedAt, commit: getCommit(record) })),
    figures: [...byKey.values()].filter(({ points }) => points.length > 1).map(addSteps)
      .sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind)),
    elsewhere: isHere.filter(here => !here).length
  }
}

/**
 * Returns the commit that a run measured: head of a diff, else that of the folder in which it was started.
 *
 * @param {RunRecord} record
 * @returns {Commit | null}
 */
const getCommit = ({ diff, plan }) => diff?.head.commit
  ? { hash: diff.head.commit, changed: diff.head.changes > 0 }
  : plan.commit ?? null

/**
 * Returns whether an arm of a record is valid and not the A/A arm.
 *
 * @param {RunRecord} record
 * @param {string} name
 */
const isUsable = ({ arms, plan }, name) =>
  name !== plan.twin?.arm && arms.some(arm => arm.name === name && arm.invalid === null)

/**
 * Finds the steps of a figure on the log scale, on which a factor has the same size anywhere.
 *
 * @param {Pick<HistoryFigure, 'kind' | 'name' | 'points'>} figure
 * @returns {HistoryFigure}
 */
function addSteps (figure) {
  const logs = figure.points.map(({ value }) => Math.log(value))
  const starts = [0, ...findSteps(logs, LEAST_NOISE)]
  const means = starts.map((start, i) => mean(logs.slice(start, starts[i + 1])))
  const steps = starts.slice(1).map((start, i) => {
    const isHigher = means[i + 1] > means[i]
    /** @type {Step['direction']} */
    const direction = isHigher === (figure.kind === 'cpu') ? 'worse' : 'better'
    return { run: figure.points[start].run, ratio: Math.exp(means[i + 1] - means[i]), direction }
  })
  const levels = logs.map((_, i) => Math.exp(means[starts.findLastIndex(start => start <= i)]))
  return { ...figure, steps, levels }
}
