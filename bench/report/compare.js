/**
 * Two runs compared, as text.
 * @import { Comparison } from '../compare.js'
 */
import pc from 'picocolors'
import { estimate, NONE, percent } from './format.js'
import { draw, nameWidth } from './table.js'
import { unitOf } from './units.js'
import { wrap } from './wrap.js'

const VERDICTS = { faster: 'faster', slower: 'slower', 'no-difference': 'as fast', inconclusive: 'open', invalid: 'not measured' }
/** Longer values than this are told by their beginning. */
const MOST_LETTERS = 200

/**
 * @param {Comparison} comparison
 * @param {{ columns?: number, color?: boolean }} [options]
 * @returns {string} ends with a line break
 */
export function renderComparison (comparison, { columns = 80, color = false } = {}) {
  const style = { columns: Math.max(40, columns), colors: pc.createColors(color) }
  const heading = (/** @type {string} */ text) => style.colors.bold(text)
  const lines = [
    ...wrap(`${comparison.runs.after} against ${comparison.runs.before}`, style.columns).map(heading),
    '',
    ...comparison.arms.length === 0 ? ['They have no arm in common.'] : armTable(comparison, style),
    ...inOneAlone(comparison, style.columns),
    ...comparison.contrasts.length === 0 ? [] : ['', heading('Times as fast, within each run'), ...contrastTable(comparison, style)],
    '',
    heading(comparison.differences.length === 0 ? 'Their machines and set-ups are the same' : 'What differs between them'),
    ...comparison.differences.flatMap(({ what, before, after }) => wrap(`${what}: ${short(before)} → ${short(after)}`, style.columns, { first: '- ' })),
    ...comparison.configs.flatMap(({ file, removed, added }) => ['', heading(file), ...removed.flatMap(line => wrap(line, style.columns, { first: '- ' })), ...added.flatMap(line => wrap(line, style.columns, { first: '+ ' }))]),
    '',
    ...wrap(conclusion(comparison), style.columns)
  ]
  return `${lines.join('\n')}\n`
}

const short = (/** @type {string} */ text) => text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text

/** @param {Comparison} comparison @param {import('./text.js').Style} style */
function armTable ({ arms, unit }, style) {
  const { perSecond, print } = unitOf(unit)
  const rows = arms.map(({ arm, before, after, ratio, low, high, verdict }) => {
    const text = estimate({ ratio, low, high })
    return [arm, print(before), print(after), text.ratio, text.interval, VERDICTS[verdict]]
  })
  return drawn(['arm', `${perSecond} before`, 'now', 'ratio', 'interval', ''], rows, 'lrrrrl', style)
}

/** @param {Comparison} comparison @param {import('./text.js').Style} style */
function contrastTable ({ contrasts }, style) {
  const figures = (/** @type {import('../compare.js').Estimate} */ contrast) => {
    const text = estimate(contrast)
    return text.interval === NONE ? text.ratio : `${text.ratio} (${text.interval})`
  }
  const rows = contrasts.map(({ arm, baseline, before, after, apart }) => [`${arm} ÷ ${baseline}`, figures(before), figures(after), apart ? 'apart' : ''])
  return drawn(['pair', 'before', 'now', ''], rows, 'lrrl', style)
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

/** @param {Comparison} comparison */
function conclusion ({ arms, slower, margin, differences }) {
  const names = arms.filter(({ verdict }) => verdict === 'slower').map(({ arm }) => arm)
  const found = slower ? `Slower by more than ${percent(margin)}: ${names.join(', ')}.` : `Nothing is shown to be slower by more than ${percent(margin)}.`
  return `${found} The intervals hold the noise inside each run; what changes between runs, as the speed of a machine that others share, is not in them${differences.length > 0 ? ', and these two were not made alike' : ''}.`
}
