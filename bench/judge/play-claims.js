/** Claims about the plays of a scenario: the arms in which requests fail, and ratios of further figures (pure). */
import { CLAIM_TOLERANCE } from '../shared/thresholds.js'
import { toJudged } from './error-claims.js'
import { PLACE_WORDS, placeOf, STATUS_BY_PLACE } from './margin.js'
import { countFailures } from './plays.js'

/** @import { ArmResult, ClaimTest, ClaimWhy } from '../types.js' */
/** @import { Judged } from './claims.js' */

const FEWEST_PLAYS = 2 // Fewer have no range.

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
