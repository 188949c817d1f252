/** The answer to a question, from the run that answers it (pure). */
import { count, ended, isNumber, listing, plural, rate } from '../../shared/format.js'
import { getResultKind } from '../../plan/plan.js'
import { cacheIsOn } from '../../plan/topology-options.js'
import { errorsOf } from '../../shared/trial.js'
import { unitOf } from '../../shared/units.js'
import { behaviourAnswer } from '../behaviour-answer.js'
import { printRatioShare } from '../bounds.js'
import { inOneLine, printAdvice } from '../facts/facts.js'
import { isOfApp } from '../latencies.js'
import { pageTable } from '../table.js'
import { contrastTable, costTable, loadTable, rateTable } from '../tables/arms.js'
import { delaysTable, figuresTable, listKinds, outcomesTable } from '../tables/behaviour.js'
import { printChange } from '../share-text.js'
import { costSentence } from './costs.js'
import { otherMachineSentence } from './other-machine.js'
import { olderSentences, pairSentences } from './pairs.js'
import { siteSentences } from './site.js'
import { sizingSentences } from './sizings.js'

/** @import { recommend } from '../../analysis/recommendation.js' */
/** @import { Contrast, RunRecord } from '../../types.js' */
/** @import { Question } from './questions.js' */

/**
 * @typedef {object} Answer
 * @property {Question} question
 * @property {string} sentence the answer; a line break separates parts of a long one
 * @property {string[]} more further sentences
 * @property {RunRecord[]} records runs that the answer is based on; empty: not measured
 */

const PORT_RANGE = 'net.ipv4.ip_local_port_range'
const DEFAULT_PORT_RANGE = '32768 60999' // Linux, net/ipv4/af_inet.c.
const TIME_WAIT_SECONDS = 60 // TCP_TIMEWAIT_LEN of Linux.

/**
 * Answers a question from runs.
 * @param {Question} question
 * @param {object} evidence
 * @param {RunRecord[]} evidence.records of the question's experiment: sizings by rate, other runs by release line of
 * Node, the newest first
 * @param {ReturnType<typeof recommend>} [evidence.recommended] for static servers
 * @param {RunRecord | null} [evidence.second] of the question's second experiment; null: not run
 * @param {RunRecord[]} [evidence.behaviours] of the experiments about behaviour that belong to the question
 * @returns {Answer}
 */
export function answerTo (question, { records, recommended, second = null, behaviours = [] }) {
  if (records.length === 0) return { question, records, sentence: 'Not measured yet.', more: [] }
  const sentences = listSentences(question, records, { recommended, second })
  const { sentences: answerLength = 1, note } = question
  const evidence = [...records, ...second ? [second] : [], ...behaviours]
  return {
    question,
    records: evidence,
    sentence: sentences.slice(0, answerLength).join(' ') || 'There is no valid measurement.',
    more: [
      ...otherMachineSentence(evidence),
      ...sentences.slice(answerLength),
      ...second && question.second ? pairSentences(question.second, second) : [],
      ...behaviours.map(record => `${record.question} ${behaviourAnswer(record)}`),
      ...note ? [note] : []
    ]
  }
}

/**
 * Returns the sentences about the question's own experiment.
 * @param {Question} question
 * @param {RunRecord[]} records
 * @param {{ recommended?: ReturnType<typeof recommend>, second: RunRecord | null }} evidence
 * @returns {string[]} the answer first
 */
function listSentences (question, records, { recommended, second }) {
  const [record, ...older] = records
  switch (question.by) {
    case 'every': return everySentences(question, record)
    case 'recommendation': return recommended ? recommendedSentences(recommended, question.names) : []
    case 'site': return siteSentences(question, record, second)
    case 'ports': return [...portsSentences(record), ...pairSentences(question, record)]
    case 'behaviour': return [behaviourAnswer(record)]
    case 'sizing': return sizingSentences(records.flatMap(({ sizing }) => sizing ?? []))
  }
  return [
    ...costSentence(question, record),
    ...pairSentences(question, record),
    ...cacheSentence(record),
    ...older.flatMap(record => olderSentences(question, record))
  ]
}

/**
 * Reports the share of requests that passed the caches.
 * @param {RunRecord} record
 * @returns {string[]} one sentence at most
 */
function cacheSentence ({ arms }) {
  const misses = arms.filter(({ topology, invalid }) => cacheIsOn(topology) && !invalid)
    .flatMap(({ proof: { cacheHitRatio } }) => isNumber(cacheHitRatio) ? [1 - cacheHitRatio] : [])
  if (misses.length === 0) return []
  const most = Math.max(...misses)
  return [most === 0
    ? 'No request of the measured slices reached the app.'
    : `Of 100,000 requests at most ${count(Math.ceil(most * 100_000))} reached the app.`]
}

/**
 * Lists all contrasts: first the differences, the largest first, then those without a difference, then open ones.
 * @param {Question} question
 * @param {RunRecord} record
 * @returns {string[]}
 */
function everySentences ({ names = {} }, { arms, contrasts }) {
  const [{ load }] = arms
  const distance = (/** @type {Contrast} */ { ratio }) => Math.abs(Math.log(Number(ratio)))
  const list = (/** @type {Contrast['verdict'][]} */ ...verdicts) => contrasts
    .filter(({ verdict }) => verdicts.includes(verdict))
    .sort((a, b) => distance(b) - distance(a))
    .map(contrast => {
      const { arm, baseline } = contrast
      const against = baseline === contrasts[0].baseline ? '' : `, against ${baseline}`
      return `by ${printRatioShare(contrast, arms, printChange)} with ${names[arm] ?? `${arm}${against}`}`
    })
    .join('; ')
  const [different, same, open] = [list('faster', 'slower'), list('no-difference'), list('inconclusive')]
  const isSamePath = arms.every(arm => arm.load.path === load.path)
  return [
    different
      ? `${isSamePath ? `With ${load.path} over` : 'Over'} ${count(load.connections)} connections throughput changes ${
        different}.`
      : 'No difference was shown.',
    ...same ? [`No relevant change: ${same}.`] : [],
    ...open ? [`Open on this machine: ${open}.`] : []
  ]
}

/**
 * Names the recommended servers, then those that fail safety probes, then each piece of advice.
 * @param {ReturnType<typeof recommend>} recommended
 * @param {Question['names']} [names]
 */
function recommendedSentences ({ arms, unsafe, advice }, names = {}) {
  const toNames = (/** @type {string[]} */ list) => list.map(name => names[name] ?? name)
  const warnings = [
    ...unsafe.length > 0 ? [`Not recommended, because they fail safety probes: ${listing(toNames(unsafe))}.`] : [],
    ...advice.flatMap(item => item.code === 'unsafe-as-shipped'
      ? inOneLine(printAdvice({ ...item, params: { ...item.params, server: toNames([item.params.server])[0] } }))
      : [])
  ]
  return [
    arms.length === 0
      ? 'No server was compared that passes every safety probe.'
      : `${toNames(arms).join('; among the Node servers, ')}: no other server that passes every safety probe is ` +
        'shown to be faster, demonstrations excluded.',
    ...warnings.length > 0 ? [warnings.join(' ')] : [],
    ...advice.map(item => ended(inOneLine(printAdvice(item))))
  ]
}

/**
 * Reports the rate of new connections under Linux's default on one host, and computes the rate at which connections to
 * another host become slow. Takes the port range of the host, because an arm may have had a narrower one. The kernel
 * takes ports of one parity first and is slow afterwards (docs/method.md, "Half of the ports").
 * @param {RunRecord} record
 */
function portsSentences ({ arms, environment: { sysctl } }) {
  const [linuxDefault, withoutReuse] = ['reuse 2', 'reuse 0']
    .map(name => arms.find(arm => arm.name === name && !arm.invalid))
  const ports = countPorts(sysctl)
  const perSecond = Math.floor(Math.floor(ports / 2) / TIME_WAIT_SECONDS)
  const errors = linuxDefault ? errorsOf(linuxDefault.errors) : 0
  return [
    ...linuxDefault
      ? [`Not on one host with Linux's default: tcp_tw_reuse=2 (since 4.19) reuses ports on the loopback, and ${
          rate(linuxDefault.rps?.median)} new connections a second were served ${
          errors === 0 ? 'without an error' : `with ${plural(errors, 'error')}`}.`]
      : [],
    `To another host, by calculation, from ${count(perSecond)} a second to one address on: each holds its port for ` +
      `${TIME_WAIT_SECONDS} s, and connect() is slow while half of the ${count(ports)} local ports are held.`,
    ...linuxDefault && withoutReuse
      ? [`Measured without reuse (tcp_tw_reuse=0) and with ${
          count(countPorts({ ...sysctl, ...withoutReuse.topology.lab?.sysctl }))} ports: ${
          rate(withoutReuse.rps?.median)} a second.`]
      : [],
    'tcp_tw_reuse=1 reuses ports to any host; a kept connection takes one port, a Unix socket none.'
  ]
}

/** Counts the local ports for outgoing connections. @param {Record<string, string>} sysctl */
function countPorts (sysctl) {
  const [first, last] = (sysctl[PORT_RANGE] ?? DEFAULT_PORT_RANGE).split(/\s+/).map(Number)
  return last - first + 1
}

/**
 * Returns the tables that an answer is based on.
 * @param {RunRecord} record
 */
export function listTables (record) {
  const requests = isOfApp(record.arms) ? ' of requests to the app' : ''
  switch (getResultKind(record.plan)) {
    case 'latency':
      return [{ caption: `Response time in ms${requests}, by offered rate`, table: pageTable(loadTable(record)) }]
    case 'behaviour': return behaviourTables(record)
  }
  return [
    { caption: 'Throughput, with the 95 % interval of its median', table: pageTable(rateTable(record)) },
    { caption: 'Relative throughput', table: pageTable(contrastTable(record)) },
    {
      caption: `CPU time per ${unitOf(record.unit).per} in µs, of load generator, proxy and server; memory in MiB`,
      table: pageTable(costTable(record))
    }
  ]
}

/**
 * Returns the delays or figures that answer the question, and the outcomes of the requests where some failed.
 * @param {RunRecord} record
 */
function behaviourTables (record) {
  const { figure, delay } = record.plan.answer ?? {}
  const isAnswered = figure !== undefined || delay !== undefined
  const hasFailures = record.arms.flatMap(listKinds).some(({ failures }) => failures > 0)
  return [
    ...isAnswered && !hasFailures
      ? []
      : [{ caption: 'Outcomes of the requests', table: pageTable(outcomesTable(record)) }],
    ...delay === undefined ? [] : [{ caption: 'Delays over all plays', table: pageTable(delaysTable(record)) }],
    ...figure === undefined ? [] : [{ caption: 'Figures of the plays', table: pageTable(figuresTable(record)) }]
  ]
}
