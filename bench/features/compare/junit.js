/** Verdicts as test cases, for servers that read JUnit's XML: Jenkins, GitLab, Azure Pipelines … (pure). */
import { withoutControls } from '../../errors.js'
import { kindOf } from '../../run/kinds.js'
import { countOutcomes } from '../../report/verdicts.js'
import comparisonKind, { toTitle } from './kind.js'

/** @import { Comparison } from '../../judge/runs/compare-runs.js' */
/** @import { DiffMetric, Finding, RunRecord } from '../../types.js' */

/** @typedef {{ name: string, timestamp?: string, seconds: number }} Suite timestamp: UTC, without an offset */

/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;', '\n': '&#10;' }
/** Half of a surrogate pair, and the two code points that XML 1.0 excludes besides control characters. */
const NO_CHARACTER = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|[\ufffe\uffff]/g

const escape = (/** @type {string} */ text) =>
  withoutControls(text).replace(NO_CHARACTER, '\ufffd').replace(/[&<>"'\n]/g, character => ENTITIES[character])

/**
 * Prints an element for the outcome, if it is not a success.
 *
 * @param {Finding} verdict
 */
function toResult ({ outcome, text, words }) {
  const message = `message="${escape(text)}"`
  switch (outcome) {
    case 'slower': return `<failure ${message} type="${escape(words)}">${escape(text)}</failure>`
    case 'failed': return `<error ${message} type="${escape(words)}">${escape(text)}</error>`
    case 'open': return `<skipped ${message}/>`
    default: return ''
  }
}

/**
 * @param {Finding[]} verdicts
 * @param {Suite} suite
 * @returns {string} XML
 */
function toXml (verdicts, { name, timestamp, seconds }) {
  const { slower, open, failed } = countOutcomes(verdicts)
  const counts = `tests="${verdicts.length}" failures="${slower}" errors="${failed}" skipped="${open}" ` +
    `time="${seconds.toFixed(3)}"`
  const cases = verdicts.map(verdict =>
    `    <testcase classname="hopbench" name="${escape(verdict.name)}" time="0">${toResult(verdict)}</testcase>\n`)
  return '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<testsuites name="hopbench" ${counts}>\n` +
    `  <testsuite name="${escape(name)}"${timestamp ? ` timestamp="${timestamp}"` : ''} ${counts}>\n` +
    `${cases.join('')}  </testsuite>\n</testsuites>\n`
}

/**
 * Prints the verdicts of a run. A slower arm fails only where the run has a limit for it.
 *
 * @param {{ record: RunRecord, rates?: DiffMetric[] }} run rates: of --fail-if-slower
 */
export function runXml ({ record, rates }) {
  const { experiment, startedAt, timing } = record
  const { kind, findings } = kindOf(record)
  const hasLimit = kind === 'diff' || rates !== undefined
  /** @type {Finding[]} */
  const tested = findings(record, rates).map(verdict =>
    verdict.outcome === 'slower' && !hasLimit ? { ...verdict, outcome: 'passed' } : verdict)
  return toXml(tested, {
    name: experiment,
    // xs:dateTime, as most readers expect it: to the second.
    timestamp: startedAt.slice(0, '2026-01-02T03:04:05'.length),
    seconds: timing.setupSeconds + timing.sliceWallSeconds
  })
}

/** Prints the verdicts of a comparison. @param {Comparison} comparison */
export const comparisonXml = comparison =>
  toXml(comparisonKind.findings(comparison), { name: toTitle(comparison), seconds: 0 })
