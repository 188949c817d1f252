/** Words of the contrasts that answer the question of a run (pure). */
import { isHeldBack } from '../judge/verdict.js'
import { estimate, NONE, percent } from '../shared/format.js'
import { NOT_SATURATED } from './bounds.js'
import { distanceFromOne } from './contrast-sentences.js'
import { changeRange, printShare, shareParts } from './share-text.js'

/** @import { Contrast, Unit } from '../types.js' */

/** @typedef {'slower' | 'faster' | 'times' | 'equal' | 'open' | 'unknown' | 'invalid'} Effect */

/** Ratio from which a gain is printed as a factor, because "198 % more" is read as one of 1.98. */
const LEAST_FACTOR = 2
const THE_LIMIT = 'the load generator or the link was the limit'

/**
 * Returns the kind of a contrast, which decides its words.
 * @param {Contrast} contrast
 * @returns {Effect}
 */
export function getEffect (contrast) {
  const { verdict, ratio } = contrast
  if (verdict === 'invalid') return 'invalid'
  if (isHeldBack(contrast)) return 'unknown'
  if (verdict === 'inconclusive') return 'open'
  if (verdict === 'no-difference') return 'equal'
  return verdict === 'faster' && Number(ratio) >= LEAST_FACTOR ? 'times' : verdict
}

/** Loss and gain as shares of the baseline. */
const toLoss = (/** @type {number} */ ratio) => 1 - ratio
const toGain = (/** @type {number} */ ratio) => ratio - 1

/**
 * Prints the range of an estimate in parentheses after a space, with a remark if an arm was not saturated.
 * @param {Contrast} contrast
 * @param {string} range
 */
const inParentheses = ({ measures }, range) =>
  ` (${range}${measures === 'hand-off latency' ? `, ${NOT_SATURATED}` : ''})`

/**
 * Returns the size of a difference in percent, or its bound.
 * @param {Contrast} contrast
 * @param {(ratio: number) => number} toShare
 * @returns {{ amount: string, range: string }} range: in parentheses after a space, or empty
 */
function sizeInPercent (contrast, toShare) {
  const { oneSided, verdict, low, high } = contrast
  if (!oneSided) {
    const { share, range } = shareParts(contrast, toShare)
    return { amount: share, range: range === null ? '' : inParentheses(contrast, range) }
  }
  const end = oneSided === 'at-least' ? low : high
  // A lower bound of the ratio is an upper bound of a loss.
  const word = (oneSided === 'at-least') === (verdict === 'faster') ? 'at least' : 'at most'
  return { amount: `${word} ${printShare({ ratio: end, low: null, high: null }, toShare)}`, range: '' }
}

/**
 * Returns a ratio as a factor, or its bound.
 * @param {Contrast} contrast
 */
function sizeAsFactor (contrast) {
  const { ratio, low, high, interval } = estimate(contrast)
  if (contrast.oneSided === 'at-least') return { amount: `at least ${low}`, range: '' }
  if (contrast.oneSided === 'at-most') return { amount: `at most ${high}`, range: '' }
  return { amount: ratio, range: interval === NONE ? '' : inParentheses(contrast, interval) }
}

/**
 * Prints the range of an undecided contrast in parentheses, or why it is a bound.
 * @param {Contrast} contrast
 */
function openRange (contrast) {
  const { why } = contrast
  switch (why?.code) {
    case 'not-saturated':
      return ` (${sizeAsFactor(contrast).amount} times as much, because ${why.params.arm} was not saturated)`
    case 'not-steady':
    case 'drift':
      return ' (not warm)'
    case 'generator-bound-arm':
    case 'generator-bound-baseline':
      return ' (the load generator was the limit in one of them)'
    default:
      return inParentheses(contrast, changeRange(contrast) ?? 'too few blocks')
  }
}

/** Prints the largest difference of equal arms. @param {Contrast} contrast */
const mostApart = contrast => percent(distanceFromOne(contrast))

/** @typedef {{ contrast: Contrast, words: string }} WordedPair */

/**
 * Words the contrasts of one kind as a clause about a subject: "nginx in front costs 19 % of throughput (12 to 26 %)
 * over a pooled Unix socket, 27 % (21 to 32 %) over keepalive".
 * @param {Effect} effect
 * @param {WordedPair[]} pairs at least one
 * @param {string} subject
 * @returns {string}
 */
export function changeClause (effect, pairs, subject) {
  const list = (/** @type {(contrast: Contrast, isFirst: boolean) => string} */ print) => pairs
    .map(({ contrast, words }, i) => `${print(contrast, i === 0)} ${words}`).join(', ')
  const places = pairs.map(({ words }) => words).join(', ')
  switch (effect) {
    case 'slower':
      return `${subject} costs ${list((contrast, isFirst) => {
        const { amount, range } = sizeInPercent(contrast, toLoss)
        return `${amount}${isFirst ? ' of throughput' : ''}${range}`
      })}`
    case 'faster':
      return `${subject} raises throughput ${list(contrast => {
        const { amount, range } = sizeInPercent(contrast, toGain)
        return `by ${amount}${range}`
      })}`
    case 'times':
      return `${subject} multiplies throughput ${list(contrast => {
        const { amount, range } = sizeAsFactor(contrast)
        return `by ${amount}${range}`
      })}`
    case 'equal':
      return `${subject} changes throughput ${list(contrast => `by at most ${mostApart(contrast)}`)}`
    case 'open':
      return `whether ${subject} changes throughput is open ` +
        pairs.map(({ contrast, words }) => `${words}${openRange(contrast)}`).join(', ')
    case 'unknown':
      return `the effect of ${subject} is unknown ${places}, because ${THE_LIMIT} in both arms`
    default:
      return `there is no valid comparison ${places}`
  }
}

/**
 * Words for a rate by its unit: verb, noun of the unit, and whether the unit is counted.
 * @type {Record<Unit, { verb: string, noun: string, many: 'much' | 'many', less: 'less' | 'fewer' }>}
 */
const RATE_WORDS = {
  requests: { verb: 'serves', noun: '', many: 'much', less: 'less' },
  connections: { verb: 'accepts', noun: ' connections', many: 'many', less: 'fewer' },
  handshakes: { verb: 'completes', noun: ' handshakes', many: 'many', less: 'fewer' },
  bytes: { verb: 'sends', noun: '', many: 'much', less: 'less' },
  pages: { verb: 'serves', noun: ' page views', many: 'many', less: 'fewer' }
}

/**
 * Words the contrasts of one kind with the same baseline as a clause: "connect serves 45 % less than nginx (40 to
 * 50 %), sirv 20 % less (15 to 25 %)".
 * @param {Effect} effect
 * @param {WordedPair[]} pairs at least one; words: the name of the arm
 * @param {{ baseline: string, unit: Unit }} context baseline: name of the baseline
 * @returns {string}
 */
export function comparisonClause (effect, pairs, { baseline, unit }) {
  const { verb, noun, many, less } = RATE_WORDS[unit]
  const list = (/** @type {(contrast: Contrast, than: string) => string} */ print, as = 'than') => pairs
    .map(({ contrast, words }, i) => i === 0
      ? `${words} ${verb} ${print(contrast, `${noun} ${as} ${baseline}`)}`
      : `${words} ${print(contrast, '')}`)
    .join(', ')
  const names = pairs.map(({ words }) => words).join(', ')
  switch (effect) {
    case 'slower':
      return list((contrast, than) => {
        const { amount, range } = sizeInPercent(contrast, toLoss)
        return `${amount} ${less}${than}${range}`
      })
    case 'faster':
      return list((contrast, than) => {
        const { amount, range } = sizeInPercent(contrast, toGain)
        return `${amount} more${than}${range}`
      })
    case 'times':
      return list((contrast, than) => {
        const { amount, range } = sizeAsFactor(contrast)
        return `${amount} times${than === '' ? '' : ` as ${many}${than}`}${range}`
      }, 'as')
    case 'equal':
      return list((contrast, than) => `as ${many}${than} (at most ${mostApart(contrast)} apart)`, 'as')
    case 'open': {
      const compared = `${verb} more or ${less}${noun} than ${baseline} is open`
      if (pairs.length === 1) return `whether ${names} ${compared}${openRange(pairs[0].contrast)}`
      const arms = pairs.map(({ contrast, words }) => `${words}${openRange(contrast)}`)
      return `whether ${arms.slice(0, -1).join(', ')} or ${arms.at(-1)} ${compared}`
    }
    case 'unknown':
      return `the ratio of ${names} to ${baseline} is unknown, because ${THE_LIMIT} in both arms`
    default:
      return `there is no valid comparison of ${names} with ${baseline}`
  }
}
