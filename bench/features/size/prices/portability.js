/** Converts measurements on this machine to the cores of an offering (pure). */
import { CALIBRATION_BOUNDS } from '../../../shared/thresholds.js'

/** @import { Offering, PriceRow } from '../../../types.js' */
/** @import { Measured, Range } from '../types.js' */

/**
 * Speed of one core of public clouds, relative to that of AWS m6a.large, which has the processor of the reference
 * machine: integer scores of one core in Geekbench 6, 625 (Hetzner CX23) and 2,073 (Google c4-standard-2) over 1,507.
 * Nine other types are between them (docs/sizing-method.md).
 */
export const SPREAD = { low: 0.41, high: 1.38 }
/** Factor by which calibrations of one machine differ. */
const NOISE = CALIBRATION_BOUNDS.arithmetic

/**
 * Returns the speed of a core of an offering, relative to this machine.
 *
 * @param {Pick<Offering, 'score'>} offering
 * @param {number | null} [own] score of this machine at the time of the sizing; null: unknown, that of the reference
 * @returns {Range & { middle: number, portability: NonNullable<PriceRow['portability']> }}
 */
export function getSpeed ({ score }, own = null) {
  if (score && own !== null) {
    const { value, low = value, high = value } = score
    const speed = { low: low / own / NOISE, middle: value / own, high: high / own * NOISE }
    return { ...speed, portability: 'known' }
  }
  const [low, high] = [SPREAD.low, SPREAD.high].map(end => end / (own ?? 1))
  return { low, middle: Math.min(high, Math.max(low, 1)), high, portability: 'assumed' }
}

/**
 * Converts measurements to cores of another speed: all rates and CPU times change by its factor.
 *
 * @param {Measured} topology
 * @param {number} speed relative to this machine
 * @returns {Measured}
 */
export function withSpeed (topology, speed) {
  const { usages, capacity, burst, pause, range, more } = topology
  const toShorter = (/** @type {Range} */ { low, high }) => ({ low: low / speed, high: high / speed })
  return {
    ...topology,
    usages: usages.map(({ rate, cores }) => ({ rate: rate * speed, cores })),
    capacity: capacity * speed,
    burst: burst && burst / speed,
    ...pause !== undefined && { pause: pause / speed },
    ...more && {
      more: more.map(({ processes, rate, low = rate, high = rate }) =>
        ({ processes, rate: rate * speed, low: low * speed, high: high * speed }))
    },
    ...range && {
      range: {
        low: range.low * speed,
        high: range.high * speed,
        ...range.burst && { burst: toShorter(range.burst) },
        ...range.pause && { pause: toShorter(range.pause) }
      }
    }
  }
}
