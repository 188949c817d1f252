/** Computes the price of instances for a month in which all days follow the same load profile (pure). */
/** @import { LoadProfile, Offering } from '../../types.js' */

/** Hours of a month: a twelfth of a year of 365 days. */
export const MONTH_HOURS = 730
const MONTH_SECONDS = MONTH_HOURS * 3600

/**
 * Computes the bill of a month.
 *
 * @param {Offering} offering
 * @param {number} cores to calculate with
 * @param {object} load of all instances together
 * @param {LoadProfile} load.profile
 * @param {number} load.rate at the peak, requests per second
 * @param {number} load.instances at the peak
 * @param {number} load.fewest instances at any time
 * @param {number} load.cpuSeconds CPU time of a request
 * @param {number} load.memoryMiB used by an instance
 * @param {number | null} load.bytes of a response on the wire; null: unknown
 * @returns {{ meanInstances: number, monthly: number | null, egress: number | null }} in the offering's currency;
 * egress: price of the data sent to the internet, null: unknown
 */
export function computeBill (offering, cores, load) {
  const meanInstances = offering.autoscales ? computeMeanInstances(load) : load.instances
  const requests = load.rate * meanShare(load.profile) * MONTH_SECONDS
  return {
    meanInstances,
    monthly: computePrice(offering, cores, load, { meanInstances, requests }),
    egress: computeEgress(offering, load.bytes, { meanInstances, requests })
  }
}

/**
 * Averages over a day the number of instances that follow the rate.
 *
 * @param {{ profile: LoadProfile, instances: number, fewest: number }} load
 */
function computeMeanInstances ({ profile, instances, fewest }) {
  const counts = profile.shares.map(share => Math.max(fewest, Math.ceil(share * instances)))
  return counts.reduce((sum, count) => sum + count, 0) / counts.length
}

/**
 * @param {Offering} offering
 * @param {number} cores
 * @param {{ cpuSeconds: number, memoryMiB: number }} load
 * @param {{ meanInstances: number, requests: number }} month
 */
function computePrice ({ price, hourly, use, memoryMiB }, cores, load, { meanInstances, requests }) {
  if (price !== null) return meanInstances * price
  if (hourly !== undefined) return meanInstances * hourly * MONTH_HOURS
  if (!use) return null
  const seconds = meanInstances * MONTH_SECONDS
  const isBilledByUse = use.billed === 'used'
  const vcpuSeconds = isBilledByUse ? requests * load.cpuSeconds : seconds * cores
  const gibSeconds = seconds * (isBilledByUse ? load.memoryMiB : memoryMiB) / 1024
  const total = use.vcpuSecond * excess(vcpuSeconds, use.freeVcpuSeconds) +
    use.gibSecond * excess(gibSeconds, use.freeGibSeconds) +
    (use.millionRequests ?? 0) * excess(requests, use.freeRequests) / 1e6
  return Math.max(use.least ?? 0, total)
}

/**
 * @param {Offering} offering
 * @param {number | null} bytes of a response
 * @param {{ meanInstances: number, requests: number }} month
 */
function computeEgress ({ egress, includedGb = 0 }, bytes, { meanInstances, requests }) {
  if (!egress || bytes === null) return null
  return egress.perGb * excess(requests * bytes / 1e9, includedGb * meanInstances)
}

/**
 * @param {number} used
 * @param {number} [free]
 */
const excess = (used, free = 0) => Math.max(0, used - free)

/** Returns the mean rate of a day as a share of its peak. @param {LoadProfile} profile */
export const meanShare = ({ shares }) => shares.reduce((sum, share) => sum + share, 0) / shares.length
