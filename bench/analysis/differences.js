/** What else differs between two runs: their machines, set-ups and configurations (pure). */
import { diffLines } from 'diff'

/** @import { RunRecord } from '../types.js' */

/** @typedef {{ what: string, before: string, after: string }} Difference */
/** @typedef {{ file: string, removed: string[], added: string[] }} ConfigDifference lines, without their indentation */

/** What must be the same in two environments for rates to be compared. Node and the programs are not among it: a new
 * version of them may be the very question. */
const MACHINE = /^environment (cpu|memoryMiB|kernel|platform|cores|lab network|hosts)\b/

/**
 * Leaf by leaf, what one machine or one set-up has and the other has not.
 *
 * @param {RunRecord} before
 * @param {RunRecord} after
 * @param {string[]} arms that both have
 * @returns {Difference[]}
 */
export function differences (before, after, arms) {
  return differingLeaves(before, after, record => ({
    unit: record.unit,
    protocol: record.protocol,
    quick: record.plan.quick,
    'window, s': record.plan.windowSeconds ?? null,
    tools: record.tools,
    // How busy it was is no property of a machine.
    environment: { ...record.environment, busy: undefined },
    arms: Object.fromEntries(
      record.arms.filter(({ name }) => arms.includes(name)).map(arm => [arm.name, settingsOf(arm)])
    )
  }))
}

/**
 * @param {Difference[]} found as differences() gave them
 * @returns {Difference[]} those that make it another machine
 */
export const ofTheMachine = found => found.filter(({ what }) => MACHINE.test(what))

/**
 * Whether an arm was the same in both runs: its chain, its load, the settings of its network.
 *
 * @param {RunRecord} before
 * @param {RunRecord} after
 * @param {string} name of an arm that both have
 */
export const isSameArm = (before, after, name) =>
  differingLeaves(before, after, ({ arms }) => arms.filter(arm => arm.name === name).map(settingsOf)).length === 0

/** The seed of a schedule is another one in every run, and means nothing. @param {RunRecord['arms'][number]} arm */
const settingsOf = ({ word, load, topology }) => ({
  topology: word,
  load: { ...load, seed: undefined },
  lab: topology.lab ?? {}
})

/**
 * @param {RunRecord} before
 * @param {RunRecord} after
 * @param {(record: RunRecord) => unknown} factsOf
 * @returns {Difference[]}
 */
function differingLeaves (before, after, factsOf) {
  const [first, second] = [leaves(factsOf(before)), leaves(factsOf(after))]
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

/**
 * @param {Record<string, string>} before file → text
 * @param {Record<string, string>} after
 * @returns {ConfigDifference[]} of the files that both have
 */
export function configDifferences (before, after) {
  return Object.keys(before).filter(file => file in after && before[file] !== after[file]).map(file => {
    const parts = diffLines(before[file], after[file])
    const lines = (/** @type {'removed' | 'added'} */ kind) =>
      parts.filter(part => part[kind]).flatMap(({ value }) =>
        value.split('\n').map(line => line.trim()).filter(Boolean)
      )
    return { file, removed: lines('removed'), added: lines('added') }
  }).filter(({ removed, added }) => removed.length + added.length > 0)
}
