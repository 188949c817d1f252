/** Published limits of balancers, to compare a fleet with. */

/**
 * @typedef {object} BalancerLimit
 * @property {string} name
 * @property {number} [rps] requests per second of one node
 * @property {number} [connections] at the same time, of one node
 * @property {number} [nodes] of one balancer
 * @property {number} [targets] instances behind one balancer
 * @property {boolean} [isMeasured] measured by the maker, not guaranteed by a provider
 * @property {string} url
 * @property {string} dated day on which the page was last changed or checked by its author
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
    nodes: 1,
    url: 'https://www.scaleway.com/en/docs/load-balancer/reference-content/load-balancers-limitations/',
    dated: '2026-05-06'
  },
  {
    name: 'AWS Application Load Balancer',
    targets: 1000,
    url: 'https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html',
    dated: 'without a day'
  },
  {
    name: 'HAProxy 2.3 on 64 Graviton2 cores',
    rps: 2_040_000,
    isMeasured: true,
    url: 'https://www.haproxy.com/blog/haproxy-forwards-over-2-million-http-requests-per-second-on-a-single-aws-arm-instance/',
    dated: '2021-04'
  }
]

/**
 * Returns the nodes of a balancer that a load needs, and whether its published limits permit the load.
 *
 * @param {BalancerLimit} limit
 * @param {{ rate: number, inFlight: number, instances: number }} load
 */
export function fitBalancer (limit, { rate, inFlight, instances }) {
  const { rps = Infinity, connections = Infinity, nodes = Infinity, targets = Infinity } = limit
  const needed = Math.max(1, Math.ceil(rate / rps), Math.ceil(inFlight / connections))
  return { limit, nodes: needed, fits: needed <= nodes && instances <= targets }
}
