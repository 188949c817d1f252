/**
 * Two runs compared, as text.
 * @import { ComparedPair, Comparison } from '../compare.js'
 */
import pc from 'picocolors'
import { conclusion, pairName, reasons, VERDICTS } from './compare-words.js'
import { estimate } from './format.js'
import { draw, nameWidth } from './table.js'
import { unitOf } from './units.js'
import { wrap } from './wrap.js'

/** Longer values than this are told by their beginning. */
const MOST_LETTERS = 200

/**
 * @param {Comparison} comparison
 * @param {{ columns?: number, color?: boolean }} [options]
 * @returns {string} ends with a line break
 */
export function renderComparison (comparison, { columns = 80, color = false } = {}) {
  const style = { columns: Math.max(40, columns), colors: pc.createColors(color) }
  const heading = (/** @type {string} */ text) => wrap(text, style.columns).map(style.colors.bold)
  const { runs, arms, contrasts, costs, ratesApart, unit } = comparison
  const lines = [
    ...heading(`${runs.after} against ${runs.before}`),
    ...arms.length === 0 ? ['', 'They have no arm in common.'] : [],
    ...contrasts.length === 0 ? [] : ['', ...heading('Times as fast, within each run'), ...pairTable(contrasts, style)],
    ...costs.length === 0 ? [] : ['', ...heading(`CPU time for each ${unitOf(unit).per} against the baseline's, within each run`), ...pairTable(costs, style)],
    ...arms.length === 0 ? [] : ['', ...heading(ratesApart === null ? 'Rates' : 'Rates, which do not decide'), ...armTable(comparison, style)],
    ...inOneAlone(comparison, style.columns),
    ...reasons(comparison).flatMap(reason => wrap(reason, style.columns)),
    '',
    ...heading(comparison.differences.length === 0 ? 'Their machines and set-ups are the same' : 'What differs between them'),
    ...comparison.differences.flatMap(({ what, before, after }) => wrap(`${what}: ${short(before)} → ${short(after)}`, style.columns, { first: '- ' })),
    ...comparison.configs.flatMap(({ file, removed, added }) => ['', ...heading(file), ...removed.flatMap(line => wrap(line, style.columns, { first: '- ' })), ...added.flatMap(line => wrap(line, style.columns, { first: '+ ' }))]),
    '',
    ...conclusion(comparison).flatMap(sentence => wrap(sentence, style.columns))
  ]
  return `${lines.join('\n')}\n`
}

const short = (/** @type {string} */ text) => text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text

/** @param {Comparison} comparison @param {import('./text.js').Style} style */
function armTable ({ arms, unit }, style) {
  const { perSecond, print } = unitOf(unit)
  const rows = arms.map(({ arm, before, after, verdict, ...change }) => {
    const text = estimate(change)
    return [arm, print(before), print(after), text.ratio, text.interval, VERDICTS[verdict]]
  })
  return drawn(['arm', `${perSecond} before`, 'now', 'change', 'interval', ''], rows, 'lrrrrl', style)
}

/** @param {ComparedPair[]} pairs @param {import('./text.js').Style} style */
function pairTable (pairs, style) {
  const rows = pairs.map(({ before, after, verdict, ...pair }) => {
    const text = estimate(pair)
    return [pairName(pair), estimate(before).ratio, estimate(after).ratio, text.ratio, text.interval, VERDICTS[verdict]]
  })
  return drawn(['pair', 'before', 'now', 'change', 'interval', ''], rows, 'lrrrrl', style)
}

/** @param {string[]} head @param {string[][]} rows @param {string} aligns @param {import('./text.js').Style} style */
function drawn (head, rows, aligns, style) {
  const widths = head.map((text, i) => Math.max(text.length, ...rows.map(row => row[i].length)))
  const rest = widths.slice(1).reduce((sum, width) => sum + width + 2, 0)
  widths[0] = nameWidth(rows.map(([name]) => name), style.columns - rest)
  return draw(head, rows, widths, aligns, style)
}

/** @param {Comparison} comparison @param {number} columns */
const inOneAlone = ({ only, runs }, columns) => [
  ...only.before.length > 0 ? wrap(`Only in ${runs.before}: ${only.before.join(', ')}.`, columns) : [],
  ...only.after.length > 0 ? wrap(`Only in ${runs.after}: ${only.after.join(', ')}.`, columns) : []
]
