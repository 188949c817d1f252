/** Published figures against the measured ones (pure). A claim is judged by intervals only. */
import { listComparedArms } from '../../plan/experiment.js'
import { PLACE_WORDS, placeOf, STATUS_BY_PLACE, withinMargin } from '../margin.js'
import { judgeErrors, judgeFirstError, judgeLogged, toJudged } from './error-claims.js'
import { computeCoresLeft } from '../bottleneck.js'
import { listFigures, Measurements } from './claim-measurements.js'
import { widenUnboundedEnd } from '../verdict.js'
import { levelFor } from '../../plan/sample-size.js'
import { CLAIM_TOLERANCE, MARGIN } from '../../shared/thresholds.js'
import { countFailures } from '../plays.js'

/** @import { ArmResult, Claim, ClaimResult, ClaimTest, ClaimWhy, Contrast, Cores } from '../../types.js' */
/** @import { Interval, Plan, Quantity, Sample } from '../../types.js' */

const FEWEST_PLAYS = 2 // Fewer have no range.

/** @typedef {Pick<ClaimResult, 'measured' | 'low' | 'high' | 'oneSided' | 'status'> & { why: ClaimWhy[] }} Judged */

/**
 * @param {Plan} plan
 * @param {ArmResult[]} arms
 * @param {Contrast[]} contrasts
 * @param {Sample[]} samples
 * @param {Cores} [cores] left out: enough for every claim
 * @returns {ClaimResult[]} in the order of the plan
 */
export function judgeClaims (plan, arms, contrasts, samples, cores) {
  const run = { plan, arms, samples, cores, measurements: new Measurements({ plan, arms, contrasts, samples }) }
  return plan.claims.map(claim => {
    const { id, source, statement, published, conditions } = claim
    return { id, source, statement, published, ...conditions && { conditions }, ...judgeClaim(claim, run) }
  })
}

/**
 * @param {Claim} claim
 * @param {{ plan: Plan, arms: ArmResult[], samples: Sample[], cores?: Cores, measurements: Measurements }} run
 * @returns {Judged}
 */
function judgeClaim (claim, { plan, arms, samples, cores, measurements }) {
  const { test, published } = claim
  const tooFewCores = explainTooFewCores(claim, arms, cores)
  if (tooFewCores) return notTestable(tooFewCores)
  if (test.kind === 'first-error-at') return judgeFirstError(test, plan, samples)

  const named = listComparedArms(test).map(name => ({ name, result: arms.find(arm => arm.name === name) }))
  const missing = named.find(({ result }) => !result)
  if (missing) return notTestable({ code: 'arm-not-run', params: { arm: missing.name } })
  if (test.kind === 'errors') return judgeErrors(test, samples)
  if (test.kind === 'logged') return judgeLogged(test, samples)

  for (const { name, result } of named) {
    if (result?.invalid) return notTestable({ code: 'arm-invalid', params: { arm: name, reason: result.invalid } })
  }
  if (test.kind === 'failures') return judgeFailures(test, arms)
  if (test.kind === 'figure') return judgeFigure(test, Number(published), arms)
  if (test.kind === 'ratio') return judgeRatio(test, Number(published), measurements)
  const steps = test.kind === 'order' ? toOrderSteps(test) : toFlatSteps(test)
  const { of = 'rate' } = test.kind === 'order' ? test : {}
  const measured = listFigures(test.arms, arms, { of, unit: plan.unit, isOrder: test.kind === 'order' })
  return { ...judgeSteps(steps, of, measurements), measured }
}

/**
 * Returns why the served side has too few cores for a claim about several processes. The CPU time of the generator is
 * subtracted from shared cores.
 *
 * @param {Claim} claim
 * @param {ArmResult[]} arms
 * @param {Cores} [cores]
 * @returns {ClaimWhy | null}
 */
function explainTooFewCores ({ test, needsCores = 1 }, arms, cores) {
  if (!cores || needsCores === 1) return null
  const generatorCores = arms.filter(({ name }) => listComparedArms(test).includes(name)).map(arm =>
    arm.cpuMicrosPerRequest && arm.rps ? arm.cpuMicrosPerRequest.load * arm.rps.median / 1e6 : 0
  )
  const left = computeCoresLeft(cores, Math.max(0, ...generatorCores))
  if (needsCores <= left) return null
  return { code: 'too-few-cores', params: { needed: needsCores, cores: cores.served.length, left } }
}

/**
 * @param {ClaimWhy} why
 * @returns {Judged}
 */
const notTestable = why => ({ measured: null, low: null, high: null, status: 'not-testable', why: [why] })

/**
 * @param {ClaimTest & { kind: 'ratio' }} test
 * @param {number} published
 * @param {Measurements} measurements
 * @returns {Judged}
 */
function judgeRatio ({ arm, baseline, tolerance = CLAIM_TOLERANCE, of }, published, measurements) {
  if (!(published > 0)) return notTestable({ code: 'no-published-ratio', params: {} })
  const { ratio, interval, bound, notes, missing } = measurements.compare(arm, baseline, { of })
  if (missing) {
    const measured = Number.isNaN(ratio) ? null : ratio
    return { measured, low: null, high: null, status: 'inconclusive', why: [missing] }
  }
  const range = { low: published / tolerance, high: published * tolerance }
  const figures = {
    measured: ratio,
    low: interval.low,
    high: Number.isFinite(interval.high) ? interval.high : null,
    ...bound && bound.side !== 'nothing' && { oneSided: bound.side }
  }
  const place = placeOf(interval, range)
  // A bound decides a claim only if the published ratio is on its other side.
  if (bound && place !== 'across' && placeOf(widenUnboundedEnd(interval, bound.side), range) === 'across') {
    return { ...figures, status: 'inconclusive', why: [{ code: 'not-saturated', params: { arm: bound.arm } }] }
  }
  return {
    ...figures,
    status: STATUS_BY_PLACE[place],
    why: [{ code: 'ratio-place', params: { place: PLACE_WORDS[place], tolerance } }, ...notes]
  }
}

/**
 * @typedef {object} Steps pairs of arms whose ratios a claim restricts to a range
 * @property {[string, string][]} pairs
 * @property {Interval} range
 * @property {ClaimWhy} holds every ratio is within the range
 * @property {(pair: [string, string]) => ClaimWhy} fails
 * @property {(pair: [string, string]) => ClaimWhy} open
 */

/**
 * Each arm has to exceed the next one by the margin.
 *
 * @param {ClaimTest & { kind: 'order' }} test
 * @returns {Steps}
 */
function toOrderSteps ({ arms, of = 'rate' }) {
  const toParams = (/** @type {[string, string]} */ [more, less]) => ({ more, less, margin: MARGIN, of })
  return {
    pairs: arms.slice(1).map((less, i) => [arms[i], less]),
    range: { low: 1 + MARGIN, high: Infinity },
    holds: { code: 'order-holds', params: { margin: MARGIN } },
    fails: pair => ({ code: 'order-fails', params: toParams(pair) }),
    open: pair => ({ code: 'order-open', params: toParams(pair) })
  }
}

/**
 * Each arm has to be within the margin of the first.
 *
 * @param {ClaimTest & { kind: 'flat' }} test
 * @returns {Steps}
 */
function toFlatSteps ({ arms: [first, ...others], margin = MARGIN }) {
  return {
    pairs: others.map(arm => [arm, first]),
    range: withinMargin(margin),
    holds: { code: 'flat-holds', params: { first, margin } },
    fails: ([arm]) => ({ code: 'flat-fails', params: { arm, first, margin } }),
    open: ([arm]) => ({ code: 'flat-open', params: { arm, first, margin } })
  }
}

/**
 * Judges a claim about several pairs: confirmed if every ratio is within the range, refuted if one is outside. The
 * pairs share one probability of error, because a single wrong interval can change the status.
 *
 * @param {Steps} steps
 * @param {Quantity} of
 * @param {Measurements} measurements
 * @returns {Judged}
 */
function judgeSteps ({ pairs, range, holds, fails, open }, of, measurements) {
  if (pairs.length === 0) return notTestable({ code: 'single-arm', params: {} })
  const level = levelFor(pairs.length)
  const judged = pairs.map(pair => {
    const { interval, notes, missing } = measurements.compare(pair[0], pair[1], { level, of })
    return { pair, notes, missing, status: missing ? 'inconclusive' : STATUS_BY_PLACE[placeOf(interval, range)] }
  })
  const conclude = (/** @type {ClaimResult['status']} */ status, /** @type {ClaimWhy[]} */ why) =>
    ({ measured: null, low: null, high: null, status, why: removeDuplicates(why) })

  const refuted = judged.find(({ status }) => status === 'refuted')
  if (refuted) return conclude('refuted', [fails(refuted.pair), ...refuted.notes])
  const undecided = judged.find(({ status }) => status === 'inconclusive')
  if (undecided) {
    const reasons = undecided.missing ? [undecided.missing] : undecided.notes
    return conclude('inconclusive', [open(undecided.pair), ...reasons])
  }
  return conclude('confirmed', [holds, ...judged.flatMap(({ notes }) => notes)])
}

/** @param {ClaimWhy[]} list */
const removeDuplicates = list => [...new Map(list.map(why => [JSON.stringify(why), why])).values()]

/**
 * Judges the claim that requests fail in some arms, and in other arms do not. A single failure is enough, because the
 * gate admits only arms that respond correctly.
 *
 * @param {ClaimTest & { kind: 'failures' }} test
 * @param {ArmResult[]} arms
 * @returns {Judged}
 */
export function judgeFailures ({ in: claimedIn, notIn, group }, arms) {
  const found = [...claimedIn, ...notIn].map(name => {
    const arm = /** @type {ArmResult} */ (arms.find(arm => arm.name === name))
    const groups = arm.plays?.groups.filter(({ name: kind }) => group === undefined || kind === group) ?? []
    const sent = groups.reduce((sum, { requests }) => sum + requests, 0)
    const failed = groups.reduce((sum, { counts }) => sum + countFailures(arm, counts), 0)
    return { name, sent, failed, agrees: (failed > 0) === claimedIn.includes(name) }
  })
  const figures = found.map(({ name, sent, failed }) => `${name}: ${failed} of ${sent}`).join(', ')
  const measured = `${figures} requests failed`
  const unplayed = found.find(({ sent }) => sent === 0)
  if (unplayed) {
    const params = { arm: unplayed.name, trials: 0, needed: 1 }
    return toJudged(measured, 'inconclusive', { code: 'too-few-trials', params })
  }
  const contrary = found.find(({ agrees }) => !agrees)
  if (!contrary) return toJudged(measured, 'confirmed', { code: 'trials-agree', params: {} })
  const where = contrary.failed > 0 ? 'all' : 'none'
  return toJudged(measured, 'refuted',
    { code: 'trials-disagree', params: { arm: contrary.name, logged: null, in: where } })
}

/**
 * Judges the claim that a figure of two arms has a ratio. The interval reaches from the lowest to the highest ratio of
 * any two plays.
 *
 * @param {ClaimTest & { kind: 'figure' }} test
 * @param {number} published
 * @param {ArmResult[]} arms
 * @returns {Judged}
 */
export function judgeFigure ({ figure, arm, baseline, tolerance = CLAIM_TOLERANCE }, published, arms) {
  const [over, under] = [arm, baseline].map(name => {
    const plays = arms.find(result => result.name === name)?.plays
    return { name, plays: plays?.plays ?? 0, found: plays?.figures.find(({ name }) => name === figure) }
  })
  const short = [over, under].find(({ plays, found }) => plays < FEWEST_PLAYS || !found)
  if (short || !over.found || !under.found) {
    const params = { arm: short?.name ?? arm, trials: short?.plays ?? 0, needed: FEWEST_PLAYS }
    return toJudged(null, 'inconclusive', { code: 'too-few-trials', params })
  }
  const interval = { low: over.found.low / under.found.high, high: over.found.high / under.found.low }
  const place = placeOf(interval, { low: published / tolerance, high: published * tolerance })
  return {
    measured: over.found.value / under.found.value,
    low: interval.low,
    high: Number.isFinite(interval.high) ? interval.high : null,
    status: STATUS_BY_PLACE[place],
    why: [{ code: 'ratio-place', params: { place: PLACE_WORDS[place], tolerance } }]
  }
}
