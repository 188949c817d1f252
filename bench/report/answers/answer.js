/** The answer to a question, from the run that speaks for it (pure).
 * @import { Contrast, RunRecord } from '../../types.js' @import { recommend } from '../../analysis/recommendation.js'
 * @import { Question } from './questions.js' */
import { count, listing, micros, plural } from '../../shared/format.js'
import { pageTable } from '../table.js'
import { contrastTable, costTable, rateTable } from '../tables/arms.js'
import { cacheIsOn } from '../../plan/topology-options.js'
import { changeOf, olderSentences, pairSentences } from './pairs.js'
import { sizingSentences } from './sizings.js'

/** @typedef {object} Speaking
 * @property {RunRecord[]} records of the question's experiment: of a sizing by rate, else by line of Node, of which the
 * first answers
 * @property {ReturnType<typeof recommend>} [recommended] where static servers were compared
 * @property {RunRecord | null} [beside] of the experiment that the question asks beside its own; null: not run yet */
/** @typedef {object} Answer
 * @property {Question} question
 * @property {string} sentence the answer
 * @property {string[]} more what goes with it
 * @property {RunRecord[]} records it comes from; empty: not measured yet */

/** @param {Question} question @param {Speaking} speaking @returns {Answer} */
export function answerTo (question, { records, recommended = NO_SERVERS, beside = null }) {
  if (records.length === 0) return { question, records, sentence: 'Not measured yet.', more: [] }
  const [record] = records
  const ofPairs = () => {
    const sentences = pairSentences(question, record)
    return [...sentences.slice(0, 1), ...costSentence(question, record), ...sentences.slice(1),
      ...cacheSentence(record),
      ...records.slice(1).flatMap(older => olderSentences(question, older))]
  }
  const told = {
    pairs: ofPairs,
    choice: ofPairs,
    every: () => everySentences(question, record),
    recommendation: () => [...recommendedSentences(recommended, question.names), ...recommended.sentences],
    ports: () => [portsSentence(record), ...pairSentences(question, record)],
    sizing: () => sizingSentences(records.flatMap(({ sizing }) => sizing ?? []))
  }[question.by]()
  const { sentences = 1 } = question
  const more = told.slice(sentences)
  return {
    question,
    records: beside ? [...records, beside] : records,
    sentence: told.slice(0, sentences).join(' ') || 'There is no valid measurement.',
    more: [...more, ...beside && question.beside ? pairSentences(question.beside, beside) : [],
      ...question.note ? [question.note] : []]
  }
}

/** Where there are more processes than cores, what a request costs carries over to other machines.
 * @param {Question} question @param {RunRecord} record @returns {string[]} one at most */
function costSentence ({ costs = [], names = {} }, { arms, plan, environment: { cores } }) {
  const each = costs.flatMap(name => {
    const cpu = arms.find(arm => arm.name === name)?.cpuMicrosPerRequest
    return cpu ? [`${micros(cpu.proxy + cpu.server)} µs with ${names[name] ?? name}`] : []
  })
  if (each.length === 0) return []
  const shared = plan.cores === 'shared' ? ', which the load shares' : ''
  return [`They run on ${plural(cores.served.length, 'core')}${shared}: what carries over is the CPU time per ` +
    `request, ${listing(each)}.`]
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
function everySentences ({ names = {} }, { arms, contrasts }) {
  const of = (/** @type {string[]} */ ...verdicts) => contrasts.filter(({ verdict }) => verdicts.includes(verdict))
    .sort((a, b) => Math.abs(Math.log(Number(b.ratio))) - Math.abs(Math.log(Number(a.ratio))))
  const named = (/** @type {Contrast[]} */ list) => list.map(({ arm, baseline, ...interval }) =>
    `by ${changeOf(interval)} with ` +
    (names[arm] ?? (baseline === contrasts[0].baseline ? arm : `${arm}, against ${baseline}`))).join('; ')
  const [{ load: { path, connections } }] = arms
  const [differ, same, open] = [of('faster', 'slower'), of('no-difference'), of('inconclusive')]
  return [
    differ.length > 0
      ? `With ${path} over ${count(connections)} connections throughput changes ${named(differ)}.`
      : 'No difference was shown.',
    ...same.length > 0 ? [`No relevant change: ${named(same)}.`] : [],
    ...open.length > 0 ? [`Open on this machine: ${named(open)}.`] : []
  ]
}

const NO_SERVERS = { sentences: [], arms: [], unsafe: [] }

/** @param {NonNullable<Speaking['recommended']>} recommended @param {Question['names']} [names] */
const recommendedSentences = ({ arms, unsafe }, names = {}) => {
  const named = (/** @type {string[]} */ list) => list.map(name => names[name] ?? name)
  return [
    arms.length === 0
      ? 'No server was compared that passes every safety probe.'
      : `${named(arms).join('; among the Node servers, ')}: none that passes every safety probe is shown to be ` +
        'faster, demonstrations left out.',
    ...unsafe.length > 0 ? [`Not recommended, since they fail safety probes: ${listing(named(unsafe))}.`] : []
  ]
}

const TIME_WAIT_SECONDS = 60 // Linux's TCP_TIMEWAIT_LEN.

/** By this system's range: that of the run may be narrower, to be used up sooner. The kernel takes ports of one parity
 * first, and is slow beyond them (docs/method.md, Half of the ports). @param {RunRecord} record */
function portsSentence ({ environment: { sysctl } }) {
  const range = sysctl[PORTS] ?? '32768 60999'
  const [first, last] = range.split(/\s+/).map(Number)
  const ports = last - first + 1
  const half = Math.floor(ports / 2)
  return `From ${count(Math.floor(half / TIME_WAIT_SECONDS))} new connections a second to one address on, where ` +
    `tcp_tw_reuse does not apply: each holds its port for ${TIME_WAIT_SECONDS} s, and the rate breaks down when half ` +
    `of the ${count(ports)} local ports are held. Linux reuses ports on the loopback (2, the default since 4.19), or ` +
    'to any host (1); a kept connection takes one port, a Unix socket none.'
}
const PORTS = 'net.ipv4.ip_local_port_range'

/** The tables that an answer rests on. @param {RunRecord} record */
export const tablesOf = record => [
  { caption: 'Throughput, with the 95 % interval of its median', table: pageTable(rateTable(record)) },
  { caption: 'Relative throughput', table: pageTable(contrastTable(record)) },
  {
    caption: 'CPU time per request in µs, of load generator, proxy and server; memory in MiB',
    table: pageTable(costTable(record))
  }
]
