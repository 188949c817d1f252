/** The answer to a question, from the run that speaks for it (pure).
 * @import { Contrast, RunRecord } from '../../types.js'
 * @import { Question } from './questions.js' */
import { count, decimals, estimate, isNumber, listing, NONE, plural } from '../../plan/format.js'
import { pageTable } from '../table.js'
import { contrastTable, costTable } from '../tables/arms.js'
import { cacheIsOn } from '../../plan/topology-options.js'
import { carrySentences } from '../carry.js'
import { saturationSentence } from '../sentences.js'
import { sizingSentences } from './sizings.js'

/** @typedef {object} Speaking
 * @property {RunRecord[]} records of the question's experiment: of a sizing by rate, else by line of Node, of which the
 * first answers
 * @property {{ sentences: string[], arms: string[] }} [recommended] where static servers were compared
 * @property {RunRecord | null} [beside] of the experiment that the question asks beside its own; null: not run yet */
/** @typedef {object} Answer
 * @property {Question} question
 * @property {string} sentence the answer
 * @property {string[]} more what goes with it
 * @property {RunRecord[]} records it comes from; empty: not measured yet */

/** @param {Question} question @param {Speaking} speaking @returns {Answer} */
export function answerTo (question, { records, recommended = { sentences: [], arms: [] }, beside = null }) {
  if (records.length === 0) return { question, records, sentence: 'Not measured yet.', more: [] }
  const [record] = records
  const [sentence, ...more] = {
    pairs: () => [...pairSentences(question, record), ...cacheSentence(record),
      ...records.slice(1).flatMap(older => olderSentences(question, older))],
    choice: () => [...choiceSentence(question, record), ...pairSentences(question, record)],
    every: () => everySentences(record),
    recommendation: () => [recommendedSentence(recommended.arms), ...recommended.sentences],
    ports: () => [portsSentence(record), ...pairSentences(question, record)],
    sizing: () => sizingSentences(records.flatMap(({ sizing }) => sizing ?? []))
  }[question.by]()
  return {
    question,
    records: beside ? [...records, beside] : records,
    sentence: sentence ?? 'There is no valid measurement.',
    more: beside && question.beside ? [...more, ...pairSentences(question.beside, beside)] : more
  }
}

/** The pairs that the question names, then what a core each would change.
 * @param {Pick<Question, 'pairs' | 'names'>} question @param {RunRecord} record */
function pairSentences ({ pairs = [], names = {} }, record) {
  const listed = pairs.flatMap(([arm, baseline]) =>
    record.contrasts.find(pair => pair.arm === arm && pair.baseline === baseline) ?? [])
  const carried = carrySentences({
    ...record, contrasts: listed.filter(({ arm, baseline }) => [arm, baseline].includes('direct'))
  })
  return [...listed.map(contrast => pairSentence(contrast, names)), ...carried,
    ...saturationSentence({ ...record, contrasts: listed })]
}

/** What no verdict puts behind the first pair's baseline, then what is behind it. @param {Question} question
 * @param {RunRecord} record @returns {string[]} empty: something is ahead of the baseline, which a pair says */
function choiceSentence ({ pairs = [], names = {} }, { contrasts }) {
  const named = (/** @type {string} */ name) => names[name] ?? name
  const baseline = pairs[0][1]
  const against = contrasts.filter(pair => pair.baseline === baseline &&
    pairs.some(([arm, other]) => arm === pair.arm && other === baseline))
  const of = (/** @type {string[]} */ ...verdicts) => against.filter(({ verdict }) => verdicts.includes(verdict))
  const [ahead, level, behind] = [of('faster'), of('no-difference', 'inconclusive'), of('slower')]
  if (ahead.length > 0 || against.length === 0) return []
  const best = [baseline, ...level.map(({ arm }) => arm)].map(named).join(' or ')
  const shares = [...level, ...behind.sort((a, b) => Number(b.ratio) - Number(a.ratio))]
    .map(({ arm, ...interval }, i) => `${named(arm)} ${i === 0 ? 'reaches ' : ''}${shareOf(interval)}`)
  return [`${best}${level.length > 0 ? ', which no verdict separates' : ''}: ${listing(shares)} of the throughput of ` +
    `${named(baseline)}.`]
}

/** How much the caches left to the app. @param {RunRecord} record @returns {string[]} one at most */
function cacheSentence ({ arms }) {
  const hits = arms.filter(({ topology, invalid }) => cacheIsOn(topology) && !invalid)
    .flatMap(({ proof: { cacheHitRatio } }) => cacheHitRatio ?? [])
  if (hits.length === 0) return []
  const most = Math.max(...hits.map(hit => 1 - hit))
  return [most === 0
    ? 'No request of the measured slices reached the app.'
    : `Of 100,000 requests at most ${count(Math.ceil(most * 100_000))} reached the app.`]
}

/** The same pairs under an older line of Node. @param {Question} question @param {RunRecord} record */
function olderSentences ({ pairs = [], names = {} }, { contrasts, environment: { node } }) {
  const [line] = node.split('.')
  const listed = pairs.flatMap(([arm, baseline]) =>
    contrasts.find(pair => pair.arm === arm && pair.baseline === baseline) ?? [])
  return listed.map(contrast => `Under Node ${line}: ${pairSentence(contrast, names)}`)
}

/** @param {Contrast} contrast @param {Record<string, string>} names */
export function pairSentence (contrast, names = {}) {
  const { arm, baseline, verdict, ratio, low, high } = contrast
  const [a, b] = [arm, baseline].map(name => names[name] ?? name)
  const text = estimate({ ratio, low, high })
  const figures = text.interval === NONE ? text.ratio : `${text.ratio} (${text.interval})`
  if (verdict === 'invalid') return `${capital(a)} against ${b} could not be measured.`
  if (verdict === 'no-difference') return `${capital(a)} and ${b} serve equally much: ${figures}.`
  if (verdict === 'inconclusive') return `Whether ${a} or ${b} serves more is open on this machine: ${figures}.`
  return Number(ratio) < 1
    ? `${capital(a)} reaches ${shareOf({ ratio, low, high })} of the throughput of ${b}.`
    : `${capital(a)} serves ${figures} times as much as ${b}.`
}

/** @param {Pick<Contrast, 'ratio' | 'low' | 'high'>} interval
 * @param {(value: number) => number} [from] what is printed of a ratio @returns {string} "14 % (13 to 16 %)" */
function shareOf (interval, from = value => value) {
  const digits = Math.max(0, decimals(interval) - 2)
  const print = (/** @type {number | null} */ value) => isNumber(value) ? number(from(value) * 100, digits) : NONE
  const [low, high] = [print(interval.low), print(interval.high)]
  return `${print(interval.ratio)} %${low === NONE || high === NONE ? '' : ` (${low} to ${high} %)`}`
}

/** With the sign that is printed, a minus. @param {number} value @param {number} digits */
const number = (value, digits) => value.toFixed(digits).replace('-', '−')

/** @param {RunRecord} record @returns {string[]} what differs, then what does not, then what is open */
function everySentences ({ contrasts }) {
  const of = (/** @type {string[]} */ ...verdicts) => contrasts.filter(({ verdict }) => verdicts.includes(verdict))
  const named = (/** @type {Contrast[]} */ list) => list.map(({ arm, baseline, ...interval }) =>
    `by ${shareOf(interval, ratio => ratio - 1)} with ${arm}` +
    (baseline === contrasts[0].baseline ? '' : `, against ${baseline}`)).join('; ')
  const [differ, same, open] = [of('faster', 'slower'), of('no-difference'), of('inconclusive')]
  return [
    differ.length > 0 ? `Throughput changes ${named(differ)}.` : 'No difference was shown.',
    ...same.length > 0 ? [`No relevant change: ${named(same)}.`] : [],
    ...open.length > 0 ? [`Open on this machine: ${named(open)}.`] : []
  ]
}

/** @param {string[]} arms */
const recommendedSentence = arms => arms.length === 0
  ? 'No server was compared that passes every safety probe.'
  : `${arms.join('; from Node itself ')}: the fastest without a safety failure, of packages that are meant for use.`

const TIME_WAIT_SECONDS = 60 // Linux's TCP_TIMEWAIT_LEN.

/** By this system's range: that of the run may be narrower, to be used up sooner. @param {RunRecord} record */
function portsSentence ({ environment: { sysctl } }) {
  const range = sysctl[PORTS] ?? '32768 60999'
  const [first, last] = range.split(/\s+/).map(Number)
  const ports = last - first + 1
  return `With ${count(ports)} local ports, each of which the kernel holds for ${TIME_WAIT_SECONDS} s after use, ` +
    `${count(Math.floor(ports / TIME_WAIT_SECONDS))} new connections a second from nginx to the app use them up, ` +
    'unless it may reuse them earlier (tcp_tw_reuse); kept connections and Unix sockets need none.'
}
const PORTS = 'net.ipv4.ip_local_port_range'

/** The tables that an answer rests on. @param {RunRecord} record */
export const tablesOf = record => [
  { caption: 'Relative throughput', table: pageTable(contrastTable(record)) },
  {
    caption: 'CPU time per request in µs, of load generator, proxy and server; memory in MiB',
    table: pageTable(costTable(record))
  }
]

/** From which run, how often started, on what. @param {RunRecord} record */
export function fromRun ({ run, contrasts, environment: { cpu, node, cores }, plan }) {
  const starts = Math.max(1, ...contrasts.map(({ starts = 1 }) => starts))
  const served = `the served side on ${plural(cores.served.length, 'core')}`
  return `Run ${run}: ${plural(starts, 'start')}, ${cpu.model}, ${served}` +
    `${plan.cores === 'shared' ? ' shared with the load' : ''}, Node ${node}.`
}

/** Names of programs stay as they are written. @param {string} text */
const capital = text =>
  /^(an?|one|plain|pooled|the) /.test(text) ? text.slice(0, 1).toUpperCase() + text.slice(1) : text
