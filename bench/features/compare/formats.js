/**
 * Formats of exported runs and comparisons. A format is a file in bench/features/compare/formats/, and its option
 * `--export-NAME` has the name of the file. A format imports its code when it writes, because charts take time to load.
 */
import { readdirSync } from 'node:fs'

/** @import { Comparison } from '../../judge/runs/compare-runs.js' */
/** @import { StoredRun } from '../../run/stored-run.js' */
/** @import { DiffMetric } from '../../types.js' */

/** @typedef {StoredRun & { resultsDir?: string, rates?: DiffMetric[] }} ExportedRun rates: of --fail-if-slower */
/** @typedef {string | Promise<string>} Text of a file; rejected with a HopbenchError if there is nothing to write */
/** @typedef {Record<string, () => Text>} Texts by format */
/**
 * @typedef {object} Format
 * @property {{ run?: string, comparison?: string }} about description, for each function below
 * @property {(run: ExportedRun) => Text} [run] for `run` and `report`
 * @property {(comparison: Comparison) => Text} [comparison] for `compare`
 */

const folder = new URL('formats/', import.meta.url)
const names = readdirSync(folder).map(file => file.slice(0, -'.js'.length)).sort()
const imported = await Promise.all(names.map(async name => (await import(new URL(`${name}.js`, folder).href)).default))

/** @type {[name: string, format: Format][]} */
const formats = names.map((name, i) => [name, imported[i]])

/**
 * Returns a value of each format that has one, by the name of the format.
 *
 * @template Value
 * @param {(format: Format) => Value | undefined} choose
 * @returns {Record<string, Value>}
 */
const mapFormats = choose => Object.fromEntries(formats.flatMap(([name, format]) => {
  const value = choose(format)
  return value === undefined ? [] : [[name, value]]
}))

export const RUN_FORMATS = mapFormats(({ about }) => about.run)
export const COMPARISON_FORMATS = mapFormats(({ about }) => about.comparison)

/**
 * @param {ExportedRun} run
 * @returns {Texts}
 */
export const textsOfRun = run => mapFormats(({ run: write }) => write && (() => write(run)))

/**
 * @param {Comparison} comparison
 * @returns {Texts}
 */
export const textsOfComparison = comparison => mapFormats(({ comparison: write }) => write && (() => write(comparison)))
