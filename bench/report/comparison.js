/** A comparison of two runs, as text. */
import { estimate } from '../shared/format.js'
import { unitOf } from '../shared/units.js'
import { comparisonAnswer, comparisonLimits, pairName, printVerdict, reasons } from './comparison-words.js'
import { column, titledTable } from './table.js'
import { heading, joinSections, titled, toStyle, wrap, wrapItems } from './wrap.js'

/** @import { ComparedArm, ComparedPair, Comparison } from '../judge/compare-runs.js' */
/** @import { Change, Column, Table } from '../types.js' */
/** @import { Style } from './wrap.js' */

const MOST_LETTERS = 200 // Letters printed of a value that differs.

/**
 * @param {Comparison} comparison
 * @param {{ columns?: number, color?: boolean }} [options]
 * @returns {string} ends with a line break
 */
export function renderComparison (comparison, { columns, color } = {}) {
  const style = toStyle(columns, color)
  const { runs, arms, contrasts, costs, ratesApart, unit, only, differences, configs } = comparison
  const { per, perSecond, print } = unitOf(unit)
  const armTable = changeTable(arms, { names: 'arm', before: `${perSecond} before` }, ({ arm }) => arm, print)
  const costTitle = `CPU time for each ${per} against the baseline's, within each run`
  const onlySentences = (/** @type {'before' | 'after'} */ time) =>
    only[time].length > 0 ? wrap(`Only in ${runs[time]}: ${only[time].join(', ')}.`, style.columns) : []
  return joinSections([
    heading(comparisonAnswer(comparison).join(' '), style),
    wrap(`${runs.after} against ${runs.before}`, style.columns),
    titledTable('Relative throughput, within each run', pairTable(contrasts), style),
    titledTable(costTitle, pairTable(costs), style),
    [
      ...arms.length === 0 ? ['They have no arm in common.'] : [],
      ...titledTable(ratesApart === null ? 'Rates' : 'Rates, which do not decide', armTable, style),
      ...onlySentences('before'),
      ...onlySentences('after'),
      ...wrap(reasons(comparison), style.columns)
    ],
    [
      ...heading(differences.length === 0 ? 'Their machines and set-ups are the same' : 'Differences between them',
        style),
      ...wrapItems(
        differences.map(({ what, before, after }) => `${what}: ${shorten(before)} → ${shorten(after)}`), style)
    ],
    ...configs.map(config => configLines(config, style)),
    wrap(comparisonLimits(comparison), style.columns)
  ])
}

/**
 * @param {Comparison['configs'][number]} config
 * @param {Style} style
 */
const configLines = ({ file, removed, added }, style) => titled(file, [
  ...wrap(removed, style.columns, { first: '- ' }),
  ...wrap(added, style.columns, { first: '+ ' })
], style)

const shorten = (/** @type {string} */ text) => text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text

/** @type {Column<Change>[]} */
const CHANGE_COLUMNS = [
  column('change', change => estimate(change).ratio),
  column('interval', change => estimate(change).interval),
  column('', printVerdict, { left: true })
]

/**
 * Returns a table of a figure in both runs and its change.
 * @template {ComparedArm | ComparedPair} Row
 * @param {Row[]} rows
 * @param {{ names: string, before: string }} headings
 * @param {(row: Row) => string} getName
 * @param {(figure: Row['before']) => string} print
 * @returns {Table<Row>}
 */
const changeTable = (rows, headings, getName, print) => ({
  rows,
  columns: [
    column(headings.names, getName, { left: true }),
    column(headings.before, ({ before }) => print(before)),
    column('now', ({ after }) => print(after)),
    ...CHANGE_COLUMNS
  ]
})

/** @param {ComparedPair[]} pairs */
const pairTable = pairs =>
  changeTable(pairs, { names: 'pair', before: 'before' }, pairName, pair => estimate(pair).ratio)
