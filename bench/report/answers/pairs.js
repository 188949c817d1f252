/** Contrasts of a run as the answer to a question (pure). */
import { getServedNode } from '../../plan/runtimes.js'
import { capitalize, estimateText, isNumber, listing } from '../../shared/format.js'
import { boundClause, printRatio, printRatioShare } from '../bounds.js'
import { carrySentences, perCoreClause, projectRatio } from '../carry.js'
import { saturationSentence } from '../contrast-sentences.js'
import { compact } from '../wrap.js'

/** @import { Contrast, RunRecord } from '../../types.js' */
/** @import { Question } from './questions.js' */

/** @typedef {Partial<Pick<Question, 'by' | 'pairs' | 'names' | 'lead'>>} PairQuestion */

/** @typedef {{ names?: Record<string, string>, arms: RunRecord['arms'] }} PairContext names: of arms, as printed */

/**
 * Returns the answer, the other pairs of the question, and their projection to a core for each process.
 * @param {PairQuestion} question
 * @param {RunRecord} record
 * @returns {string[]}
 */
export function pairSentences (question, record) {
  const { names = {}, by } = question
  const contrasts = findContrasts(question, record)
  if (contrasts.length === 0) return []
  const choice = by === 'choice' ? toChoice(question, contrasts, record.arms) : null
  const covered = choice?.contrasts ?? contrasts.slice(0, 1)
  const others = contrasts.filter(contrast => !covered.includes(contrast))
  return [
    choice?.sentence ?? leadSentence(contrasts[0], question, record),
    ...others.map(contrast => pairSentence(contrast, { names, arms: record.arms })),
    ...carrySentences({ ...record, contrasts: others }, names),
    ...saturationSentence({ ...record, contrasts })
  ]
}

/**
 * Returns the same pairs under an older release line of Node.
 * @param {PairQuestion} question
 * @param {RunRecord} record
 */
export function olderSentences (question, record) {
  const [line] = getServedNode(record).split('.')
  return findContrasts(question, record)
    .map(contrast => `Under Node ${line}: ${pairSentence(contrast, { names: question.names, arms: record.arms })}`)
}

/**
 * Returns the measured pairs of a question.
 * @param {PairQuestion} question
 * @param {Pick<RunRecord, 'contrasts'>} record
 */
export const findContrasts = ({ pairs = [] }, { contrasts }) => pairs.flatMap(([arm, baseline]) =>
  contrasts.find(pair => pair.arm === arm && pair.baseline === baseline) ?? [])

/**
 * Words the first pair as an answer. On one core, adds the projection to a core for each process.
 * @param {Contrast} contrast
 * @param {PairQuestion} question
 * @param {RunRecord} record
 */
function leadSentence (contrast, { names = {}, lead }, { arms, environment: { cores } }) {
  const { verdict, ratio } = contrast
  const findArm = (/** @type {string} */ name) => arms.find(arm => arm.name === name)
  const projected = cores.served.length === 1 && isNumber(ratio)
    ? projectRatio(contrast, findArm(contrast.arm), findArm(contrast.baseline))
    : null
  const answer = verdict === 'faster' || verdict === 'slower' ? lead?.[verdict] : undefined
  const clause = pairClause(contrast, { names, arms })
  const text = answer ? `${answer}: ${clause}` : capitalizeWords(clause)
  return projected === null
    ? `${text}.`
    : `${text}; with a core each, projected from CPU time per request, about ` +
      `${perCoreClause(projected, findArm(contrast.arm))}.`
}

/**
 * Compares all arms with the baseline of the first pair: those that are faster, equal and slower.
 * @param {PairQuestion} question
 * @param {Contrast[]} contrasts
 * @param {RunRecord['arms']} arms
 * @returns {{ sentence: string, contrasts: Contrast[] } | null} contrasts: those in the sentence; null: all are invalid
 */
function toChoice ({ names = {}, lead }, contrasts, arms) {
  const [{ baseline }] = contrasts
  const compared = contrasts.filter(contrast => contrast.baseline === baseline && contrast.verdict !== 'invalid')
  if (compared.length === 0) return null
  const list = (/** @type {Contrast['verdict'][]} */ ...verdicts) => compared
    .filter(({ verdict }) => verdicts.includes(verdict))
    .sort((a, b) => Number(b.ratio) - Number(a.ratio))
  const [faster, equal, slower] = [list('faster'), list('no-difference', 'inconclusive'), list('slower')]
  const toName = (/** @type {string} */ name) => names[name] ?? name
  const shares = (/** @type {Contrast[]} */ list) => listing(list.map((contrast, i) =>
    `${toName(contrast.arm)} ${i === 0 ? 'reaches ' : ''}${printRatioShare(contrast, arms)}`))
  if (faster.length === 0) {
    const best = [baseline, ...equal.map(({ arm }) => arm)].map(toName).join(' or ')
    const remark = equal.length > 0 ? ' (no difference shown)' : ''
    const rest = shares([...equal, ...slower])
    return { contrasts: compared, sentence: `${best}${remark}: ${rest} of the throughput of ${toName(baseline)}.` }
  }
  const times = listing(faster.map((contrast, i) =>
    `${toName(contrast.arm)} ${i === 0 ? 'serves ' : ''}${printRatio(contrast, arms)}`))
  const clauses = compact([
    `${lead && faster.includes(contrasts[0]) ? `${lead.faster}: ${times}` : capitalizeWords(times)} times as much as ` +
      toName(baseline),
    equal.length > 0 && `no difference was shown for ${listing(equal.map(contrast =>
      `${toName(contrast.arm)}: ${estimateText(contrast)}`))}`,
    slower.length > 0 && `${shares(slower)} of the latter's throughput`
  ])
  return { contrasts: compared, sentence: `${clauses.join('; ')}.` }
}

/**
 * Reports a contrast by its verdict.
 * @param {Contrast} contrast
 * @param {PairContext} context
 */
export const pairSentence = (contrast, context) => `${capitalizeWords(pairClause(contrast, context))}.`

/**
 * @param {Contrast} contrast
 * @param {PairContext} context
 */
function pairClause (contrast, { names = {}, arms }) {
  const { verdict, ratio } = contrast
  const [arm, baseline] = [contrast.arm, contrast.baseline].map(name => names[name] ?? name)
  switch (verdict) {
    case 'invalid': return `${arm} against ${baseline} could not be measured`
    case 'no-difference': return `${arm} and ${baseline} have equal throughput: ${estimateText(contrast)}`
    case 'inconclusive':
      return `whether ${arm} or ${baseline} serves more is open on this machine: ${estimateText(contrast)}`
  }
  const text = Number(ratio) < 1
    ? `${arm} reaches ${printRatioShare(contrast, arms)} of the throughput of ${baseline}`
    : `${arm} serves ${printRatio(contrast, arms)} times as much as ${baseline}`
  return `${text}${boundClause(contrast, arms)}`
}

/**
 * Capitalizes the first word unless it is the name of a program.
 * @param {string} text
 */
const capitalizeWords = text => /^(an?|one|plain|pooled|the|whether) /.test(text) ? capitalize(text) : text
