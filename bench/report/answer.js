/** Answers of runs in one or two sentences (pure). */
import { listRated } from '../judge/ahead.js'
import { getMicros, lacksCores, projectProcesses } from '../judge/scaling.js'
import { NONE, count, listing, micros, plural } from '../shared/format.js'
import { groupBy, toRecord } from '../shared/group-by.js'
import { FRESH_CONNECTIONS_MIN } from '../shared/thresholds.js'
import { errorsOf } from '../shared/trial.js'
import { unitOf } from '../shared/units.js'
import { hasErrors, printRateInterval, whyInvalid } from './tables/arms.js'
import { findWinner, lacksComparison } from './winner.js'
import { compact, wrap } from './wrap.js'
import { contrastClause, getEffect, projection, startSentence } from './phrases.js'

/** @import { Answer, ArmResult, Contrast, Kind, RunRecord } from '../types.js' */

const MAX_NAMED = 3 // A longer list of arms hides the answer.
export const NO_MEASUREMENT = 'There is no valid measurement.'

/**
 * Returns the function that answers runs of a kind. A smoke test has its own answer.
 * @param {(record: RunRecord, options?: { ranges?: boolean }) => string | { text: string, contrasts: Contrast[] }}
 *   answer without regard to an interruption
 * @returns {Kind<RunRecord>['answer']}
 */
export const runAnswer = answer => (record, options) => {
  const found = record.plan.smoke ? smokeAnswer(record) : answer(record, options)
  return finishAnswer(record, typeof found === 'string' ? { text: found } : found)
}

/**
 * Adds to an answer that the run was interrupted.
 * @param {RunRecord} record
 * @param {{ text: string, contrasts?: Contrast[] }} answer
 * @param {string} [interrupted] sentence before the answer of a run that has not ended
 * @returns {Answer}
 */
export function finishAnswer (record, { text, contrasts = [] }, interrupted =
  `The run was interrupted after ${plural(record.timing.blocks, 'block')}.`) {
  const isWhole = record.complete || record.plan.smoke || text === NO_MEASUREMENT
  return {
    text: `${isWhole ? '' : `${interrupted} `}${text}`,
    contrasts: contrasts.map(({ arm, baseline, level, verdict, ...interval }) =>
      ({ arm, baseline, ...toRecord(['ratio', 'low', 'high'], key => interval[key]), level, verdict }))
  }
}

/**
 * Returns the answer by contrasts, else by rates, or by errors where the experiment is about them.
 * @param {RunRecord} record
 */
export function throughputAnswer (record) {
  if (record.plan.answer?.by === 'errors') return errorsAnswer(record)
  const measured = listRated(record)
  if (measured.length === 0) return nothingValid(record)
  const pairs = lacksComparison(record) ? null : pairAnswer(record)
  return pairs ?? rateAnswer(record, measured)
}

/**
 * Returns why no arm has a result.
 * @param {RunRecord} record
 */
export function nothingValid ({ arms }) {
  // A message of a program has further lines and may end with a full stop.
  const why = arms.map(whyInvalid).find(Boolean)?.split('\n')[0].replace(/\.$/, '')
  return why ? `There is no valid measurement, because ${why}.` : NO_MEASUREMENT
}

/**
 * Returns which arms of a smoke test worked.
 * @param {RunRecord} record
 */
function smokeAnswer (record) {
  const arms = record.arms.filter(({ name }) => name !== record.plan.twin?.arm)
  const failed = arms.flatMap(arm => {
    const why = whyInvalid(arm)
    return why ? [`${arm.name} (${why})`] : []
  })
  if (arms.length === 0) return NO_MEASUREMENT
  if (failed.length > 0) return `${failed.length} of ${plural(arms.length, 'arm')} failed: ${listing(failed)}.`
  return `Everything works: ${arms.length === 1 ? 'the arm' : `all ${arms.length} arms`} served correct responses. ` +
    'A smoke test measures no difference.'
}

/**
 * Returns the rate of the only arm, or the arm with the highest rate where no contrast is valid.
 * @param {RunRecord} record
 * @param {ArmResult[]} measured at least one
 */
function rateAnswer (record, measured) {
  if (record.contrasts.length === 0 && measured.length === 1) return `${rateClause(measured[0], record)}.`
  const winner = findWinner(record)
  if (!winner) return NO_MEASUREMENT
  const { arm, undecided } = winner
  if (lacksComparison(record)) return `There is no valid comparison. ${rateClause(arm, record)}.`
  const rate = printRate(arm, record)
  if (undecided.length === 0) return `${arm.name} is the fastest: ${rate}.`
  const others = undecided.length > MAX_NAMED ? `${count(undecided.length)} of the others` : listing(undecided)
  return `${arm.name} had the highest rate (${rate}), but no verdict separates it from ${others}.`
}

/** @type {(arm: ArmResult, record: Pick<RunRecord, 'unit'>) => string} */
function printRate ({ rps }, { unit }) {
  const { print, perSecond } = unitOf(unit)
  return `${print(rps?.median)} ${perSecond}`
}

/**
 * Returns the rate of one arm, its interval and its bottleneck.
 * @param {ArmResult} arm
 * @param {Pick<RunRecord, 'unit'>} record
 */
function rateClause (arm, record) {
  const { name, rps, bound } = arm
  const { print } = unitOf(record.unit)
  const range = printRateInterval(rps, print)
  const rate = `${printRate(arm, record)}${range === NONE ? '' : ` (${range})`}`
  switch (bound) {
    case 'load': return `${name}: at least ${rate}, because the load generator was the limit`
    case 'network': return `${name}: at least ${rate}, because the link was the limit`
    case 'proxy':
    case 'server': return `${name}: ${rate}, limited by the ${bound}`
    default: return `${name}: ${rate}`
  }
}

/** Returns the name of an arm in an answer. @type {(arm: { name: string }, record: RunRecord) => string} */
const toArmName = ({ name }, { plan: { answer: { names = {} } = {} } }) =>
  Object.hasOwn(names, name) ? names[name] : name

/**
 * Returns the arms in which requests failed, and those in which none did.
 * @param {RunRecord} record
 */
function errorsAnswer (record) {
  const measured = record.arms.filter(arm => arm.name !== record.plan.twin?.arm && !arm.invalid && hasOutcome(arm))
  const failed = measured.filter(hasErrors)
    .map(arm => `${toArmName(arm, record)} (${plural(errorsOf(arm.errors), 'error')})`)
  const held = measured.filter(arm => !hasErrors(arm)).map(arm => toArmName(arm, record))
  if (measured.length === 0) return nothingValid(record)
  return compact([
    failed.length > 0 && `Requests failed with ${listFirst(failed)}.`,
    held.length > 0 && `No request failed with ${listFirst(held)}.`
  ]).join(' ')
}

/** Returns whether an arm has a valid trial or errors. @param {ArmResult} arm */
export const hasOutcome = arm => arm.trials > arm.invalidTrials.length || hasErrors(arm)

/** Lists the first items, and the number of the others. @param {string[]} items */
const listFirst = items => listing(items.length > MAX_NAMED + 1
  ? [...items.slice(0, MAX_NAMED), `${count(items.length - MAX_NAMED)} others`]
  : items)

/** Pairs in an answer without a declaration. A longer list hides the answer; the table has all of them. */
const MAX_PAIRS = 4
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
function pairAnswer (record) {
  const declared = listDeclared(record)
  const pairs = declared.length > 0 ? declared : derivePairs(record)
  if (pairs.length === 0) return null
  const amount = declared.length > 0 ? pairs.length : record.contrasts.length
  const grows = (/** @type {NamedPair} */ pair) => growsBeyondCores(pair, record)
  // Decided contrasts first, because the last ones are left out.
  const ordered = [...pairs.filter(grows), ...pairs.filter(pair => !grows(pair))
    .toSorted((a, b) => Number(isUndecided(a)) - Number(isUndecided(b)))]
  for (let shown = ordered.length; ; shown--) {
    const kept = ordered.slice(0, shown)
    const [grown, named] = [kept.filter(grows), kept.filter(pair => !grows(pair))]
    const clauses = [
      ...grown.length > 0 ? [wordGrowth(grown, record)] : [], ...named.length > 0 ? [wordPairs(named, record)] : []
    ]
    const hidden = ['', '; another comparison below'][amount - shown] ?? '; further comparisons below'
    const text = `${startSentence(clauses.join('; '))}${hidden}${findReason(record)}.`
    if (shown > 1 && wrap(text, ANSWER.columns).length > ANSWER.lines) continue
    return { text, contrasts: named.map(({ contrast }) => contrast) }
  }
}

/** Returns why an arm is slower, as its connections to the app prove. @param {RunRecord} record */
function findReason ({ plan: { answer: { fresh } = {} }, arms, contrasts }) {
  const { proof } = arms.find(({ name }) => name === fresh?.arm) ?? {}
  const isSlower = contrasts.some(({ arm, verdict }) => arm === fresh?.arm && verdict === 'slower')
  return fresh && isSlower && (proof?.upstreamConnectionsPerRequest ?? 0) >= FRESH_CONNECTIONS_MIN
    ? `: ${fresh.text}`
    : ''
}

/**
 * Returns whether a warm pair is about more processes than the machine has cores for.
 * @type {(pair: NamedPair, record: RunRecord) => boolean}
 */
const growsBeyondCores = ({ contrast: { arm, baseline, why } }, record) =>
  !['not-steady', 'drift', 'too-few-starts'].includes(why?.code ?? '') &&
  lacksCores(record, findArm(record, arm), findArm(record, baseline))

/** @type {(record: RunRecord, name: string) => ArmResult | undefined} */
const findArm = ({ arms }, name) => arms.find(arm => arm.name === name)

/**
 * Words the gain of more processes by calculation, or their CPU time if there are too few numbers of processes.
 * @param {NamedPair[]} pairs
 * @param {RunRecord} record
 */
function wordGrowth (pairs, record) {
  const why = `because the load shares the ${plural(record.environment.cpu.cores, 'core')}`
  const gains = pairs.map(({ contrast, action }) => {
    const arm = /** @type {ArmResult} */ (findArm(record, contrast.arm))
    return { action, gain: projectProcesses(record.arms, arm), micros: micros(getMicros(arm)) }
  })
  if (gains.every(({ gain }) => gain)) {
    return `with a core for each process ${listing(gains.flatMap(({ action, gain }) =>
      gain ? [projection(action, gain)] : []))} as ${pairs[0].baseline}: calculated from CPU time per request, ${why}`
  }
  const one = micros(getMicros(/** @type {ArmResult} */ (findArm(record, pairs[0].contrast.baseline))))
  return `a request takes ${one} µs of CPU time in ${pairs[0].baseline}, ${listing(gains.map(({ action, micros }) =>
    `${micros} µs in ${action}`))}; the gain of a core for each process is open, ${why}`
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
      contrastClause(contrast, { action, baseline, arms, unit, isContinued: i > 0 })).join(', '))
    .join('; ')

/**
 * Returns the contrasts that the experiment declares as its answer.
 * @param {RunRecord} record
 * @returns {NamedPair[]} empty: none is declared, or the run has none of them
 */
function listDeclared (record) {
  const { plan: { answer: { pairs = [] } = {} }, contrasts } = record
  const toName = (/** @type {string} */ name) => toArmName({ name }, record)
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
  const shown = contrasts.length > MAX_PAIRS + 1 ? contrasts.slice(0, MAX_PAIRS) : contrasts
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
