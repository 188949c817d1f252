/**
 * Formats of exported runs and comparisons. The option `--export-NAME` has the name of its format. Charts, pages and
 * tables of samples are imported when they are written, because their code takes time to load.
 */
import { HopbenchError } from '../../errors.js'
import { shieldsBadge } from '../../report/badge.js'
import { listMetrics } from '../../report/comparison-words.js'
import { printComparisonFacts, toJson } from '../../report/facts/facts.js'
import { markdown, reportMarkdown } from '../../report/markdown.js'
import { toCsv } from '../../report/page/csv-text.js'
import { countOutcomes } from '../../report/verdicts.js'
import { kindOf } from '../../run/kinds.js'
import { groupBy } from '../../shared/group-by.js'
import { commentMarkdown } from './comment.js'
import { comparisonXml, runXml } from './junit.js'
import comparisonKind, { toTitle } from './kind.js'

/** @import { Comparison } from '../../judge/runs/compare-runs.js' */
/** @import { StoredRun } from '../../run/stored-run.js' */
/** @import { DiffMetric, Finding, Kind, Metric } from '../../types.js' */

/** @typedef {StoredRun & { resultsDir?: string, rates?: DiffMetric[] }} ExportedRun rates: of --fail-if-slower */
/** @typedef {string | Promise<string>} Text of a file; rejected with a HopbenchError if there is nothing to write */
/** @typedef {Record<string, () => Text>} Texts by format */
/**
 * A description of the file, and a function that returns its text.
 * @template Subject
 * @typedef {[about: string, write: (subject: Subject) => Text]} Format
 */

const BADGE = 'a badge of shields.io with the verdicts'
const COMMENT = 'a comment for a pull request, with a chart as text'
const JUNIT = 'a test case per verdict, as JUnit XML'
const COMPARISON_COLUMNS = [
  'kind', 'name', 'before', 'after', { key: 'ratio', header: 'change' }, 'low', 'high', 'level', 'verdict',
  { key: 'sees', header: 'wouldHaveFound' }
]
/** Characters of a benchmark's name that Bencher accepts. */
const MAX_NAME = 1024

/** Formats of `run`, `diff` and `report`. @type {Record<string, Format<ExportedRun>>} */
const OF_RUNS = {
  badge: [BADGE, ({ record, rates }) => toBadge(kindOf(record).findings(record, rates))],
  bencher: ['rates, CPU time, memory and ratios in Bencher Metric Format', ({ record }) =>
    bencherMetrics(kindOf(record).metrics(record))],
  'benchmark-action': ['CPU time, memory and p99 for github-action-benchmark, tool customSmallerIsBetter',
    ({ record }) => benchmarkAction(kindOf(record).metrics(record), 'smaller')],
  'benchmark-action-bigger': ['rates and ratios for github-action-benchmark, tool customBiggerIsBetter',
    ({ record }) => benchmarkAction(kindOf(record).metrics(record), 'bigger')],
  comment: [COMMENT, runComment],
  csv: ['one line per arm', async ({ record }) => (await import('../../report/page/csv.js')).tableCsv(record)],
  html: ['the report as one self-contained page', async run => (await import('../../run/report-file.js')).pageOf(run)],
  json: ['the record', ({ record }) => toJson(record, kindOf(record))],
  junit: [JUNIT, runXml],
  markdown: ['the tables, for a pull request', ({ record }) => markdown(record, kindOf(record))],
  samples: ['one line per trial, as CSV', async ({ samples }) =>
    (await import('../../report/page/csv.js')).samplesCsv(samples)],
  svg: ['the main chart', ({ record }) => draw(record, kindOf(record), { run: record.run })],
  users: ['responses and errors of users in each second, as CSV', writeUsers]
}

/** Formats of `compare`. @type {Record<string, Format<Comparison>>} */
const OF_COMPARISONS = {
  badge: [BADGE, comparison => toBadge(comparisonKind.findings(comparison))],
  comment: [COMMENT, comparison => commentMarkdown({
    title: 'hopbench: compared with the baseline',
    answer: comparisonKind.answer(comparison).text,
    verdicts: comparisonKind.findings(comparison),
    source: toTitle(comparison)
  })],
  csv: ['one line per compared figure', comparison => toCsv(listMetrics(comparison), COMPARISON_COLUMNS)],
  html: ['table and chart as one self-contained page', async comparison =>
    (await import('../../report/page/page.js')).sectionsPage(comparison, comparisonKind, toTitle(comparison))],
  json: ['the comparison', comparison => `${JSON.stringify(printComparisonFacts(comparison), null, 2)}\n`],
  junit: [JUNIT, comparisonXml],
  markdown: ['the table, for the summary of a build', comparison => reportMarkdown(comparison, comparisonKind)],
  svg: ['the chart of changes', comparison =>
    draw(comparison, comparisonKind, { run: comparison.runs.after, before: comparison.runs.before })]
}

/**
 * Returns a value of each format.
 *
 * @template Subject
 * @template Value
 * @param {Record<string, Format<Subject>>} formats
 * @param {(format: Format<Subject>) => Value} toValue
 * @returns {Record<string, Value>}
 */
const mapFormats = (formats, toValue) =>
  Object.fromEntries(Object.entries(formats).map(([name, format]) => [name, toValue(format)]))

export const RUN_FORMATS = mapFormats(OF_RUNS, ([about]) => about)
export const COMPARISON_FORMATS = mapFormats(OF_COMPARISONS, ([about]) => about)

/**
 * @param {ExportedRun} run
 * @returns {Texts}
 */
export const textsOfRun = run => mapFormats(OF_RUNS, ([, write]) => () => write(run))

/**
 * @param {Comparison} comparison
 * @returns {Texts}
 */
export const textsOfComparison = comparison => mapFormats(OF_COMPARISONS, ([, write]) => () => write(comparison))

/**
 * Prints a badge. It has counts only, because names of arms are texts of strangers.
 *
 * @param {Finding[]} verdicts
 */
function toBadge (verdicts) {
  const { slower, open, failed } = countOutcomes(verdicts)
  const total = verdicts.length
  if (total === 0) return shieldsBadge({ message: 'no verdict', color: 'lightgrey' })
  if (slower > 0) return shieldsBadge({ message: `${slower} of ${total} slower`, color: 'red' })
  if (failed > 0) return shieldsBadge({ message: `${failed} of ${total} not measured`, color: 'orange' })
  if (open > 0) return shieldsBadge({ message: `${open} of ${total} undecided`, color: 'yellow' })
  return shieldsBadge({ message: 'not slower', color: 'brightgreen' })
}

/**
 * Prints figures in Bencher Metric Format (https://bencher.dev/docs/reference/bencher-metric-format/).
 *
 * @param {Metric[]} metrics
 * @returns {string} JSON
 */
function bencherMetrics (metrics) {
  const toMetric = (/** @type {Metric} */ { value, low, high }) => ({
    value,
    ...low !== null && { lower_value: low },
    ...high !== null && { upper_value: high }
  })
  const benchmarks = [...groupBy(metrics, ({ subject }) => subject)].map(([subject, group]) =>
    [subject.slice(0, MAX_NAME), Object.fromEntries(group.map(metric => [metric.measure, toMetric(metric)]))])
  return `${JSON.stringify(Object.fromEntries(benchmarks), null, 2)}\n`
}

/**
 * Prints the figures of one direction for the GitHub action github-action-benchmark, whose files have one direction.
 *
 * @param {Metric[]} metrics
 * @param {Metric['better']} direction
 * @returns {string} JSON
 */
export function benchmarkAction (metrics, direction) {
  const entries = metrics.filter(({ better }) => better === direction)
    .map(({ subject, measure, unit, value, low, high }) => ({
      name: `${subject}: ${measure}`,
      unit,
      value,
      ...low !== null && high !== null && {
        // The action reads a sign and one number, so an interval that is not symmetric is its wider side. Its parser
        // rejects a number of one digit, so that trailing zeros remain.
        range: `± ${Math.max(high - value, value - low).toPrecision(3)}`,
        extra: `interval: ${low} to ${high}`
      }
    }))
  return `${JSON.stringify(entries, null, 2)}\n`
}

/** @param {ExportedRun} run */
function runComment ({ record, rates }) {
  const { diff, experiment, run } = record
  return commentMarkdown({
    title: `hopbench: ${diff ? 'the app with this change, and without it' : experiment}`,
    answer: kindOf(record).answer(record).text,
    verdicts: kindOf(record).findings(record, rates),
    source: diff ? `head: ${diff.head.label}; base: ${diff.base.label}` : run
  })
}

/**
 * @param {ExportedRun} run
 * @throws {HopbenchError} no-users
 */
async function writeUsers ({ record, samples }) {
  const csv = (await import('../../report/page/csv.js')).usersCsv(samples)
  if (csv === null) throw new HopbenchError('no-users', { run: record.run })
  return csv
}

/**
 * @template Subject
 * @param {Subject} record
 * @param {Pick<Kind<Subject>, 'mainChart'>} kind
 * @param {{ run: string, before?: string }} runs
 * @throws {HopbenchError} nothing-to-draw
 */
async function draw (record, kind, runs) {
  const { renderSvg } = await import('../../report/page/page.js')
  const svg = renderSvg(record, kind)
  if (svg === null) throw new HopbenchError('nothing-to-draw', runs)
  return svg
}
