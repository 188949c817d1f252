/** The answer to a question, from the run that speaks for it (pure).
 * @import { Contrast, RunRecord } from '../../types.js'
 * @import { Question } from './questions.js' */
import { count, plural } from '../../plan/format.js'
import { pageTable } from '../table.js'
import { contrastTable, costTable } from '../tables/arms.js'
import { startsOf } from '../sentences.js'
import { cacheIsOn } from '../../plan/topology-options.js'
import { olderSentences, pairSentences, shareOf } from './pairs.js'
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
  const ofPairs = () => [...pairSentences(question, record), ...cacheSentence(record),
    ...records.slice(1).flatMap(older => olderSentences(question, older))]
  const told = {
    pairs: ofPairs,
    choice: ofPairs,
    every: () => everySentences(question, record),
    recommendation: () => [recommendedSentence(recommended.arms), ...recommended.sentences],
    ports: () => [portsSentence(record), ...pairSentences(question, record)],
    sizing: () => sizingSentences(records.flatMap(({ sizing }) => sizing ?? []))
  }[question.by]()
  const { sentences = 1 } = question
  const more = told.slice(sentences)
  return {
    question,
    records: beside ? [...records, beside] : records,
    sentence: told.slice(0, sentences).join(' ') || 'There is no valid measurement.',
    more: beside && question.beside ? [...more, ...pairSentences(question.beside, beside)] : more
  }
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

/** What differs, the most first, then what does not, then what is open. @param {Question} question
 * @param {RunRecord} record @returns {string[]} */
function everySentences ({ names = {} }, { contrasts }) {
  const of = (/** @type {string[]} */ ...verdicts) => contrasts.filter(({ verdict }) => verdicts.includes(verdict))
    .sort((a, b) => Math.abs(Math.log(Number(b.ratio))) - Math.abs(Math.log(Number(a.ratio))))
  const named = (/** @type {Contrast[]} */ list) => list.map(({ arm, baseline, ...interval }) =>
    `by ${shareOf(interval, ratio => ratio - 1)} with ` +
    (names[arm] ?? (baseline === contrasts[0].baseline ? arm : `${arm}, against ${baseline}`))).join('; ')
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
export function fromRun (record) {
  const { run, environment: { cpu, node, cores }, plan } = record
  const served = `the served side on ${plural(cores.served.length, 'core')}`
  return `Run ${run}: ${startsOf(record)}, ${cpu.model}, ${served}` +
    `${plan.cores === 'shared' ? ' shared with the load' : ''}, Node ${node}.`
}
