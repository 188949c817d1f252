/** The result of `hopbench diff`, as sentences and as a table (pure). */
import {
  count, ended, estimateText, level, listing, micros, NONE, percent, rate as perSecond
} from '../shared/format.js'
import { lostText, printVerdict, undecidedText } from './comparison-words.js'
import { printChangeWhy } from './facts/facts.js'
import { printReason } from './facts/reason-texts.js'
import { changeRange, contrast, shareParts } from './phrases.js'
import { column, titledTable } from './table.js'
import { markdownTemplate } from './templates.js'
import { compact, heading, joinSections, toStyle, wrap } from './wrap.js'

/** @import { DiffFigure, RunDiff, RunRecord } from '../types.js' */

const template = markdownTemplate('comparison-markdown.hbs')
const HEAD = ['figure', 'base', 'head', 'ratio', 'verdict', 'detectable'].map(text =>
  ({ text, numeric: text !== 'figure' && text !== 'verdict' }))

/**
 * Texts of the figures. noun: in sentences; label: in tables
 *
 * @type {Record<DiffFigure['figure'], { noun: string, label: string, print: (value: number | null) => string }>}
 */
const FIGURES = {
  cpu: { noun: 'CPU time per request', label: 'CPU time per request, µs', print: micros },
  throughput: { noun: 'throughput', label: 'requests per second', print: perSecond },
  p99: { noun: 'p99 of response times', label: 'p99 of response times, ms', print: micros },
  memory: { noun: 'memory after equal requests', label: 'memory after equal requests, MiB', print: micros },
  bytes: { noun: 'bytes per response', label: 'bytes per response', print: count }
}

/**
 * Returns the name of a figure, with its request where there are several.
 *
 * @param {DiffFigure} figure
 * @param {string} label
 */
const withRequest = ({ arm }, label) => arm === 'head' ? label : `${label}, ${arm.replace(/^head /, '')}`

/** Names a figure in a sentence. @param {DiffFigure} figure */
export const diffFigureName = figure => withRequest(figure, FIGURES[figure.figure].noun)

/** @param {DiffFigure} figure */
const toSize = figure => contrast(figure, { action: diffFigureName(figure) }, 'change')

/**
 * Returns the sentences that decide the exit code.
 *
 * @param {RunDiff} diff
 * @returns {string[]} at least one
 */
export function diffAnswer (diff) {
  const { figures, margin } = diff
  const deciding = figures.filter(({ decides }) => decides)
  const select = (/** @type {DiffFigure['verdict'][]} */ ...verdicts) =>
    deciding.filter(({ verdict }) => verdicts.includes(verdict))
  const worse = select('slower')
  const better = select('faster')
  const open = select('inconclusive', 'invalid')
  const lost = findLost(open)
  // Beside a slower figure no sentence has the reasons of others.
  const unexplained = worse.length > 0 ? select('inconclusive') : open.filter(({ why }) => why === null)
  const beyond = `by more than ${percent(margin)}`
  return compact([
    worse.length > 0 && `SLOWER ${beyond}: ${listing(worse.map(toSize))}.`,
    worse.length === 0 && open.length > 0 && undecidedText(diff, lost ?? toReason(open)),
    worse.length === 0 && open.length === 0 && (better.length > 0
      ? `FASTER ${beyond}: ${listing(better.map(toSize))}.`
      : sameText(deciding, beyond)),
    (worse.length > 0 || open.length > 0) && better.length > 0 && `Faster ${beyond}: ${listing(better.map(toSize))}.`,
    worse.length > 0 && lost,
    unexplained.length > 0 && `Inconclusive: ${listing(unexplained.map(toOpen))}.`
  ])
}

/** Returns why a figure was not measured. @param {DiffFigure[]} figures */
const findLost = figures => lostText(figures.map(figure => ({ ...figure, name: diffFigureName(figure) })))

/**
 * Returns why figures are undecided, other than by their noise.
 *
 * @param {DiffFigure[]} open
 * @returns {string | null} a sentence
 */
function toReason (open) {
  const isFirstLook = open.some(({ why }) => why?.code === 'one-start')
  if (isFirstLook) return `a first look of one start: ${listing(open.map(toSize))}.`
  const hidden = open.find(({ why }) => why !== null)
  return hidden?.why ? ended(`${diffFigureName(hidden)}: ${printChangeWhy(hidden.why)}`) : null
}

/**
 * @param {DiffFigure[]} deciding
 * @param {string} beyond
 */
function sameText (deciding, beyond) {
  const shown = deciding.filter(({ verdict }) => verdict === 'no-difference')
  if (shown.length === 0) return 'There was nothing to compare.'
  return `NOT SLOWER ${beyond}: ${listing(shown.map(toSize))}.`
}

/** @param {DiffFigure} figure */
function toOpen (figure) {
  const range = changeRange(figure)
  const name = diffFigureName(figure)
  return range === null ? name : `${name} (${range})`
}

/**
 * Returns why a comparison failed.
 *
 * @param {Pick<RunRecord, 'ended' | 'arms' | 'diff'>} record
 * @returns {string} sentences
 */
export function diffFailure ({ ended: reason, arms, diff }) {
  if (reason === 'interrupted') return 'The comparison was interrupted.'
  if (diff) return diffAnswer(diff).join(' ')
  const arm = arms.find(({ invalid }) => invalid !== null)
  return arm?.invalid
    ? ended(`${arm.name} was not measured: ${printReason(arm.invalid)}`)
    : 'Nothing valid was measured.'
}

/**
 * Returns what the intervals include, and why figures have no verdict.
 *
 * @param {RunDiff} diff
 * @returns {string[]}
 */
export function diffLimits ({ figures, starts, sees }) {
  const [first] = figures
  const rates = [...new Set(figures.flatMap(({ rate }) => rate ?? []))]
  const reasons = figures.flatMap(({ figure, why }) =>
    why === null || (why.code === 'one-start' && starts < 2)
      ? []
      : ended(`${FIGURES[figure].noun}: ${printChangeWhy(why)}`))
  return compact([
    sees !== null && `Detectable slowdown of any figure that decides, at 80 % power: ${percent(sees)}.`,
    starts > 1
      ? `Intervals over ${starts} starts of both, ${level(first?.level)} each.`
      : 'A first look: one start, so the intervals do not include the variation between starts.',
    rates.length > 0 && `p99 at ${listing(rates.map(perSecond))} requests per second, from windows in turn.`,
    figures.some(({ decides }) => !decides) && 'Memory and bytes do not decide.',
    ...new Set(reasons)
  ])
}

/** Names the commits or folders that are compared. @param {RunDiff} diff */
export const diffSides = ({ base, head }) => [`base: ${base.label}`, `head: ${head.label}`]

/** Prints an interval. A figure that is counted has none. @param {DiffFigure} figure */
const printRange = figure => figure.low === figure.high ? NONE : changeRange(figure) ?? NONE
/** @param {DiffFigure} figure */
const printLabel = figure => withRequest(figure, FIGURES[figure.figure].label)
/** @param {DiffFigure} figure */
const printBefore = ({ figure, before }) => FIGURES[figure].print(before)
/** @param {DiffFigure} figure */
const printAfter = ({ figure, after }) => FIGURES[figure].print(after)

/**
 * Returns the figures of base and head as a table.
 * @param {RunDiff} diff
 */
export const diffTable = ({ figures }) => ({
  rows: figures,
  columns: [
    column({ text: '', page: 'figure' }, printLabel, { left: true }),
    column('base', printBefore),
    column('head', printAfter),
    column('change', (/** @type {DiffFigure} */ figure) => figure.ratio === null ? NONE : toShare(figure)),
    column('interval', printRange),
    column({ text: '', page: 'verdict' }, printVerdict, { left: true })
  ]
})

/**
 * @param {RunDiff} diff
 * @param {{ columns?: number, color?: boolean }} [options]
 * @returns {string} ends with a line break
 */
export function renderDiff (diff, { columns, color } = {}) {
  const style = toStyle(columns, color)
  return joinSections([
    heading(diffAnswer(diff).join(' '), style),
    diffSides(diff).flatMap(line => wrap(line, style.columns)),
    titledTable('Head against base', diffTable(diff), style),
    wrap(diffLimits(diff), style.columns)
  ])
}

/** Prints a ratio as a change, without its interval. @param {DiffFigure} figure */
function toShare (figure) {
  const { share } = shareParts(figure, ratio => ratio - 1)
  return /^\d/.test(share) ? `+${share}` : share
}

/**
 * @param {RunDiff} diff
 * @returns {string} Markdown, for the summary of a build; ends with a line break
 */
export function diffMarkdown (diff) {
  const [first, ...others] = diffAnswer(diff)
  const rows = diff.figures.map(figure => [
    printLabel(figure), printBefore(figure), printAfter(figure),
    estimateText(figure), printVerdict(figure), percent(figure.sees)
  ])
  return template({
    first,
    table: { head: HEAD, rows },
    sentences: [...others, ...diffLimits(diff)],
    runs: diffSides(diff).join('; ')
  })
}
