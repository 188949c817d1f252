/** The report of a comparison of two runs (pure). */
import { printComparisonFacts } from '../../report/facts/facts.js'
import {
  changeColumns, comparisonAnswer, comparisonLimits, listDeciding, listMetrics, printVerdict, reasons
} from '../../report/comparison-words.js'
import { column } from '../../report/table.js'
import { toFinding } from '../../report/verdicts.js'

/** @import { Comparison } from '../../judge/runs/compare-runs.js' */
/** @import { ChartBlock, Kind, Table } from '../../types.js' */

/** @typedef {ReturnType<typeof listMetrics>[number]} Figure */

const MAX_LETTERS = 200 // Letters printed of a value that differs.
const MAX_DIFFERENCES = 40 // Lines of differences; whole configurations would hide the rest of a build's summary.

const shorten = (/** @type {string} */ text) => text.length > MAX_LETTERS ? `${text.slice(0, MAX_LETTERS)}…` : text

/** Names a figure where there is little room. @type {(figure: Pick<Figure, 'kind' | 'name' | 'label'>) => string} */
const toShortName = ({ kind, name, label }) =>
  kind === 'ratio' ? name : `${name}, ${kind === 'cpu' ? 'CPU time' : label}`

/**
 * Returns columns with a figure of one run, whose interval a terminal has no room for.
 * @param {string} heading
 * @param {number} run 0: before; 1: now
 */
const toColumns = (heading, run) => [
  column({ text: heading }, (/** @type {Figure} */ { texts }) => texts[run].replace(/ \(.*/, '')),
  column({ page: heading }, (/** @type {Figure} */ { texts }) => texts[run])
]

/**
 * @param {Comparison} comparison
 * @returns {Table<Figure>}
 */
const toTable = comparison => ({
  rows: listMetrics(comparison),
  columns: [
    column({ text: 'figure' }, toShortName, { left: true }),
    column({ page: 'figure' }, ({ name, label }) => `${name}, ${label}`, { left: true }),
    ...toColumns('before', 0),
    ...toColumns('now', 1),
    ...changeColumns
  ]
})

/**
 * Draws the change of each figure that has one.
 * @param {Comparison} comparison
 * @returns {ChartBlock | null} null: no figure has one
 */
function toChart (comparison) {
  const rows = listMetrics(comparison).flatMap(figure => {
    const { name, ratio, low, high, verdict } = figure
    if (ratio === null || ratio <= 0) return []
    return [{ name: toShortName(figure), ratio, low, high, look: verdict, title: `${name}: ${printVerdict(figure)}` }]
  })
  if (rows.length === 0) return null
  return {
    chart: 'ratios',
    rows,
    noise: { low: 1 / (1 + comparison.margin), high: 1 + comparison.margin },
    band: 'margin',
    axis: 'now ÷ before →',
    label: 'Change of each figure from one run to the other, with its interval and the margin'
  }
}

/** @type {Pick<Kind<Comparison>, 'answer' | 'sections' | 'mainChart' | 'findings' | 'printFacts'>} */
export default {
  answer: comparison => ({ text: comparisonAnswer(comparison).join(' '), contrasts: [] }),

  sections (comparison) {
    const { arms, only, differences, configs } = comparison
    const chart = toChart(comparison)
    const more = differences.length - MAX_DIFFERENCES
    return [
      {
        id: 'changes',
        title: toTitle(comparison),
        blocks: [
          ...chart ? [chart] : [],
          toTable(comparison),
          ...arms.length === 0 ? ['They have no arm in common.'] : [],
          ...comparisonLimits(comparison),
          ...reasons(comparison),
          ...only.before.map(name => `${name} is no longer measured.`),
          ...only.after.map(name => `${name} was not measured before.`),
          ...differences.length === 0 ? ['Their machines and set-ups are the same.'] : []
        ]
      },
      {
        id: 'differences',
        title: 'Differences of machines and set-ups',
        blocks: [
          ...differences.slice(0, MAX_DIFFERENCES).map(({ what, before, after }) =>
            `${what}: ${shorten(before)} → ${shorten(after)}`),
          ...more > 0 ? [`${more} more.`] : []
        ]
      },
      ...configs.map(({ file, removed, added }) => ({
        id: file,
        title: file,
        blocks: [...removed.map(line => `− ${line}`), ...added.map(line => `+ ${line}`)]
      }))
    ]
  },

  mainChart: toChart,
  findings: comparison => listDeciding(comparison).map(figure => toFinding(figure, `${figure.name}, ${figure.label}`)),
  printFacts: printComparisonFacts
}

/** Names the compared runs. @param {Comparison} comparison */
export const toTitle = ({ runs }) => `${runs.after} against ${runs.before}`
