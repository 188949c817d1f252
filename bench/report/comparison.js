/** Two runs compared, as text. @import { Change } from '../analysis/change.js'
 * @import { ComparedArm, ComparedPair, Comparison } from '../analysis/compare-runs.js'
 * @import { Column, Table } from '../types.js' */
import pc from 'picocolors'
import { conclusion, pairName, reasons, VERDICTS } from './comparison-words.js'
import { estimate } from '../shared/format.js'
import { column, textTable } from './table.js'
import { unitOf } from '../shared/units.js'
import { wrap } from './wrap.js'

/** @import { Style } from './text.js' */

const MOST_LETTERS = 200 // Of longer values than this the beginning is shown.

/** @param {Comparison} comparison @param {{ columns?: number, color?: boolean }} [options]
 * @returns {string} ends with a line break */
export function renderComparison (comparison, { columns = 80, color = false } = {}) {
  const style = { columns: Math.max(40, columns), colors: pc.createColors(color) }
  const heading = (/** @type {string} */ text) => wrap(text, style.columns).map(style.colors.bold)
  const { runs, arms, contrasts, costs, ratesApart, unit } = comparison
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
    ...inOneAlone(comparison, style.columns),
    ...reasons(comparison).flatMap(reason => wrap(reason, style.columns)),
    '',
    ...heading(
      comparison.differences.length === 0 ? 'Their machines and set-ups are the same' : 'What differs between them'
    ),
    ...comparison.differences.flatMap(({ what, before, after }) =>
      wrap(`${what}: ${short(before)} → ${short(after)}`, style.columns, { first: '- ' })
    ),
    ...comparison.configs.flatMap((
      { file, removed, added }
    ) => ['', ...heading(file), ...removed.flatMap(line => wrap(line, style.columns, { first: '- ' })),
      ...added.flatMap(line => wrap(line, style.columns, { first: '+ ' }))]
    ),
    '',
    ...conclusion(comparison).flatMap(sentence => wrap(sentence, style.columns))
  ]
  return `${lines.join('\n')}\n`
}

const short = (/** @type {string} */ text) => text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text

/** @param {Comparison} comparison @returns {Table<ComparedArm>} */
function armTable ({ arms, unit }) {
  const { perSecond, print } = unitOf(unit)
  return {
    rows: arms,
    columns: [
      column('arm', ({ arm }) => arm, { left: true }),
      column(`${perSecond} before`, ({ before }) => print(before)),
      column('now', ({ after }) => print(after)),
      ...CHANGE
    ]
  }
}

/** @param {ComparedPair[]} pairs @returns {Table<ComparedPair>} */
const pairTable = pairs => ({
  rows: pairs,
  columns: [
    column('pair', pairName, { left: true }),
    column('before', ({ before }) => estimate(before).ratio),
    column('now', ({ after }) => estimate(after).ratio),
    ...CHANGE
  ]
})

/** @type {Column<Change>[]} */
const CHANGE = [
  column('change', change => estimate(change).ratio),
  column('interval', change => estimate(change).interval),
  column('', ({ verdict }) => VERDICTS[verdict], { left: true })
]

/** @param {Comparison} comparison @param {number} columns */
const inOneAlone = ({ only, runs }, columns) => [
  ...only.before.length > 0 ? wrap(`Only in ${runs.before}: ${only.before.join(', ')}.`, columns) : [],
  ...only.after.length > 0 ? wrap(`Only in ${runs.after}: ${only.after.join(', ')}.`, columns) : []
]
