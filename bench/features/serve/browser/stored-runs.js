// List of stored runs: search by name, comparison of two runs.
import { byId, element, number, range, row, say, table } from './page-parts.js'

/** @import { Comparison } from '../../../judge/runs/compare-runs.js' */
/** @import { Change } from '../../../types.js' */
/** @import { Entry } from '../types.js' */

const search = byId('search', HTMLInputElement)
const more = byId('more', HTMLButtonElement)
const compare = byId('compare', HTMLButtonElement)
let shown = 0

export async function loadRuns (from = 0) {
  const response = await fetch(`history?from=${from}&search=${encodeURIComponent(search.value)}`)
  /** @type {{ total: number, entries: Entry[] }} */
  const { total, entries } = await response.json()
  const list = byId('runs', HTMLElement)
  if (from === 0) list.replaceChildren()
  list.append(...entries.map(listed))
  shown = from + entries.length
  more.hidden = shown >= total
  say('found', total === 0 ? 'No run of that name.' : `${number(total)} ${total === 1 ? 'run' : 'runs'}`)
  chosen()
}

/** @param {Entry} entry */
function listed ({ run, what, startedAt, question, answer }) {
  const box = element('input', { type: 'checkbox', value: run, name: 'run' })
  box.setAttribute('aria-label', `Choose ${what || run} of ${startedAt}`)
  box.addEventListener('change', chosen)
  const link = element('a', { href: `runs/${encodeURIComponent(run)}`, title: run }, what || run)
  const time = element('time', { dateTime: startedAt }, new Date(startedAt).toLocaleString())
  return element('li', {}, box,
    element('div', {}, link, ' ', time, element('small', {}, `${question} ${answer}`.trim())))
}

const boxes = () =>
  [...document.querySelectorAll('input[name=run]:checked')].flatMap(box =>
    box instanceof HTMLInputElement ? [box.value] : []
  ).sort()
function chosen () {
  compare.disabled = boxes().length !== 2
}

compare.addEventListener('click', async () => {
  const [before, after] = boxes()
  const response = await fetch(`compare?before=${encodeURIComponent(before)}&after=${encodeURIComponent(after)}`)
  const answer = await response.json()
  const part = byId('comparison', HTMLElement)
  part.replaceChildren(...response.ok ? comparisonOf(answer) : [answer.error])
  part.scrollIntoView()
})

/** @param {Comparison} comparison */
function comparisonOf (comparison) {
  const differences = listDifferences(comparison)
  const heading = differences.length > 0 ? 'What differs between them' : 'Their machines and set-ups are the same'
  return [
    element('h3', {}, `${comparison.runs.after} against ${comparison.runs.before}`),
    table(['arm', 'verdict'], ['before', 'now', 'ratio', 'interval'],
      comparison.arms.map(pair => changeRow(pair.arm, [number(pair.before), number(pair.after)], pair))),
    pairTable('relative throughput, within each run', comparison.contrasts),
    pairTable('CPU time, within each run', comparison.costs),
    element('h4', {}, heading),
    element('ul', {}, ...differences.map(text => element('li', {}, text))),
    ...comparison.configs.map(changed)
  ]
}

/**
 * Describes differences between the machines and set-ups of two runs.
 *
 * @param {Comparison} comparison
 */
const listDifferences = ({ runs, differences, only }) => [
  ...differences.map(({ what, before, after }) => `${what}: ${before} → ${after}`),
  ...only.before.map(name => `only in ${runs.before}: ${name}`),
  ...only.after.map(name => `only in ${runs.after}: ${name}`)
]

/**
 * @param {string} what
 * @param {string[]} sides before and now
 * @param {Change} change
 */
const changeRow = (what, sides, change) =>
  row([what, printVerdict(change)], [...sides, number(change.ratio, 3), range(change.low, change.high)])

/** Prints a verdict, of CPU time as "costlier" or "cheaper". @param {Change} change */
function printVerdict ({ verdict, worse, ratio }) {
  if (verdict === 'inconclusive' && ratio === null) return 'not compared'
  return worse === 'lower'
    ? verdict.replace('-', ' ')
    : verdict.replace('slower', 'costlier').replace('faster', 'cheaper').replace('-', ' ')
}

/**
 * @param {string} what
 * @param {Comparison['contrasts']} pairs
 */
const pairTable = (what, pairs) =>
  table([what, 'verdict'], ['before', 'now', 'change', 'interval'],
    pairs.map(pair => changeRow(`${pair.arm} ÷ ${pair.baseline}`,
      [pair.before, pair.after].map(it => `${number(it.ratio, 3)} (${range(it.low, it.high)})`), pair)))

/** @param {Comparison['configs'][number]} difference */
function changed ({ file, removed, added }) {
  const lines = [...removed.map(line => `- ${line}`), ...added.map(line => `+ ${line}`)]
  return element('details', {}, element('summary', {}, file), element('pre', {}, lines.join('\n')))
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let typing
search.addEventListener('input', () => {
  clearTimeout(typing)
  typing = setTimeout(() => loadRuns(), 200)
})
more.addEventListener('click', () => loadRuns(shown))
