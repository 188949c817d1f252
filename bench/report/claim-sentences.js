/** Figures of claims and the conditions that differ from those of a publication, as sentences (pure). */
import { findBound, printRatio } from './bounds.js'
import { conditionsOf, differences } from './conditions.js'
import { isNumber, listing } from '../shared/format.js'
import { CLAIM_TOLERANCE } from '../shared/thresholds.js'

/** @import { ClaimResult, Contrast, RunRecord } from '../types.js' */

/** @typedef {Pick<RunRecord, 'arms' | 'plan'>} ClaimContext */

/**
 * Prints the published and the measured figure of a claim.
 * @param {ClaimResult} claim
 * @param {ClaimContext} record
 */
export function claimFigures (claim, record) {
  const { published, source } = claim
  const publishedText = isNumber(published) ? published.toFixed(2) : published
  const measured = measuredText(claim, record)
  return `published ${publishedText} (${source.author} ${source.year}), ` +
    (measured === null ? 'not measured' : `measured ${measured}`)
}

/**
 * Prints the measured figure of a claim. Prints a ratio as a bound if one arm was not saturated.
 * @param {ClaimResult} claim
 * @param {ClaimContext} record
 * @returns {string | null} null: not measured
 */
export function measuredText (claim, record) {
  const { measured } = claim
  if (isNumber(measured)) return printRatio(toPair(claim, record), record.arms)
  return typeof measured === 'string' ? measured : null
}

/**
 * Returns a claim as inconclusive if its ratio is a bound that does not exclude the published ratio, and otherwise
 * unchanged. Stored results treat the rate of an arm that was not saturated as its capacity.
 * @param {ClaimResult} claim
 * @param {ClaimContext} record
 * @returns {ClaimResult}
 */
export function judgeClaimBound (claim, record) {
  const { published, status } = claim
  const pair = toPair(claim, record)
  const bound = findBound(pair, record.arms)
  if (bound === null || !isNumber(published) || !['confirmed', 'refuted'].includes(status)) return claim
  const isExcluded = bound === 'at-most'
    ? (pair.high ?? Infinity) < published / pair.tolerance
    : (pair.low ?? 0) > published * pair.tolerance
  if (isExcluded) return claim
  const arm = bound === 'at-most' ? pair.baseline : pair.arm
  return { ...claim, status: 'inconclusive', why: [{ code: 'not-saturated', params: { arm } }] }
}

/**
 * Returns in which direction the true ratio of a claim may differ.
 * @param {ClaimResult} claim
 * @param {ClaimContext} record
 */
export const findClaimBound = (claim, record) => findBound(toPair(claim, record), record.arms)

/**
 * Returns the ratio of a claim as a contrast of the arms that it compares. A ratio of costs has no arms, so that no
 * bound is found for it.
 * @param {ClaimResult} claim
 * @param {ClaimContext} record
 */
function toPair ({ id, measured, low, high }, { plan }) {
  const test = plan.claims.find(planned => planned.id === id)?.test
  const isOfRates = test?.kind === 'ratio' && (test.of ?? 'rate') === 'rate'
  const { arm, baseline, tolerance = CLAIM_TOLERANCE } = isOfRates
    ? test
    : { arm: '', baseline: '', tolerance: undefined }
  return { arm, baseline, tolerance, ratio: Number(measured), low, high, oneSided: null, verdict: toVerdict(low, high) }
}

/** @type {(low: number | null, high: number | null) => Contrast['verdict']} */
function toVerdict (low, high) {
  if (low !== null && low > 1) return 'faster'
  return high !== null && high < 1 ? 'slower' : 'inconclusive'
}

/**
 * Lists the conditions that differ from each publication, so that a figure is only reproduced and not confirmed.
 * @param {RunRecord} record
 */
export function conditionSentences (record) {
  const bySource = new Map(record.claims.filter(({ status }) => status !== 'not-testable')
    .map(claim => [claim.source.title, claim]))
  return [...bySource.values()].flatMap(claim => {
    const differ = differences(conditionsOf(claim), record)
    const { author, year } = claim.source
    return differ.length === 0 ? [] : [`Different from ${author} ${year}: ${listing(differ)}.`]
  })
}
