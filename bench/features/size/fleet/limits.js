/** Published limits and prices of balancers, to compare a fleet with. */
import { MONTH_HOURS } from '../month.js'

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
export const BALANCERS = [
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
