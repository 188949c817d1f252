/** Figures of claims and the conditions that differ from those of a publication, as sentences (pure). */
import { conditionsOf, differences } from './conditions.js'
import { estimateText, isNumber, listing } from '../shared/format.js'

/** @import { ClaimResult, RunRecord } from '../types.js' */

/**
 * Prints the published and the measured figure of a claim.
 * @param {ClaimResult} claim
 */
export function claimFigures (claim) {
  const { published, source } = claim
  const publishedText = isNumber(published) ? published.toFixed(2) : published
  const measured = measuredText(claim)
  return `published ${publishedText} (${source.author} ${source.year}), ` +
    (measured === null ? 'not measured' : `measured ${measured}`)
}

/** @param {Pick<ClaimResult, 'measured' | 'low' | 'high'>} claim */
export function measuredText ({ measured, low, high }) {
  if (isNumber(measured)) return estimateText({ ratio: measured, low, high })
  return typeof measured === 'string' ? measured : null
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
