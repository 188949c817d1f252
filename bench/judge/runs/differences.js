/** Differences between two runs in machine, set-up and configuration (pure). */
import { diffLines } from 'diff'
import { findSpeedDifferences } from '../machines.js'

/** @import { RunRecord } from '../../types.js' */
/** @import { Difference } from '../machines.js' */

/**
 * Lists the differing facts of two runs.
 *
 * @param {RunRecord} before
 * @param {RunRecord} after
 * @param {string[]} arms names of the arms of both runs
 * @returns {Difference[]}
 */
export function differences (before, after, arms) {
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
export const isSameArm = (before, after, name) =>
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
const MOST_EDITS = 1000

/**
 * @param {Record<string, string>} before text by file
 * @param {Record<string, string>} after
 * @returns {{ file: string, removed: string[], added: string[] }[]} of the files of both runs; removed, added: lines
 *   without their indentation
 */
export function configDifferences (before, after) {
  return Object.keys(before).filter(file => file in after && before[file] !== after[file]).map(file => {
    const parts = diffLines(before[file], after[file], { maxEditLength: MOST_EDITS }) ??
      [{ removed: true, value: before[file] }, { added: true, value: after[file] }]
    const lines = (/** @type {'removed' | 'added'} */ kind) =>
      parts.filter(part => part[kind]).flatMap(({ value }) =>
        value.split('\n').map(line => line.trim()).filter(Boolean)
      )
    return { file, removed: lines('removed'), added: lines('added') }
  }).filter(({ removed, added }) => removed.length + added.length > 0)
}
