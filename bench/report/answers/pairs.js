/** What the contrasts of a run say to a question: sentences by verdict (pure).
 * @import { Contrast, RunRecord } from '../../types.js'
 * @import { Question } from './questions.js' */
import { decimals, estimateText, isNumber, listing, NONE } from '../../shared/format.js'
import { carrySentences, projectRatio } from '../carry.js'
import { saturationSentence } from '../sentences.js'

/** @typedef {Partial<Pick<Question, 'by' | 'pairs' | 'names' | 'lead'>>} Asked */
/** @typedef {Pick<Contrast, 'ratio' | 'low' | 'high'>} Ratio */

/** The answer, the other pairs that the question names, and what a core each would make of them.
 * @param {Asked} asked @param {RunRecord} record @returns {string[]} */
export function pairSentences (asked, record) {
  const { names = {}, by } = asked
  const contrasts = contrastsOf(asked, record)
  if (contrasts.length === 0) return []
  const chosen = by === 'choice' ? choiceOf(asked, contrasts) : null
  const others = contrasts.filter(contrast => !(chosen?.of ?? contrasts.slice(0, 1)).includes(contrast))
  return [
    chosen?.sentence ?? ledSentence(contrasts[0], asked, record),
    ...others.map(contrast => pairSentence(contrast, names)),
    ...carrySentences({ ...record, contrasts: others }, names),
    ...saturationSentence({ ...record, contrasts })
  ]
}

/** The same pairs under an older line of Node. @param {Asked} asked @param {RunRecord} record */
export function olderSentences (asked, record) {
  const [line] = record.environment.node.split('.')
  return contrastsOf(asked, record).map(contrast => `Under Node ${line}: ${pairSentence(contrast, asked.names)}`)
}

/** @param {Asked} asked @param {RunRecord} record */
const contrastsOf = ({ pairs = [] }, { contrasts }) => pairs.flatMap(([arm, baseline]) =>
  contrasts.find(pair => pair.arm === arm && pair.baseline === baseline) ?? [])

/** The first pair, as an answer in the question's words; on one core with what a core each would change.
 * @param {Contrast} contrast @param {Asked} asked @param {RunRecord} record */
function ledSentence (contrast, { names = {}, lead }, { arms, environment: { cores } }) {
  const { verdict, ratio } = contrast
  const [arm, baseline] = [contrast.arm, contrast.baseline].map(name => arms.find(arm => arm.name === name))
  const projected = cores.served.length === 1 && isNumber(ratio) ? projectRatio(contrast, arm, baseline) : null
  const turns = projected !== null && (projected > 1) !== (Number(ratio) > 1)
  const led = verdict === 'faster' || verdict === 'slower' ? lead?.[verdict] : undefined
  const text = clauseOf(contrast, names)
  return (led ? `${led}${turns ? ' on one core' : ''}: ${text}` : capital(text)) +
    (projected === null
      ? '.'
      : '; with a second core for the proxy, projected from CPU time per request, about ' +
        `${projected.toFixed(2)} times as much.`)
}

/** What is ahead of the first pair's baseline, what shows no difference from it, and what is behind it.
 * @param {Asked} asked @param {Contrast[]} contrasts
 * @returns {{ sentence: string, of: Contrast[] } | null} of: the contrasts that it tells; null: none is valid */
function choiceOf ({ names = {}, lead }, contrasts) {
  const [{ baseline }] = contrasts
  const of = contrasts.filter(({ verdict, ...pair }) => pair.baseline === baseline && verdict !== 'invalid')
  if (of.length === 0) return null
  const [ahead, level, behind] = [['faster'], ['no-difference', 'inconclusive'], ['slower']]
    .map(verdicts => of.filter(({ verdict }) => verdicts.includes(verdict))
      .sort((a, b) => Number(b.ratio) - Number(a.ratio)))
  const named = (/** @type {string} */ name) => names[name] ?? name
  const base = named(baseline)
  const shares = (/** @type {Contrast[]} */ list) => listing(list.map(({ arm, ...interval }, i) =>
    `${named(arm)} ${i === 0 ? 'reaches ' : ''}${shareOf(interval)}`))
  if (ahead.length === 0) {
    const best = [baseline, ...level.map(({ arm }) => arm)].map(named).join(' or ')
    const which = level.length > 0 ? ' (no difference shown)' : ''
    return { of, sentence: `${best}${which}: ${shares([...level, ...behind])} of the throughput of ${base}.` }
  }
  const separated = listing(level.map(contrast => `${named(contrast.arm)}: ${estimateText(contrast)}`))
  const times = ahead.map((contrast, i) =>
    `${named(contrast.arm)} ${i === 0 ? 'serves ' : ''}${estimateText(contrast)}`)
  return {
    of,
    sentence: (lead && ahead.includes(contrasts[0]) ? `${lead.faster}: ${listing(times)}` : capital(listing(times))) +
      ` times as much as ${base}` +
      (level.length > 0 ? `; no difference was shown for ${separated}` : '') +
      (behind.length > 0 ? `; ${shares(behind)} of the latter's throughput` : '') + '.'
  }
}

/** @param {Contrast} contrast @param {Record<string, string>} [names] */
export const pairSentence = (contrast, names = {}) => `${capital(clauseOf(contrast, names))}.`

/** @param {Contrast} contrast @param {Record<string, string>} names */
function clauseOf (contrast, names) {
  const { arm, baseline, verdict, ratio } = contrast
  const [a, b] = [arm, baseline].map(name => names[name] ?? name)
  if (verdict === 'invalid') return `${a} against ${b} could not be measured`
  if (verdict === 'no-difference') return `${a} and ${b} have equal throughput: ${estimateText(contrast)}`
  if (verdict === 'inconclusive') {
    return `whether ${a} or ${b} serves more is open on this machine: ${estimateText(contrast)}`
  }
  return Number(ratio) < 1
    ? `${a} reaches ${shareOf(contrast)} of the throughput of ${b}`
    : `${a} serves ${estimateText(contrast)} times as much as ${b}`
}

/** @param {Ratio} interval @param {(value: number) => number} [from] what is printed of a ratio
 * @returns {string} "14 % (13 to 16 %)" */
export function shareOf (interval, from = value => value) {
  const digits = Math.max(0, decimals(interval) - 2)
  const print = (/** @type {number | null} */ value) => isNumber(value) ? number(from(value) * 100, digits) : NONE
  const [low, high] = [print(interval.low), print(interval.high)]
  return `${print(interval.ratio)} %${low === NONE || high === NONE ? '' : ` (${low} to ${high} %)`}`
}

/** With its sign. @param {Ratio} interval @returns {string} "+14 % (+13 to +16 %)" */
export const changeOf = interval =>
  shareOf(interval, ratio => ratio - 1).replace(/(^|\(|to )(?=\d)/g, (_, before) => `${before}+`)

/** With the sign that is printed, a minus. @param {number} value @param {number} digits */
const number = (value, digits) => value.toFixed(digits).replace('-', '−')

/** Names of programs stay as they are written. @param {string} text */
const capital = text =>
  /^(an?|one|plain|pooled|the|whether) /.test(text) ? text.slice(0, 1).toUpperCase() + text.slice(1) : text
