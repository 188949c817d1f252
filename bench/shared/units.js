/** Names and formats of the units that are counted, and the length of a month. @import { Unit } from '../types.js' */
import { isNumber, rate, NONE } from './format.js'

const threeDigits = new Intl.NumberFormat('en-US', { minimumSignificantDigits: 3, maximumSignificantDigits: 3 })

/** Hours of a month: a twelfth of a year of 365 days. */
export const MONTH_HOURS = 730

const BITS = 8 // Network links are sold in bits.

/** Units that are printed as they are counted. */
const COUNTED = { scale: 1, units: 1, print: rate }

/**
 * `per` names the amount that CPU time is given for, and `units` is its number of units. `label` names the axis of a
 * chart, and `scale` is the factor from units per second to it.
 * @type {Record<Unit, { perSecond: string, label: string, scale: number, per: string, units: number,
 *   print: (perSecond: number | null | undefined) => string }>}
 */
const UNITS = {
  requests: { ...COUNTED, perSecond: 'req/s', label: 'requests per second', per: 'request' },
  connections: { ...COUNTED, perSecond: 'conn/s', label: 'connections per second', per: 'connection' },
  handshakes: { ...COUNTED, perSecond: 'TLS/s', label: 'TLS handshakes per second', per: 'handshake' },
  pages: { ...COUNTED, perSecond: 'pages/s', label: 'page views per second', per: 'page view' },
  bytes: {
    perSecond: 'Gbit/s',
    label: 'Gbit per second',
    scale: BITS / 1e9,
    per: 'MB',
    units: 1e6,
    print: perSecond => isNumber(perSecond) ? threeDigits.format(perSecond * BITS / 1e9) : NONE
  }
}

/** @param {Unit} unit */
export const unitOf = unit => UNITS[unit]
