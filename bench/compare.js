/**
 * Two runs side by side: every arm that both have, and what else differs between them (pure).
 * @import { Contrast, RunRecord, Sample } from './types.js'
 */
import { diffLines } from 'diff'
import { lag1 } from './stats/autocorrelation.js'
import { widening } from './stats/dependence.js'
import { shiftBetween } from './stats/rank-sum.js'

/** What is not told apart from nothing: machines change by that much from one day to the next. */
export const MARGIN = 0.05
/** The exit code when something became slower: for a build that shall fail then. */
export const SLOWER_EXIT = 3
/** The risk that any of the intervals misses, over all arms. */
const FAMILY_ERROR = 0.05

/** @typedef {{ record: RunRecord, samples: Sample[], configs?: Record<string, string> }} Run configs: file → text, as it was measured */
/** @typedef {'faster' | 'slower' | 'no-difference' | 'inconclusive' | 'invalid'} Verdict of the second against the first */

/**
 * @typedef {object} ComparedArm
 * @property {string} arm
 * @property {number | null} before units per second; null: nothing valid was measured
 * @property {number | null} after
 * @property {number | null} ratio after ÷ before
 * @property {number | null} low
 * @property {number | null} high
 * @property {number} level
 * @property {Verdict} verdict faster or slower: by more than the margin
 */
/** @typedef {{ ratio: number, low: number, high: number }} Estimate */
/** @typedef {{ arm: string, baseline: string, before: Estimate, after: Estimate, apart: boolean }} ComparedContrast `apart`: their intervals do not overlap */
/** @typedef {{ what: string, before: string, after: string }} Difference */
/** @typedef {{ file: string, removed: string[], added: string[] }} ConfigDifference lines, without their indentation */

/**
 * @typedef {object} Comparison
 * @property {{ before: string, after: string }} runs
 * @property {RunRecord['unit']} unit
 * @property {number} margin
 * @property {ComparedArm[]} arms
 * @property {{ before: string[], after: string[] }} only arms that just one of them has
 * @property {ComparedContrast[]} contrasts
 * @property {Difference[]} differences of environment, programs, topologies and load
 * @property {ConfigDifference[]} configs of the files that both have kept
 * @property {boolean} slower whether any arm became slower by more than the margin
 */

/**
 * @param {Run} before
 * @param {Run} after
 * @param {{ margin?: number }} [options] margin: a share, 0.05
 * @returns {Comparison}
 */
export function compareRuns (before, after, { margin = MARGIN } = {}) {
  const names = (/** @type {Run} */ { record }) => record.arms.map(({ name }) => name).filter(name => name !== record.plan.twin?.arm)
  const both = names(before).filter(name => names(after).includes(name))
  const level = 1 - FAMILY_ERROR / Math.max(1, both.length)
  const arms = both.map(arm => comparedArm(arm, before, after, { level, margin }))
  return {
    runs: { before: before.record.run, after: after.record.run },
    unit: before.record.unit,
    margin,
    arms,
    only: { before: names(before).filter(name => !both.includes(name)), after: names(after).filter(name => !both.includes(name)) },
    contrasts: before.record.contrasts.flatMap(contrast => {
      const same = after.record.contrasts.find(({ arm, baseline }) => arm === contrast.arm && baseline === contrast.baseline)
      return same ? [comparedContrast(contrast, same)] : []
    }),
    differences: differences(before.record, after.record, both),
    configs: configDifferences(before.configs ?? {}, after.configs ?? {}),
    slower: arms.some(({ verdict }) => verdict === 'slower')
  }
}

/**
 * @param {string} arm
 * @param {Run} before
 * @param {Run} after
 * @param {{ level: number, margin: number }} options
 * @returns {ComparedArm}
 */
function comparedArm (arm, before, after, { level, margin }) {
  const [first, second] = [before, after].map(({ samples }) => samples.filter(sample => sample.arm === arm && !sample.invalid && sample.rps > 0).map(({ rps }) => Math.log(rps)))
  const rate = (/** @type {Run} */ { record }) => record.arms.find(({ name }) => name === arm)?.rps?.median ?? null
  const figures = { arm, before: rate(before), after: rate(after), level }
  if (first.length === 0 || second.length === 0) return { ...figures, ratio: null, low: null, high: null, verdict: 'invalid' }
  const { shift, low, high } = shiftBetween(first, second, level)
  // What neighbouring blocks have in common makes them say less than their number.
  const wider = Math.max(widening(lag1(first), first.length), widening(lag1(second), second.length))
  const interval = { low: low === null ? null : Math.exp(shift - (shift - low) * wider), high: high === null ? null : Math.exp(shift + (high - shift) * wider) }
  return { ...figures, ratio: Math.exp(shift), ...interval, verdict: verdictOf(interval, margin) }
}

/**
 * @param {{ low: number | null, high: number | null }} interval
 * @param {number} margin
 * @returns {Verdict}
 */
function verdictOf ({ low, high }, margin) {
  if (low === null || high === null) return 'inconclusive'
  if (high < 1 / (1 + margin)) return 'slower'
  if (low > 1 + margin) return 'faster'
  return low > 1 / (1 + margin) && high < 1 + margin ? 'no-difference' : 'inconclusive'
}

/** @type {(before: Contrast, after: Contrast) => ComparedContrast} */
function comparedContrast (before, after) {
  const figures = (/** @type {Contrast} */ { ratio, low, high }) => ({ ratio, low, high })
  return { arm: before.arm, baseline: before.baseline, before: figures(before), after: figures(after), apart: before.high < after.low || after.high < before.low }
}

/**
 * Leaf by leaf, what one machine or one set-up has and the other has not.
 * @param {RunRecord} before
 * @param {RunRecord} after
 * @param {string[]} arms that both have
 * @returns {Difference[]}
 */
function differences (before, after, arms) {
  const facts = (/** @type {RunRecord} */ record) => leaves({
    unit: record.unit,
    protocol: record.protocol,
    quick: record.plan.quick,
    'window, s': record.plan.windowSeconds ?? null,
    tools: record.tools,
    // How busy it was is no property of a machine.
    environment: { ...record.environment, busy: undefined },
    arms: Object.fromEntries(record.arms.filter(({ name }) => arms.includes(name)).map(({ name, word, load, topology }) => [name, { topology: word, load, lab: topology.lab ?? {} }]))
  })
  const [first, second] = [facts(before), facts(after)]
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
  if (Array.isArray(value) && value.every(item => item === null || typeof item !== 'object')) return new Map([[path, value.join(', ')]])
  return new Map(Object.entries(value).flatMap(([key, child]) => [...leaves(child, path ? `${path} ${key}` : key)]))
}

/**
 * @param {Record<string, string>} before
 * @param {Record<string, string>} after
 * @returns {ConfigDifference[]}
 */
function configDifferences (before, after) {
  return Object.keys(before).filter(file => file in after && before[file] !== after[file]).map(file => {
    const parts = diffLines(before[file], after[file])
    const lines = (/** @type {'removed' | 'added'} */ kind) => parts.filter(part => part[kind]).flatMap(({ value }) => value.split('\n').map(line => line.trim()).filter(Boolean))
    return { file, removed: lines('removed'), added: lines('added') }
  }).filter(({ removed, added }) => removed.length + added.length > 0)
}
