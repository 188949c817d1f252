/** Computes the price of instances for a month in which all days follow the same load profile (pure). */
import { MONTH_HOURS } from '../little.js'

/** @import { LoadProfile, Offering, UsePrices } from '../../../types.js' */

const MONTH_SECONDS = MONTH_HOURS * 3600

/**
 * Computes the bill of a month.
 *
 * @param {Offering} offering
 * @param {number} cores to calculate with
 * @param {object} load of all instances together
 * @param {LoadProfile} load.profile
 * @param {number} load.rate at the peak, requests per second
 * @param {(rate: number) => number} load.countAt returns the instances that serve a rate
 * @param {number} load.cpuSeconds CPU time of a request
 * @param {number} load.memoryMiB used by an instance
 * @param {number | null} load.bytes of a response on the wire; null: unknown
 * @returns {{ meanInstances: number, monthly: number | null, egress: number | null, total: number | null }} in the
 * offering's currency; monthly: instances and what is paid once; egress: price of the data sent to the internet; total:
 * both, and the minimum of a month at least; null: unknown
 */
export function computeBill (offering, cores, load) {
  const meanInstances = computeMeanInstances(offering, load)
  const requests = load.rate * meanShare(load.profile) * MONTH_SECONDS
  const month = { meanInstances, requests }
  const egress = computeEgress(offering, load.bytes, month)
  const bills = listPrices(offering, cores, load, month).map(({ monthly, least }) => {
    if (egress === null) return { meanInstances, monthly: Math.max(least, monthly), egress, total: null }
    return { meanInstances, monthly, egress, total: Math.max(least, monthly + egress) }
  })
  if (bills.length === 0) return { meanInstances, monthly: null, egress, total: null }
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
 * Averages the number of instances over a day. The number follows the rate where the provider starts and ends instances
 * by load.
 *
 * @param {Offering} offering
 * @param {{ profile: LoadProfile, rate: number, countAt: (rate: number) => number }} load
 */
function computeMeanInstances ({ autoscales }, { profile, rate, countAt }) {
  if (!autoscales) return countAt(rate)
  return profile.shares.reduce((sum, share) => sum + countAt(share * rate), 0) / profile.shares.length
}

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
  const { price, hourly, use } = offering
  const { price: once = 0, includes } = findOnce(offering, load.countAt(load.rate)) ?? {}
  const ofInstance = price ?? (hourly === undefined ? null : hourly * MONTH_HOURS)
  if (ofInstance !== null) return [{ monthly: once + excess(month.meanInstances * ofInstance, includes), least: 0 }]
  return [use ?? []].flat().map(prices => ({
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
 * Computes the price of the data sent to the internet. Free traffic costs 0 also if the size of a response is unknown.
 *
 * @param {Offering} offering
 * @param {number | null} bytes of a response
 * @param {{ meanInstances: number, requests: number }} month
 */
function computeEgress ({ egress, includedGb = 0 }, bytes, { meanInstances, requests }) {
  if (egress?.perGb === 0) return 0
  if (!egress || bytes === null) return null
  return egress.perGb * excess(requests * bytes / 1e9, includedGb * meanInstances + (egress.freeGb ?? 0))
}

/**
 * Returns the part of an amount that is not free or included.
 *
 * @param {number} amount
 * @param {number} [free]
 */
const excess = (amount, free = 0) => Math.max(0, amount - free)

/** Returns the mean rate of a day as a share of its peak. @param {LoadProfile} profile */
const meanShare = ({ shares }) => shares.reduce((sum, share) => sum + share, 0) / shares.length
