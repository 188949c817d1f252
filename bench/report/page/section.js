/** A section of the page: sentences, a chart with its legend, and a table. */
import { pageTable } from '../table.js'
import { draw } from './draw.js'

/** @import { Table } from '../../types.js' */
/** @import { Chart } from './draw.js' */

/**
 * Draws the chart of a section and prints its table.
 * @template Row
 * @param {string} id
 * @param {string} title
 * @param {object} content
 * @param {string[]} [content.words] sentences above the chart
 * @param {Chart | null} [content.chart]
 * @param {string} [content.label] alternative text of the chart; default: the title
 * @param {{ name: string, color: string, dash?: string, symbol: string }[]} [content.legend]
 * @param {Table<Row>} [content.table]
 */
export const section = (id, title, { words = [], chart = null, label = title, legend = [], table }) =>
  ({ id, title, words, chart: chart && draw(chart, label), legend, table: table ? pageTable(table) : null })
