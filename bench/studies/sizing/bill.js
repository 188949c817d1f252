/** What so many instances cost in a month whose days all follow one profile (pure). */
import { meanShare } from './profile.js'

/** @import { LoadProfile, Offering } from '../../types.js' */

/** Of a month: a twelfth of a year of 365 days. */
export const MONTH_HOURS = 730
const MONTH_SECONDS = MONTH_HOURS * 3600

/** @typedef {object} Load what all instances serve together
 * @property {LoadProfile} profile
 * @property {number} rate at the peak, requests per second
 * @property {number} instances at the peak
 * @property {number} fewest instances at any time
 * @property {number} cpuSeconds CPU time of a request
 * @property {number} memoryMiB used by an instance
 * @property {number | null} bytes of an answer on the wire; null: not known */

/** @param {Offering} plan @param {number} cpu cores to calculate with @param {Load} load
 * @returns {{ meanInstances: number, monthly: number | null, egress: number | null }} prices in the plan's currency;
 * egress: of what is sent to the internet, null: not stated */
export function billOf (plan, cpu, load) {
  const meanInstances = plan.autoscales ? followed(load) : load.instances
  const all = { ...load, meanInstances }
  return { meanInstances, monthly: monthlyOf(plan, cpu, all), egress: egressOf(plan, all) }
}

/** Instances that follow the rate, on average over a day. @param {Load} load */
const followed = ({ profile, instances, fewest }) =>
  profile.shares.reduce((sum, share) => sum + Math.max(fewest, Math.ceil(share * instances)), 0) / profile.shares.length

/** @typedef {Load & { meanInstances: number }} Followed */

/** @param {Offering} plan @param {number} cpu @param {Followed} load */
function monthlyOf ({ price, hourly, use, memoryMiB }, cpu, load) {
  if (price !== null) return load.meanInstances * price
  if (hourly !== undefined) return load.meanInstances * hourly * MONTH_HOURS
  if (!use) return null
  const seconds = load.meanInstances * MONTH_SECONDS
  const requests = requestsIn(load)
  const [vcpuSeconds, gibSeconds] = use.billed === 'used'
    ? [requests * load.cpuSeconds, seconds * load.memoryMiB / 1024]
    : [seconds * cpu, seconds * memoryMiB / 1024]
  const total = use.vcpuSecond * above(vcpuSeconds, use.freeVcpuSeconds) +
    use.gibSecond * above(gibSeconds, use.freeGibSeconds) +
    (use.millionRequests ?? 0) * above(requests, use.freeRequests) / 1e6
  return Math.max(use.least ?? 0, total)
}

/** @param {Offering} plan @param {Followed} load */
function egressOf ({ egress, includedGb = 0 }, load) {
  if (!egress || load.bytes === null) return null
  return egress.perGb * above(requestsIn(load) * load.bytes / 1e9, includedGb * load.meanInstances)
}

/** @param {Pick<Load, 'rate' | 'profile'>} load */
const requestsIn = ({ rate, profile }) => rate * meanShare(profile) * MONTH_SECONDS
/** @param {number} used @param {number} [free] */
const above = (used, free = 0) => Math.max(0, used - free)
