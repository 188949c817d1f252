/** Page views: a load with several requests, of which one pass is counted as one (pure). */
import { findMix } from './request-mix.js'

/** @import { Load, Unit } from '../types.js' */

/**
 * Returns the number of requests of one unit.
 * @param {Unit} unit
 * @param {Pick<Load, 'paths' | 'requests' | 'sequence'>} load
 */
export const countRequestsPerUnit = (unit, load) => unit === 'pages' ? findMix(load)?.sequence.length ?? 1 : 1
