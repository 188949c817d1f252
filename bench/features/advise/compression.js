/** Judges the contrast of a topology with and without compression: bytes saved against CPU time (pure). */
import { hasOption, withOption } from '../../plan/changed-spec.js'
import { count } from '../../shared/format.js'
import { decided, hasRatio, MIN_SAVED, ratioText, savedShare, shareText } from './advice.js'

/** @import { AdviceContrast, AdviceState, Ruling } from '../../types.js' */

/** Months have 730.5 hours on average. */
const SECONDS_A_MONTH = 730.5 * 3600
const GB = 1e9

/** The load and the offering, from which prices follow. @typedef {Pick<AdviceState, 'load' | 'sizing'>} Priced */

/**
 * Computes what the bytes that an arm saves cost as traffic.
 * @param {AdviceContrast} contrast
 * @param {Priced} state
 * @returns {number | null} a month, in the currency of the offering; null: a price is unknown
 */
function computeSavedTraffic ({ requests, bytes: { arm, baseline } }, { load: { rps }, sizing }) {
  if (!sizing || rps === null || sizing.perGb === null || arm === null || baseline === null) return null
  const { perGb, freeGb } = sizing
  const toPrice = (/** @type {number} */ bytes) =>
    perGb * Math.max(0, rps * SECONDS_A_MONTH * bytes / requests / GB - freeGb)
  return toPrice(baseline) - toPrice(arm)
}

/**
 * Returns the price of an instance without traffic.
 * @param {Priced} state
 * @returns {number | null} a month; null: unknown
 */
const getInstancePrice = ({ sizing }) => sizing && sizing.monthly !== null ? sizing.monthly / sizing.instances : null

/**
 * Returns whether the traffic that an arm saves costs more than an instance.
 * @param {AdviceContrast} contrast
 * @param {Priced} state
 */
export function isWorthAnInstance (contrast, state) {
  const [saved, price] = [computeSavedTraffic(contrast, state), getInstancePrice(state)]
  return saved !== null && price !== null && saved > price
}

/**
 * Decides whether a topology should compress.
 *
 * @param {AdviceContrast | null} contrast null: not measured
 * @param {Priced} state
 * @param {{ action: string, isFree: (contrast: AdviceContrast) => boolean }} words action: as in "let nginx compress
 *   responses"; isFree: whether it costs no instance
 * @returns {Ruling}
 */
export function ruleOnCompression (contrast, state, { action, isFree }) {
  const saved = contrast && savedShare(contrast)
  if (!hasRatio(contrast) || saved === null) {
    return decided('open', action, `it was not measured${contrast ? ' validly' : ''}`,
      { ...contrast && { contrast }, changes: 'A valid measurement with and without it.' })
  }
  const figures = `it saves ${shareText(saved)} of the bytes, at ${ratioText(contrast, 'the same without it')}`
  if (saved < MIN_SAVED) return decided('do-not', action, figures, { contrast, changes: 'Larger responses of text.' })
  if (isFree(contrast)) return decided('do', action, figures, { contrast, changes: 'A slower measurement with it.' })
  const [saving, price] = [computeSavedTraffic(contrast, state), getInstancePrice(state)]
  if (saving === null || price === null || !contrast.instances) {
    return decided('open', action, figures, {
      contrast,
      changes: state.load.rps === null
        ? 'The load and the prices: --rps, --p99 and --provider.'
        : 'A sizing, and published prices of traffic and of instances.'
    })
  }
  const spent = (contrast.instances.low - contrast.instances.baseline) * price
  const toText = (/** @type {number} */ amount) => `${count(Math.round(amount))} ${state.sizing?.currency}`
  const sums = `${figures}; ${toText(saving)} of traffic a month against ${toText(spent)} of instances`
  return saving >= spent
    ? decided('do', action, sums, { contrast, changes: 'Traffic that costs less than CPU time.' })
    : decided('do-not', action, sums, {
      contrast,
      changes: 'A higher price of traffic, or clients on slow networks, for whom fewer bytes are faster.'
    })
}

/**
 * Returns whether the whole interval of a contrast needs no further instance. Without instances the ratio decides,
 * unless an arm that was not saturated makes the true ratio lower or unknown.
 * @param {AdviceContrast} contrast
 */
export const needsNoInstance = ({ instances, low, bound }) =>
  instances ? instances.low <= instances.baseline : low >= 1 && bound !== 'at-most' && bound !== 'neither'

/**
 * Finds the measured pair with and without files that are compressed ahead of time, with any other options.
 * @param {Pick<AdviceState, 'contrasts'>} state
 * @returns {AdviceContrast | null} null: not measured
 */
export const findCompressedFiles = ({ contrasts }) => contrasts.findLast(({ arm, baseline }) =>
  !hasOption(baseline, 'gzip_static') && arm === withOption(baseline, 'gzip_static')) ?? null
