/**
 * The tables of a report: arms by rate, arms by cost, contrasts.
 * @import { ArmResult, ByRole, Contrast, ErrorCounts, RunRecord } from '../types.js'
 * @import { Style } from './text.js'
 */
import Table from 'cli-table3'
import { count, decimals, estimate, interval, isNumber, micros, NONE } from './format.js'
import { heldBack } from './sentences.js'
import { unitOf } from './units.js'
import { breakWord, plain, wrap } from './wrap.js'

const GAP = 2
const BAR = { least: 6, most: 40 }

/**
 * @param {RunRecord} record
 * @param {Style} style
 */
export function rateTable ({ arms, unit }, style) {
  const { perSecond, print: rate } = unitOf(unit)
  const intervals = arms.map(({ rps }) => interval(rate(rps?.low), rate(rps?.high)))
  const widths = [0, widest([perSecond, ...arms.map(({ rps }) => rate(rps?.median))]), widest(['interval', ...intervals])]
  // Long names wrap, so that the bars keep their place.
  widths[0] = nameWidth(arms.map(({ name }) => name), Math.floor(style.columns * 0.4))
  const left = Math.min(BAR.most, style.columns - widths[0] - widths[1] - widths[2] - 3 * GAP)
  const bars = left >= BAR.least
  const fastest = Math.max(0, ...arms.map(({ rps }) => isNumber(rps?.median) ? rps.median : 0))

  const rows = arms.map(({ name, rps, ...arm }, index) => isNumber(rps?.median)
    ? [name, rate(rps.median), intervals[index], ...bars ? [bar(rps.median / fastest, left)] : []]
    : [name, { spans: notMeasured(arm) }])
  return draw([...['arm', perSecond, 'interval'], ...bars ? [''] : []], rows, bars ? [...widths, left] : widths, 'lrrl', style)
}

/** Why there is no figure. @param {Pick<ArmResult, 'invalid' | 'invalidTrials' | 'trials'>} arm */
function notMeasured ({ invalid, invalidTrials, trials }) {
  if (invalid) return `not measured: ${invalid.text}`
  const last = invalidTrials.at(-1)
  if (last) return `no valid trial of ${count(trials)}: ${last.reason.text}`
  return trials > 0 ? 'not measured: its rate could not be told' : 'not measured: the run ended before its turn'
}

/** @type {(share: number, width: number) => string} */
const bar = (share, width) => '█'.repeat(Math.max(1, Math.round(share * width)))

/**
 * @param {RunRecord} record
 * @param {Style} style
 */
export function costTable ({ arms, unit }, style) {
  const { units } = unitOf(unit)
  const roles = /** @type {(keyof ByRole)[]} */ (['load', 'proxy', 'server'])
  const wire = arms.some(({ bytesPerResponse }) => isNumber(bytesPerResponse))
  const head = ['arm', ...roles, 'MiB', ...wire ? ['bytes'] : [], 'errors', 'limited by']
  const widths = [0, 6, 6, 6, 5, ...wire ? [widest(['bytes', ...arms.map(arm => count(arm.bytesPerResponse))])] : [], 6, 10]
  widths[0] = nameWidth(arms.map(({ name }) => name), style.columns - sum(widths) - GAP * (widths.length - 1))
  const rows = arms.map(({ name, cpuMicrosPerRequest: cpu, memoryMiB: memory, bytesPerResponse, errors, bound, rps, trials }) => [
    name,
    ...roles.map(role => micros(cpu && cpu[role] * units)),
    memory ? count(Math.round(memory.proxy + memory.server)) : NONE,
    ...wire ? [count(bytesPerResponse)] : [],
    trials > 0 ? count(total(errors)) : NONE,
    rps ? LIMITS[bound] : NONE
  ])
  return draw(head, rows, widths, `lrrrr${wire ? 'r' : ''}rl`, style)
}

/**
 * @param {RunRecord} record
 * @param {Style} style
 */
export function latencyTable ({ arms }, style) {
  const known = arms.filter(({ latencyMs }) => latencyMs)
  const figures = /** @type {const} */ (['p50', 'p90', 'p99', 'max'])
  const widths = [nameWidth(known.map(({ name }) => name), style.columns - figures.length * 10), ...figures.map(() => 8)]
  const rows = known.map(({ name, latencyMs }) => [name, ...figures.map(figure => micros(latencyMs?.[figure]))])
  return draw(['arm', ...figures], rows, widths, 'lrrrr', style)
}

const LIMITS = { server: 'server', proxy: 'proxy', load: 'load', network: 'network', none: 'none' }

/**
 * @param {RunRecord} record
 * @param {Style} style
 */
export function contrastTable ({ contrasts, arms }, style) {
  const baselines = new Set(contrasts.map(({ baseline }) => baseline))
  const digits = Math.max(...contrasts.map(decimals))
  const figures = contrasts.map(contrast => figuresOf(contrast, digits, arms))
  const columns = ['ratio', 'interval', 'verdict']
  const numbers = [widest(['ratio', ...figures.map(it => it.ratio)]), widest(['interval', ...figures.map(it => it.interval)]), 'no difference'.length]
  const names = baselines.size > 1 ? 2 : 1
  const room = style.columns - sum(numbers) - GAP * (numbers.length + names - 1)
  const rows = contrasts.map(({ arm, baseline, verdict }, index) => [
    arm, ...names === 2 ? [baseline] : [],
    figures[index].ratio, figures[index].interval, { verdict: verdict.replace('-', ' '), as: verdict }
  ])
  const nameWidths = [contrasts.map(({ arm }) => arm), [...baselines]].slice(0, names).map(list => nameWidth(list, Math.floor(room / names)))
  return draw(['arm', ...names === 2 ? ['against'] : [], ...columns], rows, [...nameWidths, ...numbers], `${'l'.repeat(names)}rrl`, style)
}

/**
 * A one-sided contrast is a bound and never a point.
 * @param {Contrast} contrast
 * @param {number} digits
 * @param {ArmResult[]} arms
 */
function figuresOf (contrast, digits, arms) {
  if (heldBack(contrast, arms)) return { ratio: NONE, interval: NONE }
  const text = estimate(contrast, digits)
  if (contrast.oneSided === 'at-least' && text.low !== NONE) return { ratio: `≥ ${text.low}`, interval: NONE }
  if (contrast.oneSided === 'at-most' && text.high !== NONE) return { ratio: `≤ ${text.high}`, interval: NONE }
  return text
}

/** What kinds of errors an arm had, or null where it had none. @param {ErrorCounts} errors */
export function errorKinds (errors) {
  const kinds = [[errors.non2xx, 'not 2xx'], [errors.timeouts, 'without an answer in time'], [errors.resets, 'reset'], [errors.mismatches, 'with a wrong body']]
  return kinds.filter(([amount]) => Number(amount) > 0).map(([amount, kind]) => `${count(Number(amount))} ${kind}`).join(', ') || null
}

/** @param {ErrorCounts} errors */
const total = errors => errors.non2xx + errors.timeouts + errors.resets + errors.mismatches

// ---------------------------------------------------------------- drawing

/** @typedef {string | { spans: string } | { verdict: string, as: Contrast['verdict'] }} Cell */

const ALIGN = /** @type {const} */ ({ l: 'left', r: 'right' })
const BORDERS = ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle']

/**
 * @param {string[]} head
 * @param {Cell[][]} rows
 * @param {number[]} widths of the columns, without the gap between them
 * @param {string} aligns a letter per column: l, r
 * @param {Style} style
 * @returns {string[]} lines
 */
export function draw (head, rows, widths, aligns, { colors }) {
  const table = new Table({
    chars: Object.fromEntries(BORDERS.map(name => [name, ''])),
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [], compact: true },
    colWidths: widths.map(width => width + GAP),
    colAligns: widths.map((_, index) => ALIGN[/** @type {'l' | 'r'} */ (aligns[index])])
  })
  table.push(head.map((text, index) => text && colors.dim(text)))
  for (const row of rows) {
    table.push(row.map((cell, index) => {
      if (typeof cell === 'string') return breakWord(plain(cell), widths[index]).join('\n')
      if ('verdict' in cell) return colors[VERDICT_COLORS[cell.as]](cell.verdict)
      const rest = widths.slice(index)
      return { content: wrap(cell.spans, sum(rest) + GAP * (rest.length - 1)).join('\n'), colSpan: rest.length, hAlign: /** @type {const} */ ('left') }
    }))
  }
  return table.toString().split('\n').map(line => line.trimEnd())
}

const VERDICT_COLORS = /** @type {const} */ ({ faster: 'green', slower: 'red', 'no-difference': 'cyan', inconclusive: 'yellow', invalid: 'yellow' })

/** @type {(texts: string[]) => number} */
const widest = texts => Math.max(...texts.map(text => text.length))

/** As wide as the longest name, within what is left beside the numbers. @type {(names: string[], room: number) => number} */
export const nameWidth = (names, room) => Math.max(8, Math.min(room, widest(['arm', 'against', ...names.map(plain)])))

const sum = (/** @type {number[]} */ values) => values.reduce((a, b) => a + b, 0)
