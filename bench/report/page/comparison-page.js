/** Two runs compared, as a page, a chart and data (pure).
 * @import { Verdict } from '../../analysis/change.js' @import { Comparison } from '../../analysis/compare-runs.js' */
import { stringify } from 'csv-stringify/sync'
import handlebars from 'handlebars'
import { comparisonTable } from '../comparison-markdown.js'
import { conclusion, pairName, reasons } from '../comparison-words.js'
import { CSV_OPTIONS } from './csv.js'
import { draw, drawFile } from './draw.js'
import { colors, css, read, withCells } from './page.js'
import { LOOKS, ratioChart } from './ratio-chart.js'

/** @import { Row } from './ratio-chart.js' */

const engine = handlebars.create()
engine.registerPartial('table', read('table.hbs'))
const template = engine.compile(read('comparison.hbs'))

const LABEL = 'How far each figure moved from one run to the other, with its interval and the margin'

/** A line for each figure. @param {Comparison} comparison @returns {string} */
export const comparisonCsv = comparison => stringify(figuresOf(comparison).map(({ change, ...figure }) => ({
  ...figure,
  change: change.ratio,
  low: change.low,
  high: change.high,
  level: change.level,
  verdict: change.verdict,
  wouldHaveFound: change.sees
})), CSV_OPTIONS)

/** The chart of changes as a file of its own. @param {Comparison} comparison @returns {string} SVG */
export const comparisonSvg = comparison => drawFile(chartOf(comparison), LABEL, colors)

/** A self-contained page. @param {Comparison} comparison @returns {string} HTML */
export function comparisonPage (comparison) {
  const [first, ...sentences] = conclusion(comparison)
  return template({
    title: `${comparison.runs.after} against ${comparison.runs.before}`,
    first,
    sentences: [...sentences, ...reasons(comparison)],
    chart: draw(chartOf(comparison), LABEL),
    table: withCells(comparisonTable(comparison)),
    differences: comparison.differences,
    css
  })
}

/** @param {Comparison} comparison */
const figuresOf = ({ contrasts, costs, arms }) => [
  ...contrasts.map(change => ({
    kind: 'ratio',
    name: pairName(change),
    before: change.before.ratio,
    after: change.after.ratio,
    change
  })),
  ...costs.map(change => ({
    kind: 'cpu',
    name: pairName(change),
    before: change.before.ratio,
    after: change.after.ratio,
    change
  })),
  ...arms.map(change => ({ kind: 'rate', name: change.arm, before: change.before, after: change.after, change }))
]

/** @type {Record<Verdict, typeof LOOKS['faster']>} */
const LOOKS_OF_CHANGES = {
  ...LOOKS, cheaper: LOOKS.faster, costlier: LOOKS.slower, 'not-comparable': LOOKS.inconclusive
}

/** @param {Comparison} comparison */
function chartOf (comparison) {
  const rows = /** @type {Row[]} */ (figuresOf(comparison).flatMap(({ kind, name, change }) =>
    change.ratio !== null && change.ratio > 0
      ? [{
          name: `${name}${kind === 'cpu' ? ', CPU time' : ''}`,
          ratio: change.ratio,
          low: change.low,
          high: change.high,
          look: LOOKS_OF_CHANGES[change.verdict],
          title: `${name}: ${change.verdict}`
        }]
      : []))
  const band = { low: 1 / (1 + comparison.margin), high: 1 + comparison.margin }
  return ratioChart(rows, band, 'now ÷ before →')
}
