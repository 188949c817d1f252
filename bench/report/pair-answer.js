/** The answer of a run by contrasts: those that its experiment declares, or all of a typed comparison (pure). */
import { plural } from '../shared/format.js'
import { groupBy } from '../shared/group-by.js'
import { contrast as word, getEffect, startSentence } from './phrases.js'
import { wrap } from './wrap.js'

/** @import { ArmResult, Contrast, RunRecord } from '../types.js' */

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

/** @typedef {{ contrast: Contrast, action: string, baseline: string }} NamedPair */

/**
 * Returns the contrasts that answer the question of a run, and the answer in one sentence.
 * @param {RunRecord} record
 * @returns {{ text: string, contrasts: Contrast[] } | null} null: the run has no contrast
 */
export function pairAnswer (record) {
  const declared = listDeclared(record)
  const pairs = declared.length > 0 ? declared : derivePairs(record)
  if (pairs.length === 0) return null
  const amount = declared.length > 0 ? pairs.length : record.contrasts.length
  // Decided contrasts first, because the last ones are left out.
  const ordered = pairs.toSorted((a, b) => Number(isUndecided(a)) - Number(isUndecided(b)))
  for (let shown = ordered.length; ; shown--) {
    const named = ordered.slice(0, shown)
    const missing = amount - shown
    const text = `${startSentence(wordPairs(named, record))}${
      missing > 0 ? `; ${plural(missing, 'further comparison')} below` : ''}.`
    if (shown > 1 && wrap(text, ANSWER.columns).length > ANSWER.lines) continue
    return { text, contrasts: named.map(({ contrast }) => contrast) }
  }
}

/** Returns whether the effect of a contrast is open or not measured. @param {NamedPair} pair */
const isUndecided = ({ contrast }) => ['open', 'unknown', 'invalid'].includes(getEffect(contrast))

/**
 * Words contrasts as one sentence without its full stop. Joins those with the same effect and baseline.
 * @param {NamedPair[]} pairs at least one
 * @param {RunRecord} record
 */
const wordPairs = (pairs, { arms, unit }) =>
  [...groupBy(pairs, ({ contrast, baseline }) => JSON.stringify([getEffect(contrast), baseline])).values()]
    .map(group => group.map(({ contrast, action, baseline }, i) =>
      word(contrast, { action, baseline, arms, unit, isContinued: i > 0 }, 'answer')).join(', '))
    .join('; ')

/**
 * Returns the contrasts that the experiment declares as its answer.
 * @param {RunRecord} record
 * @returns {NamedPair[]} empty: none is declared, or the run has none of them
 */
function listDeclared ({ plan: { answer: { pairs = [], names = {} } = {} }, contrasts }) {
  const toName = (/** @type {string} */ arm) => Object.hasOwn(names, arm) ? names[arm] : arm
  return pairs.flatMap(([arm, baseline, action = toName(arm)]) => {
    const contrast = contrasts.find(pair => pair.arm === arm && pair.baseline === baseline)
    return contrast ? [{ contrast, action, baseline: toName(baseline) }] : []
  })
}

/**
 * Derives the pairs of a comparison without a declaration.
 * @param {RunRecord} record
 * @returns {NamedPair[]}
 */
function derivePairs ({ arms, contrasts }) {
  const shown = contrasts.length > MOST_PAIRS + 1 ? contrasts.slice(0, MOST_PAIRS) : contrasts
  const actions = shown.map(contrast => describeProxy(contrast, arms) ?? contrast.arm)
  const isDistinct = new Set(actions).size === actions.length
  return shown.map((contrast, i) =>
    ({ contrast, action: isDistinct ? actions[i] : contrast.arm, baseline: contrast.baseline }))
}

/**
 * Describes an arm that differs from its baseline only by the proxy in front of it: "nginx in front over keepalive".
 * @param {Contrast} contrast
 * @param {ArmResult[]} arms
 * @returns {string | null} null: the arms differ in something else
 */
function describeProxy ({ arm, baseline }, arms) {
  const [front, alone] = [arm, baseline].map(name => arms.find(arm => arm.name === name))
  if (!front?.topology.proxy || !alone || alone.topology.proxy || !front.topology.server) return null
  const { name, transport } = front.topology.proxy
  const [head, ...rest] = front.spec.split('/')
  if (rest.join('/') !== alone.spec || !transport || !Object.hasOwn(TRANSPORT_WORDS, transport)) return null
  const options = head.indexOf('+')
  const words = `${name} in front ${TRANSPORT_WORDS[transport]}`
  return options === -1 ? words : `${words} with ${head.slice(options)}`
}
