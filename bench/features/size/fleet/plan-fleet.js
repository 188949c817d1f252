/** A fleet over several zones for a rate beyond one machine. */
import { FLEET_RATE } from '../../../shared/thresholds.js'
import { MONTH_HOURS } from '../../../shared/units.js'
import { CONSTANT, computeBill } from '../prices/bill.js'
import { listNamed } from '../prices/offering-choice.js'
import { getCores } from '../prices/offerings.js'
import { toRange, UNBOUNDED } from '../prices/price.js'

/** @import { PriceRow, SizedTopology, Sizing, SizingWhy } from '../../../types.js' */

/** Zones of a region; most providers' regions have three. */
export const ZONES = 3
/** Ports of one source address towards one destination: net.ipv4.ip_local_port_range is 32768 to 60999 by default
 * (Documentation/networking/ip-sysctl.rst of the Linux kernel). */
const PORTS = 28_232
/** Time for which a closed connection occupies its port, in seconds (TCP_TIMEWAIT_LEN of the Linux kernel). */
const TIME_WAIT_SECONDS = 60

/** @typedef {ReturnType<typeof planFleet>} FleetPlan */

/**
 * Returns the plan of a fleet for each row that the answer names, the fewest instances first.
 *
 * @param {Sizing} sizing
 * @returns {FleetPlan[]} empty below 100,000 requests a second; why: null unless --max or the provider does not permit
 *   the fleet
 */
export function planFleets ({ goal, table, topologies }) {
  if (goal.rate < FLEET_RATE) return []
  return listNamed(table).flatMap(row => {
    const topology = topologies.find(({ spec }) => spec === row.topology)
    return topology && hasRate(row) ? [planFleet(goal, row, topology)] : []
  }).sort((a, b) => a.instances - b.instances)
}

/**
 * @param {PriceRow} row
 * @returns {row is PriceRow & { perInstance: number }}
 */
const hasRate = row => row.perInstance !== null && row.perInstance > 0

/**
 * Plans instances by zone, so that the other zones carry the rate with the headroom after the loss of one.
 *
 * @param {Sizing['goal']} goal
 * @param {PriceRow & { perInstance: number }} row
 * @param {SizedTopology} topology
 */
export function planFleet (goal, row, topology) {
  const { rate, headroom } = goal
  const fleet = computeFleet({ goal, row, topology }, rate / (row.perInstance * (1 - headroom)))
  const { instances, inFlight } = fleet
  const perZone = instances / ZONES
  const most = Math.min(row.offering.most ?? Infinity, goal.mostInstances ?? Infinity)
  const limit = goal.mostInstances === most ? /** @type {const} */ ('--max') : /** @type {const} */ ('provider')
  /** @type {SizingWhy | null} */
  const why = instances > most ? { code: 'too-few-instances', params: { most, limit } } : null
  return {
    ...row,
    ...fleet,
    total: toTotal(fleet),
    perZone,
    range: computeFleetRange({ goal, row, topology }, fleet, most),
    /** Reason why a limit of instances rejects the fleet; null: the limits permit it. */
    why,
    /** Towards an instance, while a zone is lost. */
    inFlightEach: Math.ceil(inFlight / (perZone * (ZONES - 1))),
    /** Addresses of balancers that new connections for each request need, because of ports in TIME_WAIT. */
    addresses: Math.ceil(rate / (perZone * (ZONES - 1)) * TIME_WAIT_SECONDS / PORTS),
    ports: PORTS
  }
}

/**
 * Computes the instances of a fleet with their balancers and their bill.
 *
 * @param {{ goal: Sizing['goal'], row: PriceRow, topology: SizedTopology }} sized
 * @param {number} needed instances that carry the peak with the headroom
 */
function computeFleet ({ goal, row, topology }, needed) {
  const { rate, profile = CONSTANT } = goal
  const bytes = topology.bytesPerResponse ?? null
  const countAt = toCount(goal, needed)
  const load = {
    rate,
    inFlight: Math.ceil(rate * toBusySeconds(topology, goal.p99Ms)),
    instances: countAt(rate),
    newConnections: rate * (goal.newConnections ?? 0),
    gbPerHour: rate * (bytes ?? 0) * 3600 / 1e9
  }
  const balancers = BALANCERS.map(limit => fitBalancer(limit, load))
  const own = balancers.find(({ limit }) => limit.providers?.includes(row.offering.provider))
  const { monthly, egress } = computeFleetBill(row, { profile, rate, countAt, bytes }, own?.monthly)
  return { instances: load.instances, inFlight: load.inFlight, balancers, monthly, egress }
}

/**
 * Returns a function that counts the instances of a fleet for a rate. The fleet carries the rate with the headroom
 * without one zone, and at the goal without the spare instances. It has the fewest instances of the goal at least.
 *
 * @param {Sizing['goal']} goal
 * @param {number} needed instances that carry the peak with the headroom
 * @returns {(current: number) => number} current: requests per second
 */
const toCount = ({ rate, headroom, fewestInstances, spare }, needed) => current => {
  const carrying = needed * current / rate
  const fewest = Math.max(fewestInstances, spare + Math.ceil(carrying * (1 - headroom)))
  return ZONES * Math.ceil(Math.max(carrying / (ZONES - 1), fewest / ZONES))
}

/**
 * Computes the range of instances and totals from that of a row. The upper total is left out if a limit of
 * instances rejects the upper end.
 *
 * @param {Parameters<typeof computeFleet>[0]} sized
 * @param {ReturnType<typeof computeFleet>} fleet the estimated one
 * @param {number} most instances
 * @returns {PriceRow['range']}
 */
function computeFleetRange (sized, fleet, most) {
  const { goal: { headroom, fewestInstances, spare }, row: { range } } = sized
  if (!range) return null
  const { low, high } = range.instances
  const toEnd = (/** @type {typeof fleet} */ end) => ({ instances: end.instances, total: toTotal(end) })
  // Where the fewest instances decide in one zone, the row does not show the rate of an instance.
  const computeEnd = (/** @type {number} */ instances) => toEnd(instances > fewestInstances
    ? computeFleet(sized, Math.min(instances, (instances - spare) / (1 - headroom)))
    : fleet)
  const many = high === undefined ? UNBOUNDED : computeEnd(high)
  const total = many.instances > most ? null : many.total
  return toRange(toEnd(fleet), { few: computeEnd(low), many: { ...many, total }, most })
}

/** Returns the total of a bill; null: a part is unknown. @param {ReturnType<typeof computeFleet>} fleet */
const toTotal = ({ monthly, egress }) => monthly === null || egress === null ? null : monthly + egress

/**
 * Returns the time of a response near the capacity, of which nine in ten take less; the goal if that was not measured
 * or is shorter, because the goal holds at the capacity.
 *
 * @param {SizedTopology} topology
 * @param {number} p99Ms
 */
const toBusySeconds = ({ curve }, p99Ms) => {
  const busy = curve.findLast(({ invalid, latencyMs }) => invalid === null && latencyMs)
  return Math.min(p99Ms, busy?.latencyMs?.p90 ?? p99Ms) / 1000
}

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
  const { use = [] } = offering
  const plusMonthly = balancer
    ? { ...offering.plusMonthly, price: balancer.total - balancer.ofData, why: 'the balancers' }
    : offering.plusMonthly
  const cores = getCores(offering) ?? 0
  const bill = computeBill({ ...offering, plusMonthly }, cores, { ...load, cpuSeconds: 0, memoryMiB: 0 })
  const isByUse = [use].flat().some(({ billed }) => billed === 'used')
  return isByUse ? { ...bill, monthly } : bill
}

/**
 * @typedef {object} BalancerLimit
 * @property {string} name
 * @property {number} [rps] requests per second of one node
 * @property {number} [connections] at the same time, of one node
 * @property {number} [gbits] Gbit a second of one node
 * @property {number} [nodes] of one balancer
 * @property {number} [targets] instances behind one balancer
 * @property {boolean} [isSideBySide] each node is a balancer of its own, with its own targets
 * @property {boolean} [isMeasured] measured by the maker, not guaranteed by a provider
 * @property {string} url
 * @property {string | null} dated day on which the page was last changed or checked by its author; null: unknown
 * @property {BalancerPrice} [price] left out: not read on any page of the provider
 * @property {string[]} [providers] providers of offerings that are sold without a balancer and use this one
 */

/**
 * @typedef {object} BalancerPrice in dollars
 * @property {number} node price of a node for a month
 * @property {BalancerUnit} [unit] what is billed by use
 * @property {string} url
 * @property {string} read day of the figure
 * @property {boolean} [secondary] a third party quotes the figure from there
 */

/**
 * @typedef {object} BalancerUnit billed by the largest of its dimensions
 * @property {number} monthly price of a unit all month
 * @property {number} newConnections a second
 * @property {number} connections at the same time
 * @property {number} gbPerHour
 */

/** @type {BalancerLimit[]} */
const BALANCERS = [
  {
    name: 'DigitalOcean Regional Load Balancer',
    rps: 10_000,
    connections: 10_000,
    nodes: 200,
    url: 'https://docs.digitalocean.com/products/networking/load-balancers/how-to/scale',
    dated: '2026-07-13'
  },
  {
    name: 'Scaleway LB-XL',
    connections: 3_000_000,
    gbits: 4,
    nodes: 1,
    url: 'https://www.scaleway.com/en/docs/load-balancer/reference-content/load-balancers-limitations/',
    dated: '2026-05-06'
  },
  {
    name: 'AWS Application Load Balancer',
    targets: 1000,
    isSideBySide: true,
    price: {
      node: 0.0225 * MONTH_HOURS,
      unit: { monthly: 0.008 * MONTH_HOURS, newConnections: 25, connections: 3000, gbPerHour: 1 },
      url: 'https://aws.amazon.com/elasticloadbalancing/pricing/',
      read: '2026-09-20',
      secondary: true
    },
    providers: ['AWS EC2', 'AWS Fargate'],
    url: 'https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html',
    dated: null
  },
  {
    name: 'Linode NodeBalancer',
    connections: 10_000,
    targets: 1000,
    isSideBySide: true,
    price: {
      node: 10,
      url: 'https://github.com/linode/ansible_linode/blob/dev/docs/modules/nodebalancer_type_list.md',
      read: '2026-06-09'
    },
    providers: ['Linode'],
    url: 'https://techdocs.akamai.com/linode-api/changelog/sep-30-2026-nodebalancers-and-flexible-backend-connectivity',
    dated: '2026-09-30'
  },
  {
    name: 'HAProxy 2.3 on 64 Graviton2 cores',
    rps: 2_040_000,
    isMeasured: true,
    url: 'https://www.haproxy.com/blog/' +
      'haproxy-forwards-over-2-million-http-requests-per-second-on-a-single-aws-arm-instance/',
    dated: '2021-04'
  }
]

/** Limits and prices in the form of the sources of an offering. */
export const BALANCER_FIGURES = BALANCERS.map(({ name, url, dated, price }) => ({
  provider: name,
  name,
  sources: [{ of: 'limits', url, read: dated }, ...price ? [{ of: 'price', url: price.url, read: price.read }] : []]
}))

/**
 * @typedef {object} BalancerLoad
 * @property {number} rate requests per second
 * @property {number} inFlight
 * @property {number} instances
 * @property {number} newConnections a second
 * @property {number} gbPerHour sent to clients
 */

/**
 * Returns the nodes of a balancer that a load needs, whether its published limits permit the load, and its price.
 *
 * @param {BalancerLimit} limit
 * @param {BalancerLoad} load
 */
export function fitBalancer (limit, load) {
  const { rps = Infinity, connections = Infinity, gbits = Infinity, nodes = Infinity, targets = Infinity } = limit
  const { isSideBySide, price } = limit
  const ofTargets = isSideBySide ? load.instances / targets : 1
  const ofData = load.gbPerHour * 8 / 3600 / gbits
  const needed = Math.ceil(Math.max(1, load.rate / rps, load.inFlight / connections, ofData, ofTargets))
  const fits = needed <= nodes && (isSideBySide || load.instances <= targets)
  return { limit, nodes: needed, fits, monthly: price && fits ? computeBalancerPrice(price, needed, load) : null }
}

/**
 * @param {BalancerPrice} price
 * @param {number} nodes
 * @param {BalancerLoad} load
 * @returns {{ total: number, ofData: number }} of a month; ofData: the part that the data alone would cost
 */
function computeBalancerPrice ({ node, unit }, nodes, { newConnections, inFlight, gbPerHour }) {
  if (!unit) return { total: nodes * node, ofData: 0 }
  const ofData = gbPerHour / unit.gbPerHour
  const units = Math.max(newConnections / unit.newConnections, inFlight / unit.connections, ofData)
  return { total: nodes * node + units * unit.monthly, ofData: ofData * unit.monthly }
}
