/** A comparison of two runs, as text. */
import { estimate } from '../shared/format.js'
import { unitOf } from '../shared/units.js'
import { conclusion, pairName, reasons, VERDICTS } from './comparison-words.js'
import { column, textTable } from './table.js'
import { toStyle, wrap, wrapItems } from './wrap.js'

/** @import { Change } from '../analysis/change.js' */
/** @import { ComparedArm, ComparedPair, Comparison } from '../analysis/compare-runs.js' */
/** @import { Column, Table } from '../types.js' */
/** @import { Style } from './wrap.js' */

const MOST_LETTERS = 200 // Letters printed of a value that differs.

/**
 * @param {Comparison} comparison
 * @param {{ columns?: number, color?: boolean }} [options]
 * @returns {string} ends with a line break
 */
export function renderComparison (comparison, { columns, color } = {}) {
  const style = toStyle(columns, color)
  const heading = (/** @type {string} */ text) => wrap(text, style.columns).map(style.colors.bold)
  const { runs, arms, contrasts, costs, ratesApart, unit, only, differences, configs } = comparison
  const lines = [
    ...heading(`${runs.after} against ${runs.before}`),
    ...arms.length === 0 ? ['', 'They have no arm in common.'] : [],
    ...contrasts.length === 0
      ? []
      : ['', ...heading('Relative throughput, within each run'), ...textTable(pairTable(contrasts), style)],
    ...costs.length === 0
      ? []
      : ['', ...heading(`CPU time for each ${unitOf(unit).per} against the baseline's, within each run`),
          ...textTable(pairTable(costs), style)],
    ...arms.length === 0
      ? []
      : ['', ...heading(ratesApart === null ? 'Rates' : 'Rates, which do not decide'),
          ...textTable(armTable(comparison), style)],
    ...only.before.length > 0 ? wrap(`Only in ${runs.before}: ${only.before.join(', ')}.`, style.columns) : [],
    ...only.after.length > 0 ? wrap(`Only in ${runs.after}: ${only.after.join(', ')}.`, style.columns) : [],
    ...wrap(reasons(comparison), style.columns),
    '',
    ...heading(differences.length === 0 ? 'Their machines and set-ups are the same' : 'Differences between them'),
    ...wrapItems(
      differences.map(({ what, before, after }) => `${what}: ${shorten(before)} → ${shorten(after)}`), style),
    ...configs.flatMap(config => configLines(config, style)),
    '',
    ...wrap(conclusion(comparison), style.columns)
  ]
  return `${lines.join('\n')}\n`
}

/**
 * @param {Comparison['configs'][number]} config
 * @param {Style} style
 */
const configLines = ({ file, removed, added }, { columns, colors }) => [
  '',
  ...wrap(file, columns).map(colors.bold),
  ...wrap(removed, columns, { first: '- ' }),
  ...wrap(added, columns, { first: '+ ' })
]

const shorten = (/** @type {string} */ text) => text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text

/** @type {Column<Change>[]} */
const CHANGE_COLUMNS = [
  column('change', change => estimate(change).ratio),
  column('interval', change => estimate(change).interval),
  column('', ({ verdict }) => VERDICTS[verdict], { left: true })
]

/**
 * @param {Comparison} comparison
 * @returns {Table<ComparedArm>}
 */
function armTable ({ arms, unit }) {
  const { perSecond, print } = unitOf(unit)
  return {
    rows: arms,
    columns: [
      column('arm', ({ arm }) => arm, { left: true }),
      column(`${perSecond} before`, ({ before }) => print(before)),
      column('now', ({ after }) => print(after)),
      ...CHANGE_COLUMNS
    ]
  }
}

/**
 * @param {ComparedPair[]} pairs
 * @returns {Table<ComparedPair>}
 */
const pairTable = pairs => ({
  rows: pairs,
  columns: [
    column('pair', pairName, { left: true }),
    column('before', ({ before }) => estimate(before).ratio),
    column('now', ({ after }) => estimate(after).ratio),
    ...CHANGE_COLUMNS
  ]
})
