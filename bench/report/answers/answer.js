/** The answer to a question, from the run that answers it (pure). */
import { count, ended, isNumber, listing } from '../../shared/format.js'
import { isCached } from '../../plan/predicates.js'
import { groupByMachine } from '../../judge/machines.js'
import { isOpenBound, printRatioShare } from '../bounds.js'
import { inOneLine, printAdvice } from '../facts/facts.js'
import { machinesSentence } from '../machines.js'
import { behaviourSentences, relatedSentence } from './behaviour.js'
import { bottleneckSentence, bytesSentence, costSentence } from './costs.js'
import { everySentences } from './every.js'
import { otherMachineSentence } from './other-machine.js'
import { findContrasts, pairSentences, sentencesWithNodeLine } from './pairs.js'
import { portsSentences } from './ports.js'
import { siteSentences } from './site.js'
import { sizingSentences } from './sizings.js'

/** @import { recommend } from '../../judge/recommendation.js' */
/** @import { Contrast, RunRecord } from '../../types.js' */
/** @import { Question } from './questions.js' */

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
 * @param {RunRecord[]} [evidence.behaviours] of the experiments about behaviour that belong to the question
 * @returns {Answer}
 */
export function answerTo (question, { records, recommended, second = null, behaviours = [] }) {
  if (records.length === 0) return { question, records, sentence: 'Not measured yet.', more: [] }
  const sentences = listSentences(question, records, { recommended, second })
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
 * @param {{ recommended?: ReturnType<typeof recommend>, second: RunRecord | null }} evidence
 * @returns {string[]} the answer first
 */
function listSentences (question, records, { recommended, second }) {
  const [record, ...older] = records
  switch (question.by) {
    case 'every': return everySentences(question, record)
    case 'recommendation': return recommended ? recommendedSentences(recommended, question.names) : []
    case 'site': return siteSentences(question, record, second)
    case 'ports': return [...portsSentences(record), ...comparedSentences(question, record)]
    case 'behaviour': return behaviourSentences(question, record)
    case 'sizing': return sizingSentences(records.flatMap(({ sizing }) => sizing ?? []), question.app)
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
