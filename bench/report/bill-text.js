/** The bill of an offering in words: the total of a month, its parts, and the traffic behind it (pure). */
import { findOnce } from '../judge/bill.js'
import { count, listing, NONE, rate } from '../shared/format.js'
import { MONTH_HOURS } from '../shared/month.js'
import { hasWideRange, rangeText } from './sizing-ranges.js'
import { money } from './tables/sizing.js'

/** @import { PriceRow, SizedTopology, Sizing } from '../types.js' */

/**
 * Prints the total of a month and its parts: "$53 a month: 3 × $11, $10 for a balancer and $10 of traffic".
 * @param {PriceRow} row
 */
export function billText (row) {
  const { offering: { currency }, monthly, total, range } = row
  if (monthly === null) return NONE
  const wide = hasWideRange(row) ? range?.total : null
  const sum = wide
    ? rangeText(wide, price => money(Math.round(price), currency))
    : money(total ?? monthly, currency)
  return `${sum} a month: ${wide ? 'as estimated ' : ''}${listing(listParts(row))}`
}

/** @param {PriceRow} row */
function listParts (row) {
  const { offering, instances, monthly, egress, total = null } = row
  const { currency } = offering
  const once = findOnce(offering, Number(instances))
  const least = total !== null && total > Number(monthly) + Number(egress) + 0.005 ? total : null
  return [
    instancesPart(row, once?.price ?? 0),
    ...once ? [`${money(once.price, currency)} for ${once.why}`] : [],
    trafficPart(row),
    ...least === null ? [] : [`${money(least, currency)} at least`]
  ]
}

/**
 * Prints the price of the instances: "3 × $11", or "$20.50 by use" where it depends on what they use.
 * @param {PriceRow} row
 * @param {number} once price that is paid once
 */
function instancesPart ({ offering, instances, meanInstances, monthly }, once) {
  const { price, hourly, currency } = offering
  const each = price ?? (hourly === undefined ? null : hourly * MONTH_HOURS)
  if (each === null) return `${money(Number(monthly) - once, currency)} by use`
  const isEqual = meanInstances == null || meanInstances === instances
  return `${isEqual ? count(instances) : `${rate(meanInstances)} on average`} × ${money(each, currency)}`
}

/** @param {PriceRow} row */
function trafficPart ({ offering, egress = null }) {
  if (egress === null) {
    return offering.egress
      ? 'no traffic, because the size of a response is unknown'
      : 'traffic at an unpublished price'
  }
  if (egress > 0) return `${money(egress, offering.currency)} of traffic`
  return offering.egress?.perGb === 0 ? 'free traffic' : 'traffic included'
}

/**
 * Prints the traffic to the internet that totals are computed from: "1,254 bytes a response, 32,955 GB a month".
 * @param {Pick<SizedTopology, 'bytesPerResponse'>} topology
 * @param {Sizing['goal']} goal
 * @returns {string | null} null: the size of a response is unknown
 */
export function trafficText ({ bytesPerResponse }, { rate: peak, profile }) {
  if (bytesPerResponse == null) return null
  const shares = profile?.shares ?? [1]
  const mean = peak * shares.reduce((sum, share) => sum + share, 0) / shares.length
  const gigabytes = mean * MONTH_HOURS * 3600 * bytesPerResponse / 1e9
  return `${count(Math.round(bytesPerResponse))} bytes a response, ${count(Math.round(gigabytes))} GB a month`
}
