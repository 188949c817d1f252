/** A fleet over several zones for a rate beyond one machine. */
import { BALANCERS, fitBalancer } from './limits.js'

/** @import { PriceRow, SizedTopology, Sizing } from '../../types.js' */

/** Zones of a region; most providers' regions have three. */
export const ZONES = 3
/** Ports of one source address towards one destination: net.ipv4.ip_local_port_range is 32768 to 60999 by default
 * (Documentation/networking/ip-sysctl.rst of the Linux kernel). */
const PORTS = 28_232
/** Time for which a closed connection occupies its port, in seconds (TCP_TIMEWAIT_LEN of the Linux kernel). */
const TIME_WAIT_SECONDS = 60
/** Requests a second from which an answer is about a fleet. */
export const FLEET_RATE = 100_000

/** @typedef {ReturnType<typeof planFleet>} FleetPlan */

/**
 * Plans instances by zone, so that the loss of a zone still meets the goal.
 *
 * @param {Sizing['goal']} goal
 * @param {PriceRow & { perInstance: number }} row
 * @param {SizedTopology} topology
 */
export function planFleet (goal, row, topology) {
  const { rate, headroom } = goal
  const each = row.perInstance * (1 - headroom)
  const perZone = Math.ceil(rate / each / (ZONES - 1))
  const instances = ZONES * perZone
  const inFlight = Math.ceil(rate * toBusySeconds(topology, goal.p99Ms))
  const load = {
    rate,
    inFlight,
    instances,
    newConnections: rate * (goal.newConnections ?? 0),
    gbPerHour: rate * (topology.bytesPerResponse ?? 0) * 3600 / 1e9
  }
  const balancers = BALANCERS.map(limit => fitBalancer(limit, load))
  const own = balancers.find(({ limit }) => limit.providers?.includes(row.offering.provider))
  return {
    row,
    zones: ZONES,
    perZone,
    instances,
    monthly: scaleMonthly(row, instances, own?.monthly),
    egress: scaleEgress(row, instances),
    inFlight,
    /** Towards an instance, while a zone is lost. */
    inFlightEach: Math.ceil(inFlight / (perZone * (ZONES - 1))),
    /** Addresses of balancers that new connections for each request need, because of ports in TIME_WAIT. */
    addresses: Math.ceil(rate / (perZone * (ZONES - 1)) * TIME_WAIT_SECONDS / PORTS),
    ports: PORTS,
    balancers
  }
}

/**
 * Returns the time of a response near the capacity, of which nine in ten take less; the goal if that was not measured
 * or is shorter, because the goal holds at the capacity.
 *
 * @param {SizedTopology} topology
 * @param {number} p99Ms
 */
const toBusySeconds = ({ curve }, p99Ms) =>
  Math.min(p99Ms, curve.findLast(({ invalid }) => invalid === null)?.latencyMs?.p90 ?? p99Ms) / 1000

/**
 * Returns the price of the data sent, less what the further instances of a fleet include.
 *
 * @param {PriceRow} row
 * @param {number} instances
 */
function scaleEgress ({ egress = null, instances: from, meanInstances, offering }, instances) {
  if (egress === null || !from) return egress
  const further = (meanInstances ?? from) * (instances / from - 1)
  return Math.max(0, egress - further * (offering.includedGb ?? 0) * (offering.egress?.perGb ?? 0))
}

/**
 * Scales the price of the instances. Prices by use are kept, because the same requests use the same CPU time. The price
 * of the balancer is that for the fleet, without the part for data, which the offering's price of traffic contains.
 *
 * @param {PriceRow} row
 * @param {number} instances
 * @param {{ total: number, ofData: number } | null} [balancer] omitted or null: as for one machine
 */
function scaleMonthly ({ monthly, instances: from, offering }, instances, balancer) {
  if (monthly === null || !from) return null
  const once = offering.plusMonthly?.price ?? 0
  const ofBalancer = balancer ? balancer.total - balancer.ofData : once
  const use = [offering.use ?? []].flat()
  if (use.some(({ billed }) => billed === 'used')) return monthly
  return (monthly - once) * instances / from + ofBalancer
}
