/** Contrasts of a run as the answer to a question (pure). */
import { isHeldBack } from '../../judge/verdict.js'
import { getServedNode } from '../../plan/runtimes.js'
import { capitalize, isNumber, listing } from '../../shared/format.js'
import { boundClause, printRatio, printRatioShare } from '../bounds.js'
import { saturationSentence } from '../contrast-sentences.js'
import { PROJECTION_BASIS, projectionClause, projectionSentences, projectRatio } from '../projection.js'
import { compact } from '../wrap.js'

/** @import { Contrast, RunRecord } from '../../types.js' */
/** @import { Question } from './questions.js' */

/** @typedef {Partial<Pick<Question, 'by' | 'pairs' | 'names' | 'lead'>>} PairQuestion */

/** @typedef {{ names?: Record<string, string>, arms: RunRecord['arms'] }} PairContext names: of arms, as printed */

/**
 * Returns the answer, the other pairs of the question, their projection to one core each for proxy and app, and the
 * pairs of which an arm was not saturated.
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
    ...projectionSentences({ ...record, contrasts: others }, names),
    ...saturationSentence({ ...record, contrasts })
  ]
}

/**
 * Returns the pairs of a record, each introduced by the Node release line of that record.
 * @param {PairQuestion} question
 * @param {RunRecord} record
 */
export function sentencesWithNodeLine (question, record) {
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
 * Words the first pair as an answer. On one core, adds the projection to one core each for proxy and app.
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
  const text = answer ? `${answer}: ${clause}` : capitalizeSentence(clause)
  return projected === null
    ? `${text}.`
    : `${text}. With one core each for proxy and app, ${projectionClause(contrast, projected, { arms, names })}. ` +
      PROJECTION_BASIS
}

/**
 * Compares all arms with the baseline of the first pair: those that are faster, equal and slower.
 * @param {PairQuestion} question
 * @param {Contrast[]} contrasts
 * @param {RunRecord['arms']} arms
 * @returns {{ sentence: string, contrasts: Contrast[] } | null} contrasts: those in the sentence; null: all are invalid
 */
function toChoice ({ names = {}, lead }, contrasts, arms) {
  const [first] = contrasts
  const compared = contrasts.filter(contrast =>
    contrast.baseline === first.baseline && contrast.verdict !== 'invalid')
  if (compared.length === 0) return null
  const groups = groupByVerdict(compared)
  const baseline = names[first.baseline] ?? first.baseline
  const answer = groups.faster.includes(first) ? lead?.faster : undefined
  const sentence = groups.faster.length === 0
    ? baselineWinsSentence(groups, baseline, { names, arms })
    : fasterSentence(groups, baseline, { names, arms, answer })
  return { contrasts: compared, sentence }
}

/**
 * Groups contrasts by verdict, each group with the highest ratio first.
 * @param {Contrast[]} contrasts
 */
function groupByVerdict (contrasts) {
  const select = (/** @type {Contrast['verdict'][]} */ ...verdicts) => contrasts
    .filter(({ verdict }) => verdicts.includes(verdict))
    .sort((a, b) => Number(b.ratio) - Number(a.ratio))
  return { faster: select('faster'), equal: select('no-difference', 'inconclusive'), slower: select('slower') }
}

/**
 * Reports that no arm is shown to be faster than the baseline, and the share of its throughput that each arm reaches.
 * @param {ReturnType<typeof groupByVerdict>} groups without a faster arm
 * @param {string} baseline as printed
 * @param {PairContext} context
 */
function baselineWinsSentence ({ equal, slower }, baseline, context) {
  const { names = {} } = context
  const shares = capitalizeSentence(sharesClause([...equal, ...slower], context))
  const equals = listing(equal.map(({ arm }) => names[arm] ?? arm))
  const remark = equal.length > 0 ? `; no difference to ${equals} was shown` : ''
  return `No other arm is shown to be faster than ${baseline}. ${shares} of its throughput${remark}.`
}

/**
 * Reports the arms that are faster than the baseline, then those without a difference, then those that are slower.
 * @param {ReturnType<typeof groupByVerdict>} groups
 * @param {string} baseline as printed
 * @param {PairContext & { answer?: string }} context answer: first words, "Yes"
 */
function fasterSentence ({ faster, equal, slower }, baseline, context) {
  const { names = {}, arms, answer } = context
  const toName = (/** @type {Contrast} */ { arm }) => names[arm] ?? arm
  const times = listing(faster.map((contrast, i) =>
    `${toName(contrast)} ${i === 0 ? 'serves ' : ''}${printRatio(contrast, arms)}`))
  const clauses = compact([
    `${answer ? `${answer}: ${times}` : capitalizeSentence(times)} times as much as ${baseline}`,
    equal.length > 0 && `no difference was shown for ${listing(equal.map(contrast =>
      `${toName(contrast)}: ${printRatio(contrast, arms)}`))}`,
    slower.length > 0 && `${sharesClause(slower, context)} of the throughput of ${baseline}`
  ])
  return `${clauses.join('; ')}.`
}

/**
 * Lists the shares of the baseline's throughput: "B reaches 98 % and C 80 %".
 * @param {Contrast[]} contrasts
 * @param {PairContext} context
 */
const sharesClause = (contrasts, { names = {}, arms }) => listing(contrasts.map((contrast, i) =>
  `${names[contrast.arm] ?? contrast.arm} ${i === 0 ? 'reaches ' : ''}${printRatioShare(contrast, arms)}`))

/**
 * Reports a contrast by its verdict.
 * @param {Contrast} contrast
 * @param {PairContext} context
 */
export const pairSentence = (contrast, context) => `${capitalizeSentence(pairClause(contrast, context))}.`

/**
 * Reports a contrast by its verdict, as the clause of a sentence.
 * @param {Contrast} contrast
 * @param {PairContext} context
 */
function pairClause (contrast, { names = {}, arms }) {
  const { verdict, ratio } = contrast
  const [arm, baseline] = [contrast.arm, contrast.baseline].map(name => names[name] ?? name)
  switch (verdict) {
    case 'invalid': return `${arm} against ${baseline} could not be measured`
    case 'no-difference': return `${arm} and ${baseline} have equal throughput: ${printRatio(contrast, arms)}`
    case 'inconclusive':
      return `this measurement does not show whether ${arm} or ${baseline} serves more: ${isHeldBack(contrast)
        ? 'the load generator was the bottleneck in both'
        : printRatio(contrast, arms)}`
  }
  const text = Number(ratio) < 1
    ? `${arm} reaches ${printRatioShare(contrast, arms)} of the throughput of ${baseline}`
    : `${arm} serves ${printRatio(contrast, arms)} times as much as ${baseline}`
  return `${text}${boundClause(contrast)}`
}

/**
 * Capitalizes the first spec if it is in the list. Other first words are names of programs.
 * @param {string} text
 */
const capitalizeSentence = text => /^(an?|one|plain|pooled|the|this) /.test(text) ? capitalize(text) : text
