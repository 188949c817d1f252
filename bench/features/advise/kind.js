/** The report of an advice (pure). */
import { hasOption, hasProxy } from '../../plan/changed-spec.js'
import { isPooled } from '../../plan/predicates.js'
import { pastItsEnd } from '../../plan/runtimes.js'
import { parse } from '../../plan/spec.js'
import { column } from '../../report/table.js'
import { describeTlsEnd } from '../deploy/index.js'
import { describeOwnFile } from './advice.js'
import { count, duration, level, money, plural, rangeText } from '../../shared/format.js'

/** @import { AdviceRecord, AdviceSizing, Decision, DecisionKind } from '../../types.js' */
/** @import { ChartBlock, ChartHop, Kind, Table } from '../../types.js' */

/** Kinds of decisions, in the order in which they are printed. @type {DecisionKind[]} */
const ORDER = ['do', 'do-not', 'open', 'no-matter']
/** Options of nginx in words. Others are printed as they are. @type {Record<string, string>} */
const OPTIONS = { static: 'sends the files', gzip_static: 'compressed ahead of time', gzip: 'compresses responses' }

/** Returns the decisions with those that change something first. @param {AdviceRecord} record */
const sortDecisions = ({ decisions }) =>
  decisions.toSorted((a, b) => ORDER.indexOf(a.decision) - ORDER.indexOf(b.decision))

/**
 * Returns the topology as a chain of boxes.
 * @param {AdviceRecord} record
 * @returns {ChartHop[]}
 */
export function toHops ({ topology, facts: { platform, app, project }, sizing }) {
  const { proxy, server } = parse(topology)
  const options = Object.entries(proxy?.options ?? {})
    .map(([name, value]) => value === true ? OPTIONS[name] ?? name : `${OPTIONS[name] ?? name} ${value}`)
  return [
    { title: 'clients', details: [] },
    ...platform.endsTls
      ? [{ title: `router of ${platform.provider ?? platform.target}`, details: ['terminates TLS'] }]
      : [],
    ...proxy
      ? [{ title: proxy.name, details: [...options, ...isPooled(proxy) ? ['pooled connections to the app'] : []] }]
      : [],
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
    return note
      ? `No instances can be named: ${note.slice('sizing: '.length)}`
      : 'Without --rps and --p99 no instances are counted.'
  }
  const { instances, range, isUncertain, spec, offering, atLeast, perInstance } = sizing
  const apart = range && range.high !== range.low ? ` (another sizing: ${rangeText(range, String)})` : ''
  const isOtherNode = decisions.some(({ rule, decision }) => rule === 'node-line' && decision === 'do')
  return `${instances} × ${offering}${apart}, ${priceText(sizing)}, for ${count(rps)} requests a second at a p99 of ` +
    `${p99Ms} ms; one serves ${atLeast ? 'at least ' : ''}${count(perInstance)}` +
    `${spec === topology ? '' : ` (sized with ${spec})`}.` +
    (isOtherNode ? ` It was sized under Node ${facts.machine.node.split('.')[0]}.` : '') +
    (isUncertain ? ' At an eighth of a core or less the estimate is often wrong: measure it there.' : '')
}

/** @param {AdviceSizing} sizing */
function priceText ({ monthly, total, traffic, currency }) {
  if (total === null && monthly === null) return 'at an unknown price'
  if (total === null) return `${money(Number(monthly), currency)} a month without traffic`
  return `${money(total, currency)} a month${traffic ? `, ${money(traffic, currency)} of it for traffic` : ''}`
}

/** Returns what an open decision takes, as the end of its text. @param {Decision} decision */
const takesText = ({ decision, changes }) =>
  decision === 'open' ? ` It takes ${changes.charAt(0).toLowerCase()}${changes.slice(1)}` : ''

/** Returns the figure that a decision follows from, or its fact. @param {Decision} decision */
const reasonText = ({ because: { contrast, fact = '' } }) => contrast?.run
  ? `${contrast.arm} against ${contrast.baseline}, ${level(contrast.level)} interval, run ${contrast.run}.`
  : fact

/** @type {Table<Decision>['columns']} */
const REASONS = [
  column({ page: 'decision' }, ({ title }) => title, { left: true }),
  column({ page: 'because' }, reasonText, { left: true }),
  column({ page: 'what would change it' }, ({ changes }) => changes, { left: true }),
  column({ page: 'line to change' }, ({ line = '' }) => line, { left: true })
]

/**
 * Returns the sentences about the kit and its first start.
 * @param {AdviceRecord} record
 */
function kitSentences ({ kit, checks, facts: { machine, today } }) {
  if (kit === null) return []
  const line = machine.node.split('.')[0]
  const end = kit.nodeLine ? pastItsEnd(String(kit.nodeLine), today) : null
  const isOther = checks.length > 0 && line !== String(kit.nodeLine)
  return [
    `The kit is in ${kit.dir}: ${kit.files.join(', ')}.`,
    ...kit.nodeLine
      ? [`Its image has Node ${kit.nodeLine}${end ? `, which gets no releases since ${end.lastDay}` : ''}` +
          `${isOther ? `; here it was started under Node ${line}` : ''}.`]
      : [],
    ...checks.map(({ title, fault }) => fault === null ? `holds: ${title}.` : `fails: ${title} (${fault}).`),
    ...kit.notOffered.map(text => `Not part of it (docs/deploy.md): ${text}.`)
  ]
}

/** Returns the topology in a line. @param {AdviceRecord} record */
export const toChain = record => toHops(record)
  .map(({ title, details }) => details.length > 0 ? `${title} (${details.join(', ')})` : title).join(' → ')

/**
 * Returns where TLS ends, and from which program the app takes the scheme of clients.
 * @param {AdviceRecord} record
 */
const describeFront = ({ topology, facts: { platform } }) => describeTlsEnd({
  router: platform.endsTls ? platform.provider ?? platform.target : null,
  hasNginx: hasProxy(topology),
  tls: hasOption(topology, 'tls'),
  trusts: platform.trustsRouter
})

/** Draws the topology. @type {(record: AdviceRecord) => ChartBlock} */
const toChart = record => ({ chart: 'chain', hops: toHops(record), label: record.topology })

/** @type {Pick<Kind<AdviceRecord>, 'answer' | 'sections' | 'mainChart'>} */
export default {
  /** Returns the first decision that a measurement has led to, and the instances. */
  answer (record) {
    const sorted = sortDecisions(record)
    const first = sorted.find(({ because }) => because.contrast) ?? sorted[0]
    return { text: [...first ? [first.text] : [], priceSentence(record)].join(' '), contrasts: [] }
  },

  sections (record) {
    const { advice, quick, seconds, decisions, risks, notes, kit, facts: { machine, platform, own } } = record
    return [
      { id: 'own', title: 'Your files', blocks: (own?.files ?? []).map(describeOwnFile) },
      { id: 'topology', title: 'Topology', blocks: [toChart(record), toChain(record)] },
      { id: 'tls', title: 'TLS', blocks: [describeFront(record)] },
      {
        id: 'decisions',
        title: 'Decisions',
        blocks: sortDecisions(record).map(decision => decision.text + takesText(decision))
      },
      { id: 'risks', title: 'Risks', blocks: risks.map(({ text, line }) => `${text} Change: ${line}`) },
      { id: 'notes', title: 'What failed or was left out', blocks: notes },
      {
        id: 'kit',
        title: 'Kit',
        blocks: [
          ...kitSentences(record),
          ...(kit?.next ?? []).map((line, i) => ({ label: 'Next', sentence: i === 0 ? 'Next:' : '', command: [line] }))
        ]
      },
      { id: 'reasons', title: 'Reasons', blocks: [{ rows: decisions, columns: REASONS }] },
      {
        id: 'carry',
        title: 'What carries over',
        blocks: [
          `Measured on ${machine.cpu} with ${plural(machine.servedCores, 'core')} for the app. Ratios and CPU time ` +
          `per request carry over to ${platform.provider ?? 'another machine'}. Rates, response times and instances ` +
          'are estimates: measure an instance there with hopbench size --url.',
          `${advice}, ${quick ? 'a first look' : 'complete'} in ${duration(seconds.all)}.`
        ]
      }
    ]
  },

  mainChart: toChart
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
