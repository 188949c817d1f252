/** Figures of claims and the conditions that differ from those of a publication, as sentences (pure). */
import { conditionsOf, differences } from './conditions.js'
import { isNumber, listing } from '../shared/format.js'
import { contrast } from './phrases.js'

/** @import { ClaimResult, RunRecord } from '../types.js' */

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
  const { measured, low, high, oneSided } = claim
  if (isNumber(measured)) {
    const { arm, baseline } = findArms(claim, record)
    return contrast({ low, high, oneSided: oneSided ?? null, arm, baseline, ratio: measured }, record, 'cell')
  }
  return typeof measured === 'string' ? measured : null
}

/**
 * Returns the names of the arms whose rates a claim compares. A claim about costs names no arms, so that its ratio has
 * no remark about saturation.
 * @param {ClaimResult} claim
 * @param {ClaimContext} record
 */
function findArms ({ id }, { plan }) {
  const test = plan.claims.find(planned => planned.id === id)?.test
  return test?.kind === 'ratio' && (test.of ?? 'rate') === 'rate' ? test : { arm: '', baseline: '' }
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
