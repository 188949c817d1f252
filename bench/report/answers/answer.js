/** The answer to a question, from the run that speaks for it (pure).
 * @import { Contrast, RunRecord } from '../../types.js'
 * @import { Question } from './questions.js' */
import { count, estimate, listing, micros, NONE, plural, rate } from '../../plan/format.js'
import { sizingAnswer } from '../sizing-text.js'
import { pageTable } from '../table.js'
import { contrastTable, costTable } from '../tables/arms.js'
import { winnerOf } from '../winner.js'
import { carrySentences } from '../carry.js'

/** @typedef {object} Speaking
 * @property {RunRecord[]} records of the question's experiment; of a sizing all, else one at most
 * @property {{ sentences: string[], arms: string[] }} [recommended] where static servers were compared */
/** @typedef {object} Answer
 * @property {Question} question
 * @property {string} sentence the answer
 * @property {string[]} more what goes with it
 * @property {RunRecord[]} records it comes from; empty: not measured yet */

/** @param {Question} question @param {Speaking} speaking @returns {Answer} */
export function answerTo (question, { records, recommended = { sentences: [], arms: [] } }) {
  if (records.length === 0) return { question, records, sentence: 'Not measured yet.', more: [] }
  const [record] = records
  const [sentence, ...more] = {
    pairs: () => pairSentences(question, record),
    every: () => everySentences(record),
    ranking: () => rankingSentences(record),
    recommendation: () => [recommendedSentence(recommended.arms), ...recommended.sentences],
    ports: () => [portsSentence(record), ...pairSentences(question, record)],
    sizing: () => records.map(({ sizing }) => sizing ? sizingAnswer(sizing) : NONE)
  }[question.by]()
  return { question, records, sentence: sentence ?? 'Nothing was measured that counts.', more }
}

/** The pairs that the question names, then what a core each would change.
 * @param {Question} question @param {RunRecord} record */
function pairSentences ({ pairs = [], names = {} }, record) {
  const listed = pairs.flatMap(([arm, baseline]) =>
    record.contrasts.find(pair => pair.arm === arm && pair.baseline === baseline) ?? [])
  const carried = carrySentences({
    ...record, contrasts: listed.filter(({ arm, baseline }) => [arm, baseline].includes('direct'))
  })
  return [...listed.map(contrast => pairSentence(contrast, names)), ...carried]
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
  return `${capital(a)} serves ${figures} times as much as ${b}.`
}

/** @param {RunRecord} record @returns {string[]} what differs, then what does not, then what is open */
function everySentences ({ contrasts }) {
  const of = (/** @type {string[]} */ ...verdicts) => contrasts.filter(({ verdict }) => verdicts.includes(verdict))
  const named = (/** @type {Contrast[]} */ list) => listing(list.map(({ arm, baseline, ...interval }) => {
    const { ratio, interval: range } = estimate(interval)
    return `${arm} against ${baseline} ${ratio}${range === NONE ? '' : ` (${range})`}`
  }))
  const [differ, same, open] = [of('faster', 'slower'), of('no-difference'), of('inconclusive')]
  return [
    differ.length > 0 ? `A difference: ${named(differ)}.` : 'No difference was shown.',
    ...same.length > 0 ? [`None: ${named(same)}.`] : [],
    ...open.length > 0 ? [`Open on this machine: ${named(open)}.`] : []
  ]
}

/** @param {RunRecord} record */
function rankingSentences (record) {
  const found = winnerOf(record)
  if (!found) return []
  const { arm, undecided } = found
  const ahead = `${arm.name} serves the most: ${rate(arm.rps?.median ?? NaN)} req/s`
  const costs = record.arms.filter(({ name }) => name !== record.plan.twin?.arm)
    .flatMap(({ name, cpuMicrosPerRequest: cpu }) => cpu ? [{ name, micros: cpu.proxy + cpu.server }] : [])
    .sort((a, b) => a.micros - b.micros)
  return [
    undecided.length === 0 ? `${ahead}.` : `${ahead}; no interval sets it apart from ${listing(undecided)}.`,
    `CPU time per request in µs: ${listing(costs.map(({ name, micros: value }) => `${name} ${micros(value)}`))}.`
  ]
}

/** @param {string[]} arms */
const recommendedSentence = arms => arms.length === 0
  ? 'No server was compared that passes every safety probe.'
  : `${listing(arms)}: the fastest that pass every safety probe.`

const TIME_WAIT_SECONDS = 60 // Linux's TCP_TIMEWAIT_LEN.

/** @param {RunRecord} record */
function portsSentence ({ arms, environment: { sysctl } }) {
  const range = arms[0].topology.lab?.sysctl?.[PORTS] ?? sysctl[PORTS]
  const [first, last] = range.split(/\s+/).map(Number)
  const ports = last - first + 1
  return `With ${count(ports)} local ports, each of which the kernel holds for ${TIME_WAIT_SECONDS} s after use, ` +
    `${count(Math.floor(ports / TIME_WAIT_SECONDS))} new connections a second from nginx to the app use them up, ` +
    'unless it may reuse them earlier (tcp_tw_reuse); kept connections and Unix sockets need none.'
}
const PORTS = 'net.ipv4.ip_local_port_range'

/** The tables that an answer rests on. @param {RunRecord} record */
export const tablesOf = record => [pageTable(contrastTable(record)), pageTable(costTable(record))]

/** From which run, how often started, on what. @param {RunRecord} record */
export function fromRun ({ run, contrasts, environment: { cpu, node, cores }, plan }) {
  const starts = Math.max(1, ...contrasts.map(({ starts = 1 }) => starts))
  const served = `the served side on ${plural(cores.served.length, 'core')}`
  return `Run ${run}: ${plural(starts, 'start')}, ${cpu.model}, ${served}` +
    `${plan.cores === 'shared' ? ' shared with the load' : ''}, Node ${node}.`
}

/** Names of programs stay as they are written. @param {string} text */
const capital = text =>
  /^(an?|the|pooled) /.test(text) ? text.slice(0, 1).toUpperCase() + text.slice(1) : text
