/** Rows of charts of ratios: contrasts and claims. */
import { isHeldBack } from '../judge/verdict.js'
import { isNumber } from '../shared/format.js'

/** @import { ClaimResult, Contrast, RatioRow, RunRecord, Verdict } from '../types.js' */

/** Verdict whose symbol and colour a claim has. @type {Record<ClaimResult['status'], Verdict>} */
const LOOKS_OF_CLAIMS = {
  confirmed: 'no-difference', refuted: 'invalid', inconclusive: 'inconclusive', 'not-testable': 'inconclusive'
}

/**
 * Returns the baseline that all contrasts share.
 * @param {Pick<RunRecord, 'contrasts'>} record
 * @returns {string | null}
 */
export function commonBaseline ({ contrasts }) {
  const [first, ...others] = new Set(contrasts.map(({ baseline }) => baseline))
  return first !== undefined && others.length === 0 ? first : null
}

/**
 * Returns a row for each contrast with a ratio. Excludes pairs in which the load generator was the bottleneck of both.
 * @param {Pick<RunRecord, 'contrasts'>} record
 * @returns {RatioRow[]}
 */
export function ratioRows ({ contrasts }) {
  const hasOneBaseline = commonBaseline({ contrasts }) !== null
  return contrasts.filter(contrast => isPositive(contrast.ratio) && !isHeldBack(contrast)).map(contrast => ({
    name: hasOneBaseline ? contrast.arm : `${contrast.arm} ÷ ${contrast.baseline}`,
    ratio: contrast.ratio,
    ...toDrawnEnds(contrast),
    look: contrast.verdict,
    title: `${contrast.arm} against ${contrast.baseline}: ${contrast.verdict.replace('-', ' ')}`
  }))
}

/**
 * Returns the ends of an interval that are known and a bound of the ratio.
 * @type {(estimate: Pick<RatioRow, 'low' | 'high'> & { oneSided?: Contrast['oneSided'] }) =>
 *   Pick<RatioRow, 'low' | 'high'>}
 */
const toDrawnEnds = ({ low, high, oneSided }) => ({
  low: isPositive(low) && oneSided !== 'at-most' ? low : null,
  high: isPositive(high) && oneSided !== 'at-least' ? high : null
})

/**
 * Returns a row for each claim about a ratio that was measured.
 * @param {Pick<RunRecord, 'claims'>} record
 * @returns {RatioRow[]}
 */
export const claimRows = ({ claims }) => claims.flatMap(claim => {
  const { id, published, measured, status } = claim
  if (!isPositive(measured) || !isPositive(published)) return []
  return [{
    name: id,
    ratio: measured,
    ...toDrawnEnds(claim),
    look: LOOKS_OF_CLAIMS[status],
    title: `${id}: ${status.replace('-', ' ')}`,
    published
  }]
})

/**
 * @param {unknown} value
 * @returns {value is number}
 */
export const isPositive = value => isNumber(value) && value > 0
