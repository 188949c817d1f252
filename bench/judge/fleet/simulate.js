/** Discrete-event simulation of instances behind a balancer. Each instance serves one request at a time, in order of
 * arrival, as one Node process does. Requests arrive at random (Poisson). Times in seconds. */
import { randomFrom } from '../../shared/random.js'

/** @import { Random } from '../../shared/random.js' */

/** Ratio of the upper and lower bound of a bucket. */
const RATIO = 1.005
const LOG_RATIO = Math.log(RATIO)

/**
 * Rule by which a balancer chooses an instance. shared-queue: the first idle one takes the oldest request, as in M/M/n.
 * @typedef {'round-robin' | 'random' | 'least-connections' | 'shared-queue'} Policy
 */

/**
 * @typedef {object} Fleet
 * @property {number} instances
 * @property {number} rate requests per second of all instances
 * @property {Policy} policy
 * @property {(random: Random) => number} service draws a service time
 * @property {{ instance: number, factor: number }} [slow] factor of this instance's service times
 * @property {{ instance: number, at: number }} [lost] share of the requests after which this instance ends. Requests
 *   in flight there fail; later ones are sent to the others, because balancers retry a refused connection elsewhere.
 * @property {number} [requests]
 * @property {number} [seed]
 */

/** Requests of a simulation, so that 2,000 responses lie beyond the p99. */
const REQUESTS = 200_000
/** Share of the requests before the queues have their usual length. */
const WARM_UP = 0.1

/**
 * Simulates a fleet. The same seed gives the same arrivals and service times for each policy.
 *
 * @param {Fleet} fleet
 */
export function simulateFleet (fleet) {
  const { lost, requests = REQUESTS, seed = 1 } = fleet
  const arrivals = randomFrom(seed, 'arrivals')
  const services = randomFrom(seed, 'service')
  const servers = toInstances(fleet)
  const choose = CHOICES[fleet.policy](randomFrom(seed, 'choice'))
  const totals = new Totals()
  let up = servers
  let now = 0
  const lostFrom = lost ? Math.round(lost.at * requests) : Infinity
  for (let i = 0; i < requests; i++) {
    now -= Math.log(1 - arrivals()) / fleet.rate
    if (lost && i === lostFrom) {
      totals.failed += servers[lost.instance].countInFlight(now)
      up = servers.filter((_, index) => index !== lost.instance)
    }
    const response = choose(up, now).serve(now, fleet.service(services))
    if (i >= WARM_UP * requests) totals.add(response)
  }
  return totals.summarise(requests)
}

/** @param {Pick<Fleet, 'instances' | 'slow'>} fleet */
const toInstances = ({ instances, slow }) =>
  Array.from({ length: instances }, (_, i) => new Instance(slow?.instance === i ? slow.factor : 1))

/** An instance with a queue. */
class Instance {
  free = 0
  #factor
  /** @type {number[]} times at which its requests end, in order */
  #ends = []
  #first = 0

  /** @param {number} factor of its service times */
  constructor (factor) {
    this.#factor = factor
  }

  /**
   * Serves a request after those before it.
   *
   * @param {number} now
   * @param {number} seconds
   */
  serve (now, seconds) {
    const start = Math.max(now, this.free)
    this.free = start + seconds * this.#factor
    this.countInFlight(now)
    this.#ends.push(this.free)
    return { wait: start - now, time: this.free - now }
  }

  /** Returns the requests that wait or are served. @param {number} now */
  countInFlight (now) {
    while (this.#first < this.#ends.length && this.#ends[this.#first] <= now) this.#first++
    if (this.#first > 1024) {
      this.#ends.splice(0, this.#first)
      this.#first = 0
    }
    return this.#ends.length - this.#first
  }
}

/** Sums over the measured responses. */
class Totals {
  failed = 0
  #count = 0
  #time = 0
  #wait = 0
  #waited = 0
  /** @type {Map<number, number>} responses by bucket */
  #buckets = new Map()

  /** @param {{ wait: number, time: number }} response */
  add ({ wait, time }) {
    this.#count++
    this.#time += time
    this.#wait += wait
    if (wait > 0) this.#waited++
    const bucket = toBucket(time)
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1)
  }

  /**
   * Returns response times and waiting times in seconds, and the shares of requests that waited and that failed.
   *
   * @param {number} requests
   */
  summarise (requests) {
    return {
      mean: this.#time / this.#count,
      meanWait: this.#wait / this.#count,
      p50: histogramQuantile(this.#buckets, this.#count, 0.5),
      p99: histogramQuantile(this.#buckets, this.#count, 0.99),
      waited: this.#waited / this.#count,
      failed: this.failed / requests
    }
  }
}

/**
 * Makes the choice of an instance by policy.
 * @type {Record<Policy, (random: Random) => (servers: Instance[], now: number) => Instance>}
 */
const CHOICES = {
  'round-robin': () => {
    let next = 0
    return servers => servers[next++ % servers.length]
  },
  random: random => servers => servers[Math.floor(random() * servers.length)],
  // Ties are broken in turn, as nginx and HAProxy do.
  'least-connections': () => {
    let next = 0
    return (servers, now) => {
      const from = next++
      const inTurn = servers.map((_, i) => servers[(from + i) % servers.length])
      return lowestOf(inTurn, server => server.countInFlight(now))
    }
  },
  'shared-queue': () => servers => lowestOf(servers, server => server.free)
}

/**
 * Returns the first instance with the lowest value.
 *
 * @param {Instance[]} servers
 * @param {(server: Instance) => number} getValue
 */
function lowestOf (servers, getValue) {
  let best = servers[0]
  let lowest = getValue(best)
  for (const server of servers.slice(1)) {
    const value = getValue(server)
    if (value < lowest) [best, lowest] = [server, value]
  }
  return best
}

/** Returns the index of the bucket of a time in seconds. @param {number} seconds */
const toBucket = seconds => Math.round(Math.log(Math.max(seconds, 1e-9)) / LOG_RATIO)

/**
 * @param {Map<number, number>} buckets count by index
 * @param {number} count of all buckets
 * @param {number} p
 * @returns {number} seconds
 */
function histogramQuantile (buckets, count, p) {
  let seen = 0
  for (const [index, here] of [...buckets].sort(([a], [b]) => a - b)) {
    seen += here
    if (seen >= p * count) return Math.exp(index * LOG_RATIO)
  }
  return NaN
}
