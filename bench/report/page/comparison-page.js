/** A comparison of two runs as a page, a chart and CSV (pure). */
import { comparisonTable } from '../comparison-markdown.js'
import { conclusion, listFigures, printVerdict, reasons } from '../comparison-words.js'
import { htmlTemplate } from '../templates.js'
import { toCsv } from './csv-text.js'
import { draw, drawFile } from './draw.js'
import { colors, css } from './page.js'
import { ratioChart } from './ratio-chart.js'
import { withCells } from './section.js'

/** @import { Comparison } from '../../judge/compare-runs.js' */

const template = htmlTemplate('page/comparison.hbs')

const LABEL = 'Change of each figure from one run to the other, with its interval and the margin'

const CSV_COLUMNS = [
  'kind', 'name', 'before', 'after', { key: 'ratio', header: 'change' }, 'low', 'high', 'level', 'verdict',
  { key: 'sees', header: 'wouldHaveFound' }
]

/**
 * Prints a line for each figure.
 * @param {Comparison} comparison
 */
export const comparisonCsv = comparison => toCsv(listFigures(comparison), CSV_COLUMNS)

/**
 * Draws the chart of changes for a file of its own.
 * @param {Comparison} comparison
 */
export const comparisonSvg = comparison => drawFile(toChart(comparison), LABEL, colors)

/**
 * @param {Comparison} comparison
 * @returns {string} HTML
 */
export function comparisonPage (comparison) {
  const [first, ...sentences] = conclusion(comparison)
  return template({
    title: `${comparison.runs.after} against ${comparison.runs.before}`,
    first,
    sentences: [...sentences, ...reasons(comparison)],
    chart: draw(toChart(comparison), LABEL),
    table: withCells(comparisonTable(comparison)),
    differences: comparison.differences,
    css
  })
}

/** @param {Comparison} comparison */
function toChart (comparison) {
  const rows = listFigures(comparison).flatMap(figure => {
    const { kind, name, ratio, low, high, verdict } = figure
    if (ratio === null || ratio <= 0) return []
    return [{
      name: `${name}${kind === 'cpu' ? ', CPU time' : ''}`,
      ratio,
      low,
      high,
      verdict,
      title: `${name}: ${printVerdict(figure)}`
    }]
  })
  const band = { low: 1 / (1 + comparison.margin), high: 1 + comparison.margin }
  return ratioChart(rows, band, 'now ÷ before →')
}
