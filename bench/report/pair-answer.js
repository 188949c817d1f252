/** The answer of a run by contrasts: those that its experiment declares, or all of a typed comparison (pure). */
import { capitalize, plural } from '../shared/format.js'
import { groupBy } from '../shared/group-by.js'
import { changeClause, comparisonClause, getEffect } from './effect-words.js'
import { wrap } from './wrap.js'

/** @import { AnswerWords, ArmResult, Contrast, RunRecord } from '../types.js' */
/** @import { Effect, WordedPair } from './effect-words.js' */

/** Pairs in an answer without a declaration. A longer list hides the answer; the table has all of them. */
const MOST_PAIRS = 4
/** Size of an answer on a terminal. A longer one is read after the table. */
const ANSWER = { lines: 3, columns: 80 }

/** @type {Record<string, string>} */
const TRANSPORT_WORDS = {
  tcp: 'over new TCP connections',
  keepalive: 'over keepalive',
  uds: 'over new Unix socket connections',
  'uds-keepalive': 'over a pooled Unix socket'
}

/**
 * Returns the contrasts that answer the question of a run, and the answer in one sentence.
 * @param {RunRecord} record
 * @returns {{ text: string, contrasts: Contrast[] } | null} null: the run has no contrast
 */
export function pairAnswer (record) {
  const declared = findDeclared(record)
  const answer = declared ?? derive(record)
  const { pairs } = answer
  if (pairs.length === 0) return null
  const amount = declared ? pairs.length : record.contrasts.length
  // Decided contrasts first, because the last ones are left out.
  const ordered = pairs.toSorted((a, b) => Number(isOpen(a)) - Number(isOpen(b)))
  for (let shown = ordered.length; ; shown--) {
    const named = ordered.slice(0, shown)
    const text = toSentence({ ...answer, pairs: named }, record, amount - shown)
    if (shown > 1 && wrap(text, ANSWER.columns).length > ANSWER.lines) continue
    return { text, contrasts: named.map(({ contrast }) => contrast) }
  }
}

/** @type {(pair: WordedPair) => boolean} */
const isOpen = ({ contrast }) => isUndecided(getEffect(contrast))

/**
 * Words contrasts in one sentence.
 * @param {Declared} answer
 * @param {RunRecord} record
 * @param {number} missing number of contrasts that are left out
 */
function toSentence ({ subject, names = {}, pairs }, record, missing) {
  const text = subject === undefined
    ? compareByName(pairs, names, record)
    : describeChange(pairs, subject)
  return `${startSentence(text)}${missing > 0 ? `; ${plural(missing, 'further comparison')} below` : ''}.`
}

/** @typedef {{ subject?: string, names?: Record<string, string>, pairs: WordedPair[] }} Declared */

/**
 * Finds the contrasts that the experiment declares as its answer.
 * @param {RunRecord} record
 * @returns {Declared | null} null: none is declared, or the run has none of them
 */
function findDeclared ({ plan: { answer }, contrasts }) {
  if (!answer?.pairs) return null
  const pairs = answer.pairs.flatMap(([arm, baseline, words = arm]) => {
    const contrast = contrasts.find(pair => pair.arm === arm && pair.baseline === baseline)
    return contrast ? [{ contrast, words }] : []
  })
  return pairs.length === 0 ? null : { ...answer, pairs }
}

/**
 * Derives the answer of a comparison without a declaration.
 * @param {RunRecord} record
 * @returns {Declared}
 */
function derive ({ arms, contrasts }) {
  const shown = contrasts.length > MOST_PAIRS + 1 ? contrasts.slice(0, MOST_PAIRS) : contrasts
  const ways = shown.map(contrast => findProxyWords(contrast, arms))
  const [first] = ways
  const isSameProxy = first && ways.every(way => way?.proxy === first.proxy) &&
    new Set(ways.map(way => way?.words)).size === ways.length
  return isSameProxy
    ? {
        subject: `${first.proxy} in front`,
        pairs: shown.map((contrast, i) => ({ contrast, words: ways[i]?.words ?? '' }))
      }
    : { pairs: shown.map(contrast => ({ contrast, words: contrast.arm })) }
}

/**
 * Describes an arm that differs from its baseline only by the proxy in front of it.
 * @param {Contrast} contrast
 * @param {ArmResult[]} arms
 * @returns {{ proxy: string, words: string } | null} null: the arms differ in something else
 */
function findProxyWords ({ arm, baseline }, arms) {
  const [front, alone] = [arm, baseline].map(name => arms.find(arm => arm.name === name))
  if (!front?.topology.proxy || !alone || alone.topology.proxy || !front.topology.server) return null
  const { name, transport } = front.topology.proxy
  const [head, ...rest] = front.spec.split('/')
  if (rest.join('/') !== alone.spec || !transport || !Object.hasOwn(TRANSPORT_WORDS, transport)) return null
  const options = head.indexOf('+')
  const words = TRANSPORT_WORDS[transport]
  return { proxy: name, words: options === -1 ? words : `${words} with ${head.slice(options)}` }
}

/** Whether an effect leaves the question open. Answers name these last. @param {Effect} effect */
const isUndecided = effect => effect === 'open' || effect === 'unknown' || effect === 'invalid'

/**
 * Words contrasts as changes by a subject, those of one kind together.
 * @param {WordedPair[]} pairs
 * @param {string} subject
 */
function describeChange (pairs, subject) {
  const groups = [...groupBy(pairs, ({ contrast }) => getEffect(contrast))]
    .sort(([a], [b]) => Number(isUndecided(a)) - Number(isUndecided(b)))
  return groups.map(([effect, group], i) => changeClause(effect, group, i === 0 ? subject : 'it')).join('; ')
}

/**
 * Words contrasts as comparisons of names, those of one kind with the same baseline together.
 * @param {WordedPair[]} pairs words: the arm
 * @param {Record<string, string>} names of arms in the sentence
 * @param {Pick<RunRecord, 'arms' | 'unit'>} record
 */
function compareByName (pairs, names, { arms, unit }) {
  const toName = (/** @type {string} */ arm) => Object.hasOwn(names, arm) ? names[arm] : arm
  const named = pairs.map(({ contrast, words }) =>
    ({ contrast, words: toName(words), effect: getEffect(contrast) }))
  const groups = [...groupBy(named, ({ contrast, effect }) => JSON.stringify([effect, contrast.baseline])).values()]
    .sort(([a], [b]) => Number(isUndecided(a.effect)) - Number(isUndecided(b.effect)))
  return groups.map(group => {
    const [{ effect, contrast: { baseline } }] = group
    return comparisonClause(effect, group, { baseline: toName(baseline), unit })
  }).join('; ')
}

/** Capitalizes a sentence that does not begin with a name. @param {string} text */
const startSentence = text => /^(whether|the|there|an?|running|compressing) /.test(text) ? capitalize(text) : text
