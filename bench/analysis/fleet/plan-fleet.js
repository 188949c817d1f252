/** A fleet over several zones for a rate beyond one machine. */
import { computeBill } from '../bill.js'
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

const CONSTANT = { name: 'constant', shares: [1] }

/** @typedef {ReturnType<typeof planFleet>} FleetPlan */

/**
 * Plans instances by zone, so that the other zones carry the rate with the headroom after the loss of one.
 *
 * @param {Sizing['goal']} goal
 * @param {PriceRow & { perInstance: number }} row
 * @param {SizedTopology} topology
 */
export function planFleet (goal, row, topology) {
  const { rate, headroom, profile = CONSTANT } = goal
  const each = row.perInstance * (1 - headroom)
  const countAt = (/** @type {number} */ current) => ZONES * Math.max(1, Math.ceil(current / each / (ZONES - 1)))
  const instances = countAt(rate)
  const perZone = instances / ZONES
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
  const bytes = topology.bytesPerResponse ?? null
  const { monthly, egress } = computeFleetBill(row, { profile, rate, countAt, bytes }, own?.monthly)
  return {
    row,
    zones: ZONES,
    headroom,
    perZone,
    instances,
    monthly,
    egress,
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
 * Computes the bill of a fleet. A price of what the processes use is kept, because the same requests use the same CPU
 * time. The price of the balancer is that for the fleet, without the part for data, which the offering's price of
 * traffic contains.
 *
 * @param {PriceRow} row
 * @param {Pick<Parameters<typeof computeBill>[2], 'profile' | 'rate' | 'countAt' | 'bytes'>} load
 * @param {{ total: number, ofData: number } | null} [balancer] omitted or null: as for one machine
 */
function computeFleetBill ({ offering, monthly }, load, balancer) {
  const { vcpu, assumed, use = [] } = offering
  const plusMonthly = balancer
    ? { price: balancer.total - balancer.ofData, why: 'the balancers' }
    : offering.plusMonthly
  const cores = vcpu ?? assumed?.low ?? 0
  const bill = computeBill({ ...offering, plusMonthly }, cores, { ...load, cpuSeconds: 0, memoryMiB: 0 })
  const isByUse = [use].flat().some(({ billed }) => billed === 'used')
  return isByUse ? { ...bill, monthly } : bill
}
