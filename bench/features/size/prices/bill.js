/** Computes the price of instances for a month in which all days follow the same load profile (pure). */
import { sum } from '../../../shared/group-by.js'
import { MONTH_HOURS } from '../../../shared/units.js'
import { toInFlight } from '../little.js'

/** @import { Autoscaling, LoadProfile, Offering, UsePrices } from '../../../types.js' */

/** Profile of a load that is the same all day. @type {LoadProfile} */
export const CONSTANT = { name: 'constant', shares: [1] }
const MONTH_SECONDS = MONTH_HOURS * 3600
const DAY_SECONDS = 24 * 3600
/** Excess of a quotient that is a rounding error and no further instance. */
const ROUNDING = 1e-9

/**
 * Computes the bill of a month.
 *
 * @param {Offering} offering
 * @param {number} cores to calculate with
 * @param {object} load of all instances together
 * @param {LoadProfile} load.profile
 * @param {number} load.rate at the peak, requests per second
 * @param {(rate: number) => number} load.countAt returns the instances that serve a rate with the headroom
 * @param {(rate: number) => number} [load.leastAt] returns the instances with which the goal holds; default: countAt
 * @param {number} load.cpuSeconds CPU time of a request
 * @param {number} [load.responseMs] response time without load
 * @param {number} [load.startSeconds] until a new instance serves
 * @param {number} load.memoryMiB used by an instance
 * @param {number | null} load.bytes of a response on the wire; null: unknown
 * @returns {ReturnType<typeof planDay> & { monthly: number | null, egress: number | null, total: number | null }}
 * prices in the offering's currency; monthly: instances and what is paid once; egress: price of the data sent to the
 * internet; total: both, and the minimum of a month at least; null: unknown
 */
export function computeBill (offering, cores, load) {
  const day = planDay(offering, cores, load)
  const requests = countMonthlyRequests(load)
  const month = { ...day, requests }
  const freeGb = computeFreeGb(offering, load.countAt(load.rate), day.meanInstances)
  const egress = computeEgress(offering, load.bytes, { requests, freeGb })
  const bills = listPrices(offering, cores, load, month).map(({ monthly, least }) => {
    if (egress === null) return { ...day, monthly: Math.max(least, monthly), egress, total: null }
    return { ...day, monthly, egress, total: Math.max(least, monthly + egress) }
  })
  if (bills.length === 0) return { ...day, monthly: null, egress, total: null }
  return bills.reduce((cheapest, bill) =>
    (bill.total ?? bill.monthly) < (cheapest.total ?? cheapest.monthly) ? bill : cheapest)
}

/**
 * Returns the price that is paid once a month for a number of instances.
 *
 * @param {Pick<Offering, 'plusMonthly'>} offering
 * @param {number} instances at the peak
 */
export const findOnce = ({ plusMonthly }, instances) =>
  plusMonthly && instances >= (plusMonthly.from ?? 1) ? plusMonthly : null

/**
 * Plans the instances of a day. An autoscaler runs those that its rule keeps, or those that serve the rate to which the
 * load can grow before a new instance serves if that are more, and no more than at the peak. Where the rule keeps fewer
 * than the goal needs, the minimum of the autoscaler is set.
 *
 * @param {Offering} offering
 * @param {number} cores
 * @param {Parameters<typeof computeBill>[2]} load
 * @returns {{ meanInstances: number, minimum: number | null }} minimum: to set; null: none
 */
function planDay (offering, cores, { profile: { shares }, rate, countAt, leastAt = countAt, ...use }) {
  const peak = countAt(rate)
  const rule = getRule(offering)
  if (!rule || peak > (rule.most ?? Infinity)) return { meanInstances: peak, minimum: null }
  const growth = rate * steepestRise(shares) * (use.startSeconds ?? 0) / Math.min(1, cores)
  const hours = shares.map(share => {
    const soon = Math.min(rate, share * rate + growth)
    const needed = countAt(soon)
    const kept = countKept(rule, cores, { ...use, rate: share * rate }) ?? needed
    return { needed, kept, isShort: kept < leastAt(soon) }
  })
  const minimum = Math.max(0, ...hours.map(({ needed, isShort }) => isShort ? needed : 0))
  const counts = hours.map(({ needed, kept }) =>
    Math.max(rule.least, Math.min(peak, Math.max(minimum, needed, kept))))
  return { meanInstances: sum(counts) / counts.length, minimum: minimum || null }
}

/**
 * Returns the rule by which the provider of an offering starts and ends instances; null: a fixed number.
 *
 * @param {Pick<Offering, 'autoscales'>} offering
 */
export const getRule = ({ autoscales = null }) => typeof autoscales === 'object' ? autoscales : null

/**
 * Returns the instances that an autoscaler keeps at a rate, the requests in flight by Little's law.
 *
 * @param {Autoscaling} rule
 * @param {number} cores
 * @param {Pick<Parameters<typeof computeBill>[2], 'rate' | 'cpuSeconds' | 'responseMs'>} load
 * @returns {number | null} null: you set its target
 */
function countKept ({ by, target }, cores, { rate, cpuSeconds, responseMs = 0 }) {
  if (target === null) return null
  const used = { concurrency: toInFlight(rate, responseMs), cpu: rate * cpuSeconds / cores, requests: rate }[by]
  return Math.ceil(used / target - ROUNDING)
}

/**
 * Returns the steepest rise of a profile, as a share of the peak in a second.
 *
 * @param {number[]} shares at equal distances over a day
 */
const steepestRise = shares =>
  Math.max(0, ...shares.map((share, i) => shares[(i + 1) % shares.length] - share)) * shares.length / DAY_SECONDS

/**
 * Returns the price of an instance for a month; null: it is billed by use, or no price is published.
 *
 * @param {Pick<Offering, 'price' | 'hourly'>} offering
 */
export const toMonthly = ({ price, hourly }) => price ?? (hourly === undefined ? null : hourly * MONTH_HOURS)

/**
 * Lists the price of a month for each way of billing, without traffic, and the minimum with traffic.
 *
 * @param {Offering} offering
 * @param {number} cores
 * @param {Pick<Parameters<typeof computeBill>[2], 'rate' | 'countAt' | 'cpuSeconds' | 'memoryMiB'>} load
 * @param {{ meanInstances: number, requests: number }} month
 * @returns {{ monthly: number, least: number }[]} none: no price is published
 */
function listPrices (offering, cores, load, month) {
  const { price: once = 0, includes } = findOnce(offering, load.countAt(load.rate)) ?? {}
  const ofInstance = toMonthly(offering)
  if (ofInstance !== null) return [{ monthly: once + excess(month.meanInstances * ofInstance, includes), least: 0 }]
  return [offering.use ?? []].flat().map(prices => ({
    monthly: once + excess(computeUsePrice(prices, offering, { cores, ...load }, month), includes),
    least: (prices.least ?? 0) + once
  }))
}

/**
 * @param {UsePrices} prices
 * @param {Offering} offering
 * @param {{ cores: number, cpuSeconds: number, memoryMiB: number }} load
 * @param {{ meanInstances: number, requests: number }} month
 */
function computeUsePrice (prices, offering, load, { meanInstances, requests }) {
  const seconds = meanInstances * MONTH_SECONDS
  const isBilledByUse = prices.billed === 'used'
  const vcpuSeconds = isBilledByUse ? requests * load.cpuSeconds : seconds * load.cores
  const gibSeconds = seconds * (isBilledByUse ? load.memoryMiB : offering.memoryMiB) / 1024
  return prices.vcpuSecond * excess(vcpuSeconds, prices.freeVcpuSeconds) +
    prices.gibSecond * excess(gibSeconds, prices.freeGibSeconds) +
    (prices.millionRequests ?? 0) * excess(requests, prices.freeRequests) / 1e6
}

/**
 * Returns the data sent to the internet in a month that costs nothing, in GB.
 *
 * @param {Pick<Offering, 'egress' | 'includedGb' | 'plusMonthly'>} offering
 * @param {number} instances at the peak
 * @param {number} [meanInstances] of the month
 */
export const computeFreeGb = ({ egress, includedGb = 0, plusMonthly }, instances, meanInstances = instances) =>
  (egress?.freeGb ?? 0) + (findOnce({ plusMonthly }, instances)?.includedGb ?? includedGb * meanInstances)

/**
 * Computes the price of the data sent to the internet. Free traffic costs 0 also if the size of a response is unknown.
 *
 * @param {Offering} offering
 * @param {number | null} bytes of a response
 * @param {{ requests: number, freeGb: number }} month
 */
function computeEgress ({ egress }, bytes, { requests, freeGb }) {
  if (egress?.perGb === 0) return 0
  if (!egress || bytes === null) return null
  return egress.perGb * excess(requests * bytes / 1e9, freeGb)
}

/**
 * Returns the part of an amount that is not free or included.
 *
 * @param {number} amount
 * @param {number} [free]
 */
const excess = (amount, free = 0) => Math.max(0, amount - free)

/**
 * Returns the requests of a month.
 *
 * @param {{ rate: number, profile?: LoadProfile }} load rate: at the peak, requests per second
 */
export const countMonthlyRequests = ({ rate, profile: { shares } = CONSTANT }) =>
  rate * (sum(shares) / shares.length) * MONTH_SECONDS
