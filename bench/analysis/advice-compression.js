/** Judges the contrast of a topology with and without compression: bytes saved against CPU time (pure). */
import { count } from '../shared/format.js'
import { LEAST_SAVED, ratioText, savedShare, shareText } from './advice.js'

/** @import { AdviceContrast, AdviceState, Ruling } from '../types.js' */

/** Months have 730.5 hours on average. */
const SECONDS_A_MONTH = 730.5 * 3600
const GB = 1e9

/**
 * Computes what compression saves in traffic, and what the further instances cost, a month.
 * @param {AdviceContrast} contrast
 * @param {Pick<AdviceState, 'load' | 'sizing'>} state
 * @returns {{ saved: number, spent: number } | null} in the currency of the offering; null: a price is unknown
 */
function computeBalance ({ instances, requests, bytes: { arm, baseline } }, { load: { rps }, sizing }) {
  if (!instances || !sizing || rps === null || sizing.perGb === null || sizing.monthly === null) return null
  if (arm === null || baseline === null) return null
  const { perGb, freeGb } = sizing
  const toPrice = (/** @type {number} */ bytes) =>
    perGb * Math.max(0, rps * SECONDS_A_MONTH * bytes / requests / GB - freeGb)
  return {
    saved: toPrice(baseline) - toPrice(arm),
    spent: (instances.low - instances.baseline) * sizing.monthly / sizing.instances
  }
}

/**
 * Decides whether a topology should compress.
 *
 * @param {AdviceContrast | null} contrast null: not measured
 * @param {Pick<AdviceState, 'load' | 'sizing'>} state
 * @param {{ subject: string, isFree: (contrast: AdviceContrast) => boolean }} words subject: as in "Compression by
 *   nginx"; isFree: whether it costs no instance
 * @returns {Ruling}
 */
export function ruleOnCompression (contrast, state, { subject, isFree }) {
  if (contrast === null) {
    return {
      decision: 'open',
      text: `${subject} was not measured.`,
      because: {},
      changes: 'A valid measurement with and without it.'
    }
  }
  const saved = savedShare(contrast)
  const because = { contrast }
  if (contrast.verdict === 'invalid' || saved === null) {
    return {
      decision: 'open',
      text: `${subject} was not measured validly.`,
      because,
      changes: 'A valid measurement of both.'
    }
  }
  const figures = `it saves ${shareText(saved)} of the bytes, and ${ratioText(contrast)}`
  if (saved < LEAST_SAVED) {
    return { decision: 'do-not', text: `No: ${figures}.`, because, changes: 'Larger responses of text.' }
  }
  if (isFree(contrast)) {
    return { decision: 'do', text: `Yes: ${figures}.`, because, changes: 'A slower measurement with it.' }
  }
  const balance = computeBalance(contrast, state)
  if (balance === null) {
    return {
      decision: 'open',
      text: `A question of price: ${figures}.`,
      because,
      changes: state.sizing
        ? 'A published price of traffic and of instances.'
        : 'The load and the prices: --rps, --p99 and --provider.'
    }
  }
  const { saved: saving, spent } = balance
  const toText = (/** @type {number} */ amount) => `${count(Math.round(amount))} ${state.sizing?.currency}`
  const sums = `${toText(saving)} of traffic a month against ${toText(spent)} of instances`
  return saving >= spent
    ? { decision: 'do', text: `Yes: ${figures}; ${sums}.`, because, changes: 'Traffic that costs less than CPU time.' }
    : {
        decision: 'do-not',
        text: `No: ${figures}; ${sums}.`,
        because,
        changes: 'A higher price of traffic, or clients on slow networks, for whom fewer bytes are faster.'
      }
}

/** Returns whether the whole interval of a contrast needs no further instance. @param {AdviceContrast} contrast */
export const needsNoInstance = ({ instances, low }) =>
  instances ? instances.low <= instances.baseline : low >= 1
