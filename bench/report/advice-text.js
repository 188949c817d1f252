/** An advice in words, for the terminal and as Markdown; its page shows the same (pure). */
import { isPooled } from '../plan/predicates.js'
import { pastItsEnd } from '../plan/runtimes.js'
import { parse } from '../plan/spec.js'
import { count, duration, isNumber, level, money, plural, rangeText } from '../shared/format.js'
import { markdownTemplate } from './templates.js'
import { compact, joinSections, toStyle, wrap } from './wrap.js'

/** @import { AdviceRecord, AdviceSizing, Decision, DecisionKind } from '../types.js' */

/** @type {Record<DecisionKind, string>} */
const KINDS = { do: 'do', 'do-not': 'do not', 'no-matter': 'does not matter here', open: 'open' }
/** Kinds in the order of the first screen. @type {DecisionKind[]} */
const ORDER = ['do', 'do-not', 'open', 'no-matter']
/** Options of nginx in words. Others are printed as they are. @type {Record<string, string>} */
const OPTIONS = {
  static: 'sends the files', gzip_static: 'compressed ahead of time', gzip: 'compresses responses'
}
/** Decisions and risks on the first screen. */
const FIRST = { decisions: 5, risks: 3 }

const template = markdownTemplate('advice-markdown.hbs')

/** Prints a decision in a line. @param {Decision} decision */
export const decisionLine = ({ title, decision, text }) => `${title}: ${KINDS[decision]}. ${text}`

/**
 * Returns the estimates of a comparison that goes on.
 * @param {{ arm: string, baseline: string, ratio: number }[]} contrasts
 * @returns {string | null} null: nothing is estimated yet
 */
export function soFarText (contrasts) {
  const known = contrasts.filter(({ ratio }) => isNumber(ratio))
  if (known.length === 0) return null
  const parts = known.map(({ arm, baseline, ratio }) => `${arm} ${ratio.toFixed(2)} times ${baseline}`)
  return `so far: ${parts.join(', ')}`
}

/** Returns the decisions with those that change something first. @param {Decision[]} decisions */
const sortDecisions = decisions =>
  decisions.toSorted((a, b) => ORDER.indexOf(a.decision) - ORDER.indexOf(b.decision))

/**
 * Returns the topology as a chain of boxes.
 * @param {AdviceRecord} record
 * @returns {{ title: string, details: string[] }[]}
 */
export function toHops ({ topology, facts: { platform, app, project }, sizing }) {
  const { proxy, server } = parse(topology)
  const pooled = isPooled(proxy) ? 'pooled connections to the app' : null
  const options = Object.entries(proxy?.options ?? {})
    .map(([name, value]) => value === true ? OPTIONS[name] ?? name : `${OPTIONS[name] ?? name} ${value}`)
  return [
    { title: 'clients', details: [] },
    ...platform.endsTls
      ? [{ title: `router of ${platform.provider ?? platform.target}`, details: ['terminates TLS'] }]
      : [],
    ...proxy ? [{ title: proxy.name, details: [...options, ...pooled ? [pooled] : []] }] : [],
    {
      title: project.name || String(server?.name),
      details: [
        ...project.framework ? [project.framework.name] : [],
        ...sizing?.processes ? [sizing.processes === 1 ? 'one process' : `room for ${sizing.processes} processes`] : [],
        ...app.keepAliveSeconds === null ? [] : [`keeps idle connections for ${app.keepAliveSeconds} s`]
      ]
    }
  ]
}

/**
 * Returns the instances and their price in a sentence.
 * @param {AdviceRecord} record
 */
function priceSentence ({ sizing, load: { rps, p99Ms }, topology, notes, decisions, facts }) {
  if (sizing === null) {
    const note = notes.find(text => text.startsWith('sizing: '))
    if (note) return `No instances can be named: ${note.slice('sizing: '.length)}`
    return 'Without --rps and --p99 no instances are counted.'
  }
  const price = priceText(sizing)
  const other = sizing.spec === topology ? '' : ` (sized with ${sizing.spec})`
  const { instances, range, isUncertain } = sizing
  const isOtherNode = decisions.some(({ rule, decision }) => rule === 'node-line' && decision === 'do')
  const node = isOtherNode ? ` It was sized under Node ${facts.machine.node.split('.')[0]}.` : ''
  const apart = range && range.high !== range.low ? ` (another sizing: ${rangeText(range, String)})` : ''
  return `${instances} × ${sizing.offering}${apart}, ${price}, for ${count(rps)} requests a second at a p99 of ` +
    `${p99Ms} ms; one serves ${sizing.atLeast ? 'at least ' : ''}${count(sizing.perInstance)}${other}.${node}` +
    (isUncertain ? ' At an eighth of a core or less the estimate is often wrong: measure it there.' : '')
}

/** @param {NonNullable<AdviceRecord['sizing']>} sizing */
function priceText ({ monthly, total, traffic, currency }) {
  if (total !== null) {
    return `${money(total, currency)} a month${traffic ? `, ${money(traffic, currency)} of it for traffic` : ''}`
  }
  return monthly === null ? 'at an unknown price' : `${money(monthly, currency)} a month without traffic`
}

/**
 * Returns which figures hold on the platform.
 * @param {AdviceRecord} record
 */
const carrySentence = ({ facts: { machine, platform } }) =>
  `Measured on ${machine.cpu} with ${plural(machine.servedCores, 'core')} for the app. Ratios and CPU time per ` +
  `request carry over to ${platform.provider ?? 'another machine'}. Rates, response times and instances are ` +
  'estimates: measure an instance there with hopbench size --url.'

/**
 * Returns the figure that a decision follows from, or its fact.
 * @param {Decision} decision
 */
function reasonText ({ because: { contrast, fact } }) {
  if (!contrast?.run) return fact ?? ''
  return `${contrast.arm} against ${contrast.baseline}, ${level(contrast.level)} interval, run ${contrast.run}.`
}

/**
 * Returns what an open decision takes, as the end of its text.
 * @param {Decision} decision
 * @returns {string | null} null: it is decided
 */
const takesSentence = ({ decision, changes }) =>
  decision === 'open' ? `It takes ${changes.charAt(0).toLowerCase()}${changes.slice(1)}` : null

/**
 * Returns the line of Node in the image of a kit in a sentence.
 * @param {AdviceRecord} record
 * @returns {string | null} null: the kit builds no image with Node
 */
function nodeSentence ({ kit, checks, facts: { machine, today } }) {
  if (!kit?.nodeLine) return null
  const end = pastItsEnd(String(kit.nodeLine), today)
  const line = machine.node.split('.')[0]
  const isOther = checks.length > 0 && line !== String(kit.nodeLine)
  return `Its image has Node ${kit.nodeLine}${end ? `, which gets no releases since ${end.lastDay}` : ''}` +
    `${isOther ? `; here it was started under Node ${line}` : ''}.`
}

/** @param {AdviceRecord['checks'][number]} check */
const checkSentence = ({ title, fault }) => fault === null ? `holds: ${title}.` : `fails: ${title} (${fault}).`

/** @param {AdviceRecord} record */
export function toAdviceView (record) {
  const { decisions, risks, kit, checks, notes, facts, seconds, topology } = record
  const sorted = sortDecisions(decisions)
  const rows = (/** @type {Decision[]} */ list) => list.map(decision => ({
    title: decision.title,
    kind: KINDS[decision.decision],
    text: decision.text,
    reason: reasonText(decision),
    changes: decision.changes,
    takes: takesSentence(decision),
    line: decision.line ?? null
  }))
  return {
    name: facts.project.name,
    topology,
    hops: toHops(record),
    chain: toHops(record).map(({ title, details }) => details.length > 0 ? `${title} (${details.join(', ')})` : title)
      .join(' → '),
    first: rows(sorted.slice(0, FIRST.decisions)),
    all: rows(decisions),
    price: priceSentence(record),
    risks: risks.slice(0, FIRST.risks),
    moreRisks: risks.slice(FIRST.risks),
    kit,
    node: nodeSentence(record),
    checks: checks.map(checkSentence),
    notes,
    carry: carrySentence(record),
    how: `${record.advice}, ${record.quick ? 'a first look' : 'complete'} in ${duration(seconds.all)}.`
  }
}

/**
 * @param {AdviceRecord} record
 * @returns {string} ends with a line break
 */
export const adviceMarkdown = record => template(toAdviceView(record))

/**
 * Prints an advice for a terminal.
 * @param {AdviceRecord} record
 * @param {{ columns?: number, color?: boolean }} terminal
 * @returns {string} ends with a line break
 */
export function adviceText (record, { columns, color }) {
  const style = toStyle(columns, color)
  const view = toAdviceView(record)
  const list = (/** @type {string[]} */ items) => items.flatMap(item =>
    wrap(item, style.columns, { first: '  ', rest: '    ' }))
  const titled = (/** @type {string} */ title, /** @type {string[]} */ items) =>
    items.length > 0 ? [title, ...list(items)] : []
  return joinSections([
    wrap(view.chain, style.columns),
    titled('Decisions', view.all.map(({ title, kind, text, takes }) =>
      compact([`${title}: ${kind}. ${text}`, takes]).join(' '))),
    wrap(view.price, style.columns),
    titled('Risks', view.risks.map(({ text, line }) => `${text} Change: ${line}`)),
    titled('What failed or was left out', view.notes),
    kit(view, style.columns, list),
    titled('The kit was started here', view.checks),
    wrap(view.carry, style.columns),
    wrap(view.how, style.columns)
  ])
}

/**
 * @param {ReturnType<typeof toAdviceView>} view
 * @param {number} columns
 * @param {(items: string[]) => string[]} list
 */
function kit ({ kit, node }, columns, list) {
  if (kit === null) return []
  const sentences = compact([`The kit is in ${kit.dir}: ${kit.files.join(', ')}.`, node, 'Next:'])
  return [...wrap(sentences.join(' '), columns), ...list(kit.next)]
}

/**
 * Describes a sizing that contradicts the one that has led to its topology. The two are not interleaved, so that only
 * a sizing of both in one run can compare them.
 *
 * @param {AdviceSizing} sizing
 * @param {AdviceSizing | null} first of the topology before
 * @returns {string | null} null: it costs no more, or cannot be compared
 */
export function dearerNote (sizing, first) {
  if (first === null || sizing.total === null || first.total === null || sizing.currency !== first.currency) return null
  if (sizing.total <= first.total) return null
  const [now, before] = [sizing, first].map(({ total, currency }) => money(Number(total), currency))
  return `sizing: ${sizing.spec} costs ${now} a month, more than ${first.spec} with ${before}, from which the ` +
    `decisions follow. Compare both in one run: hopbench size '${first.spec}' '${sizing.spec}'.`
}
