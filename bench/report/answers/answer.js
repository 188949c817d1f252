/** The answer to a question, from the run that answers it (pure). */
import { count, ended, estimateText, interval, isNumber, listing, micros, plural, rate } from '../../shared/format.js'
import { isCached } from '../../plan/predicates.js'
import { groupByMachine } from '../../judge/machines.js'
import { isOpenBound, printRatio, printRatioShare } from '../bounds.js'
import { inOneLine, printAdvice } from '../facts/facts.js'
import { machinesSentence } from '../machines.js'
import { behaviourSentences, relatedSentence } from './behaviour.js'
import { bottleneckSentence, bytesSentence, costSentence } from './costs.js'
import { everySentences } from './every.js'
import { findContrasts, pairSentences, sentencesWithNodeLine } from './pairs.js'
import { siteSentences } from './site.js'
import { getKnownInterval } from '../../judge/verdict.js'
import { errorsOf } from '../../shared/trial.js'

/** @import { recommend } from '../../judge/recommendation.js' */
/** @import { ArmResult, Contrast, RunRecord } from '../../types.js' */
/** @import { Question } from './questions.js' */

const PORT_RANGE = 'net.ipv4.ip_local_port_range'
const DEFAULT_PORT_RANGE = '32768 60999' // Linux, net/ipv4/af_inet.c.
const TIME_WAIT_SECONDS = 60 // TCP_TIMEWAIT_LEN of Linux.
const OTHER_CPU = 'Intel Xeon'
/**
 * Ratios measured on the other machine, with their intervals. Its runs are not stored.
 * @type {{ experiment: string, arm: string, baseline: string, ratio: number, low: number, high: number }[]}
 */
const RATIOS = [
  { experiment: 'static-html', arm: 'connect', baseline: 'nginx', ratio: 0.1, low: 0.09, high: 0.11 },
  { experiment: 'cache', arm: 'uds-keepalive-cache', baseline: 'uds-keepalive', ratio: 4.04, low: 3.77, high: 4.33 },
  { experiment: 'cache', arm: 'tcp-cache', baseline: 'tcp', ratio: 10.8, low: 9.4, high: 12.3 },
  { experiment: 'nginx-defaults', arm: 'since 1.29.7', baseline: 'before 1.29.7', ratio: 1.58, low: 1.44, high: 1.73 },
  { experiment: 'nginx-defaults', arm: 'pool for all', baseline: 'since 1.29.7', ratio: 1.51, low: 1.38, high: 1.66 },
  { experiment: 'caches', arm: 'varnish', baseline: 'nginx', ratio: 0.53, low: 0.49, high: 0.59 },
  { experiment: 'caches', arm: 'apache', baseline: 'nginx', ratio: 0.23, low: 0.21, high: 0.24 }
]

/**
 * @typedef {object} Answer
 * @property {Question} question
 * @property {string} sentence the answer; a line break separates parts of a long one
 * @property {string[]} more further sentences
 * @property {RunRecord[]} records runs that the answer is based on; empty: not measured
 */

/**
 * Answers a question from runs.
 * @param {Question} question
 * @param {object} evidence
 * @param {RunRecord[]} evidence.records of the question's experiment: sizings by rate, other runs by release line of
 * Node, the newest first
 * @param {ReturnType<typeof recommend>} [evidence.recommended] for static servers
 * @param {RunRecord | null} [evidence.second] of the question's second experiment; null: not run
 * @param {string[]} [evidence.sized] sentences of the sizings
 * @param {RunRecord[]} [evidence.behaviours] of the experiments about behaviour that belong to the question
 * @returns {Answer}
 */
export function answerTo (question, { records, recommended, second = null, sized = [], behaviours = [] }) {
  if (records.length === 0) return { question, records, sentence: 'Not measured yet.', more: [] }
  const sentences = listSentences(question, records, { recommended, second, sized })
  const { sentences: answerLength = 1, note } = question
  const evidence = [...records, ...second ? [second] : [], ...behaviours]
  const machines = groupByMachine(evidence).length > 1 ? machinesSentence(evidence) : null
  return {
    question,
    records: evidence,
    sentence: sentences.slice(0, answerLength).join(' ') || 'There is no valid measurement.',
    more: [
      ...otherMachineSentence(evidence, { ...question.names, ...question.second?.names }),
      ...sentences.slice(answerLength),
      ...second && question.second ? comparedSentences(question.second, second) : [],
      ...behaviours.map(relatedSentence),
      ...note ? [note] : [],
      ...machines ? [machines] : []
    ]
  }
}

/**
 * Returns the sentences about the question's own experiment.
 * @param {Question} question
 * @param {RunRecord[]} records
 * @param {{ recommended?: ReturnType<typeof recommend>, second: RunRecord | null, sized: string[] }} evidence
 * @returns {string[]} the answer first
 */
function listSentences (question, records, { recommended, second, sized }) {
  const [record, ...older] = records
  switch (question.by) {
    case 'every': return everySentences(question, record)
    case 'recommendation': return recommended ? recommendedSentences(recommended, question.names) : []
    case 'site': return siteSentences(question, record, second)
    case 'ports': return [...portsSentences(record), ...comparedSentences(question, record)]
    case 'behaviour': return behaviourSentences(question, record)
    case 'sizing': return sized
  }
  return [
    ...costSentence(question, record),
    ...bytesSentence(question, record),
    ...second && question.second ? costSentence(question.second, second) : [],
    ...comparedSentences(question, record),
    ...bottleneckSentence(question, record),
    ...cacheSentence(record),
    ...older.flatMap(record => sentencesWithNodeLine(question, record))
  ]
}

/**
 * Returns the sentences about the pairs of a question. Words pairs that are open because of their bound separately.
 * @param {Partial<Question>} question
 * @param {RunRecord} record
 * @returns {string[]} the answer first
 */
function comparedSentences (question, record) {
  const found = findContrasts(question, record)
  const open = found.filter(isOpenBound)
  if (open.length === 0) return pairSentences(question, record)
  const pairs = question.pairs?.filter(([arm, baseline]) =>
    !open.some(contrast => contrast.arm === arm && contrast.baseline === baseline))
  const openSentences = open.map(contrast => openSentence(contrast, question, record))
  return open.includes(found[0])
    ? [...openSentences, ...pairSentences({ ...question, pairs, lead: undefined }, record)]
    : [...pairSentences({ ...question, pairs }, record), ...openSentences]
}

/**
 * Words a pair of which one arm was not saturated, so that the other may serve more or less.
 * @param {Contrast} contrast
 * @param {Pick<Question, 'names'>} question
 * @param {RunRecord} record
 */
function openSentence (contrast, { names = {} }, { arms }) {
  const [arm, baseline] = [contrast.arm, contrast.baseline].map(name => names[name] ?? name)
  const unsaturated = contrast.oneSided === 'at-most' ? baseline : arm
  return `This measurement does not show whether ${arm} or ${baseline} serves more, because ${unsaturated} was not ` +
    `saturated: ${arm} reaches ${printRatioShare(contrast, arms)} of the throughput of ${baseline}.`
}

/**
 * Reports the share of requests that passed the caches.
 * @param {RunRecord} record
 * @returns {string[]} one sentence at most
 */
function cacheSentence ({ arms }) {
  const misses = arms.filter(({ topology, invalid }) => isCached(topology) && !invalid)
    .flatMap(({ proof: { cacheHitRatio } }) => isNumber(cacheHitRatio) ? [1 - cacheHitRatio] : [])
  if (misses.length === 0) return []
  const most = Math.max(...misses)
  return [most === 0
    ? 'No request of the measured slices reached the app.'
    : `Of 100,000 requests at most ${count(Math.ceil(most * 100_000))} reached the app.`]
}

/**
 * Names the recommended servers, then those that fail safety probes, then each piece of advice.
 * @param {ReturnType<typeof recommend>} recommended
 * @param {Question['names']} [names]
 */
function recommendedSentences ({ arms, alike, unsafe, advice }, names = {}) {
  const toNames = (/** @type {string[]} */ list) => list.map(name => names[name] ?? name)
  const equals = alike.length > 0 ? ` (not separated from ${listing(toNames(alike))})` : ''
  return [
    arms.length === 0
      ? 'No server was compared that passes every safety probe.'
      : `${toNames(arms).join('; among the Node servers, ')}${equals}: no other server that passes every safety ` +
        'probe is shown to be faster, demonstrations excluded.',
    ...unsafe.length > 0 ? [`Not recommended, because they fail safety probes: ${listing(toNames(unsafe))}.`] : [],
    ...advice.map(item => ended(inOneLine(printAdvice(item))))
  ]
}

/**
 * Compares the ratios of runs with those of the other kind of machine.
 * @param {RunRecord[]} records
 * @param {Record<string, string>} [names] of arms, as they are printed
 * @returns {string[]} one sentence at most
 */
function otherMachineSentence (records, names = {}) {
  const here = records.filter(({ environment: { cpu } }) => cpu.model !== OTHER_CPU)
  const clauses = RATIOS.flatMap(other => {
    const record = here.find(({ experiment }) => experiment === other.experiment)
    const contrast = record?.contrasts.find(({ arm, baseline }) => arm === other.arm && baseline === other.baseline)
    if (!record || !contrast) return []
    const [arm, baseline] = [other.arm, other.baseline].map(name => names[name] ?? name)
    return [`${arm} against ${baseline}: ${estimateText(other)} there and ${printRatio(contrast, record.arms)} here` +
      (isApart(other, contrast) ? ', so the ratio differs by machine or by release' : '')]
  })
  return clauses.length === 0
    ? []
    : [`On a machine of another kind (${OTHER_CPU}), whose runs are not stored: ${clauses.join('; ')}.`]
}

/**
 * Returns whether the interval of a ratio there and that of a ratio here have no value in common.
 * @param {typeof RATIOS[number]} there
 * @param {Contrast} contrast
 */
function isApart (there, contrast) {
  const { low, high } = getKnownInterval(contrast)
  return high < there.low || low > there.high
}

/**
 * Reports the rate of new connections under Linux's default on one host, and computes the rate at which connections to
 * another host become slow. The kernel takes ports of one parity first and is slow afterwards (docs/method.md, "Half of
 * the ports").
 * @param {RunRecord} record
 * @returns {string[]}
 */
function portsSentences ({ arms, environment: { sysctl } }) {
  const [linuxDefault, withoutReuse] = ['reuse 2', 'reuse 0']
    .map(name => arms.find(arm => arm.name === name && !arm.invalid))
  const ports = countPorts(sysctl)
  return [
    ...linuxDefault ? [defaultSentence(linuxDefault, sysctl)] : [],
    `To another host, by calculation, from ${count(getSlowRate(ports))} a second to one address on: each holds its ` +
      `port for ${TIME_WAIT_SECONDS} s, and connect() is slow while half of the ${count(ports)} local ports are held.`,
    ...linuxDefault && withoutReuse ? [withoutReuseSentence(withoutReuse, linuxDefault, sysctl)] : [],
    'tcp_tw_reuse=1 reuses ports to any host; a kept connection takes one port, a Unix socket none.'
  ]
}

/**
 * @param {ArmResult} arm with the default of Linux
 * @param {Record<string, string>} sysctl of the host
 */
function defaultSentence (arm, sysctl) {
  const { rps, errors } = arm
  const range = rps && rps.low !== rps.high ? ` (${interval(rate(rps.low || NaN), rate(rps.high))})` : ''
  const failed = errorsOf(errors)
  return `Not on one host with Linux's default: tcp_tw_reuse=2 (since 4.19) reuses ports on the loopback, and ${
    rate(rps?.median)}${range} new connections a second were served ${
    failed === 0 ? 'without an error' : `with ${plural(failed, 'error')}`}, with ${count(countOwnPorts(arm, sysctl))
  } ports.`
}

/**
 * @param {ArmResult} arm without reuse
 * @param {ArmResult} linuxDefault
 * @param {Record<string, string>} sysctl of the host
 */
function withoutReuseSentence (arm, linuxDefault, sysctl) {
  const ports = countOwnPorts(arm, sysctl)
  const [own, other] = [arm, linuxDefault].map(({ cpuMicrosPerRequest }) => micros(cpuMicrosPerRequest?.proxy))
  return `Measured without reuse (tcp_tw_reuse=0) and with ${count(ports)} ports, where connections are slow by ` +
    `calculation from ${count(getSlowRate(ports))} a second on: ${rate(arm.rps?.median)} a second, at ${own} µs of ` +
    `nginx's CPU time for each in place of ${other} µs.`
}

/**
 * Computes the connections per second that hold half of the ports.
 * @param {number} ports
 */
const getSlowRate = ports => Math.floor(Math.floor(ports / 2) / TIME_WAIT_SECONDS)

/** @type {(arm: ArmResult, sysctl: Record<string, string>) => number} */
const countOwnPorts = ({ topology: { lab } }, sysctl) => countPorts({ ...sysctl, ...lab?.sysctl })

/** Counts the local ports for outgoing connections. @param {Record<string, string>} sysctl */
function countPorts (sysctl) {
  const [first, last] = (sysctl[PORT_RANGE] ?? DEFAULT_PORT_RANGE).split(/\s+/).map(Number)
  return last - first + 1
}
