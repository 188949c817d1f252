/** Names and formats of the units that are counted. @import { Unit } from '../types.js' */
import { isNumber, rate, NONE } from './format.js'

const threeDigits = new Intl.NumberFormat('en-US', { minimumSignificantDigits: 3, maximumSignificantDigits: 3 })

/**
 * `per` names the amount that CPU time is given for, and `units` is its number of units.
 * @type {Record<Unit, { perSecond: string, per: string, units: number, print: (perSecond: number | null | undefined) =>
 * string }>}
 */
const UNITS = {
  requests: { perSecond: 'req/s', per: 'request', units: 1, print: rate },
  connections: { perSecond: 'conn/s', per: 'connection', units: 1, print: rate },
  handshakes: { perSecond: 'TLS/s', per: 'handshake', units: 1, print: rate },
  pages: { perSecond: 'pages/s', per: 'page view', units: 1, print: rate },
  // Network links are sold in bits.
  bytes: {
    perSecond: 'Gbit/s',
    per: 'MB',
    units: 1e6,
    print: perSecond => isNumber(perSecond) ? threeDigits.format(perSecond * 8 / 1e9) : NONE
  }
}

/** @param {Unit} unit */
export const unitOf = unit => UNITS[unit]
