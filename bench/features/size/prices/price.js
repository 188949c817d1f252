/** Computes how many instances of each offering serve a rate, and what they cost (pure). */
import { CONSTANT, computeBill } from './bill.js'
import { toUnit, toUnits } from './currency.js'
import { isOf } from './emulated-rows.js'
import {
  adviseFor, computeMemory, computeMostBy, estimateInstance, estimateRange, isTlsAtInstance, MEMORY_HEADROOM,
  withTlsCost
} from './instance.js'
import { getCores, isOld } from './offerings.js'
import { getSpeed, withSpeed } from './portability.js'

/** @import { LoadProfile, Offering, PriceRow, SizingWhy, Emulated } from '../../../types.js' */
/** @import { Measured } from '../types.js' */

const NO_ESTIMATE = {
  perInstance: null,
  atLeast: false,
  limit: null,
  usable: null,
  instances: null,
  meanInstances: null,
  minimum: null,
  monthly: null,
  egress: null,
  total: null,
  range: null,
  perThousand: null,
  workers: null,
  why: null
}

/**
 * Computes a row for each offering and topology.
 *
 * @param {object} order
 * @param {Measured[]} order.topologies
 * @param {Offering[]} order.offerings
 * @param {number} order.rate requests per second at the peak
 * @param {number} order.headroom share of the capacity
 * @param {number} order.spare instances that may be lost
 * @param {number} order.newConnections share of requests on a new connection, where the instance ends TLS
 * @param {number} order.fewest instances
 * @param {number | null} order.most instances; null: unlimited
 * @param {LoadProfile} order.profile
 * @param {string} order.today "2026-11-22"
 * @returns {PriceRow[]} the cheapest with traffic first, then rows whose traffic has no price, then both in currencies
 * without an exchange rate, then rows without a price, then rows without an estimate
 */
export function priceTable ({ topologies, offerings, ...wish }) {
  const rows = offerings.flatMap(offering => topologies.map(topology => {
    const row = computeRow(offering, topology, wish)
    if (!isTlsAtInstance(offering, row.instances)) return row
    const withTls = computeRow(offering, withTlsCost(topology, wish.newConnections), wish)
    return topology.tls || topology.endsTls ? withTls : { ...withTls, withoutTls: true }
  }))
  return rows.sort((a, b) =>
    rank(a) - rank(b) || compareCurrencies(a, b) || toUnits(a) - toUnits(b) ||
    (a.instances ?? Infinity) - (b.instances ?? Infinity) || a.topology.localeCompare(b.topology, 'en')
  )
}

/**
 * Moves offerings that did not hold the goal under their limits to the end of a table, without an estimate.
 *
 * @param {PriceRow[]} rows
 * @param {Pick<Emulated, 'offering' | 'topology'>[]} refuted
 * @returns {PriceRow[]}
 */
export function withoutRefuted (rows, refuted) {
  const isRefuted = (/** @type {PriceRow} */ row) => refuted.some(found => isOf(found, row))
  /** @type {SizingWhy} */
  const why = { code: 'goal-missed', params: {} }
  return [
    ...rows.filter(row => !isRefuted(row)),
    ...rows.filter(isRefuted).map(row => ({ ...row, ...NO_ESTIMATE, why }))
  ]
}

/** Returns the group in which a row is sorted by price. @param {PriceRow} row */
function rank ({ instances, monthly, total = null, offering: { currency } }) {
  if (instances === null) return 5
  if (monthly === null) return 4
  return (toUnit(currency) === 'USD' ? 0 : 2) + (total === null ? 1 : 0)
}

/**
 * Compares rows by currency, because prices without an exchange rate are comparable within one currency only. All
 * currencies with an exchange rate are equal.
 *
 * @param {PriceRow} a
 * @param {PriceRow} b
 */
const compareCurrencies = (a, b) => toUnit(a.offering.currency).localeCompare(toUnit(b.offering.currency), 'en')

/**
 * @param {Offering} offering
 * @param {Measured} measured
 * @param {Omit<Parameters<typeof priceTable>[0], 'topologies' | 'offerings'>} wish
 * @returns {PriceRow}
 */
function computeRow (offering, measured, wish) {
  const { portability, ...speed } = getSpeed(offering, measured.score)
  const topology = withSpeed(measured, speed.middle)
  const row = {
    ...NO_ESTIMATE,
    offering,
    topology: topology.spec,
    old: isOld(offering, wish.today)
  }
  const refused = findExceededLimit(offering, wish.rate, topology)
  if (refused) return { ...row, why: refused }
  const cores = getCores(offering)
  if (cores === null) return { ...row, why: { code: 'no-cpu-promised', params: {} } }
  const advice = adviseFor(offering, cores, topology)
  if (advice.workers === 0) {
    const memoryMiB = computeMemory(topology, 1)
    const params = { usedMiB: Math.ceil(memoryMiB), neededMiB: Math.ceil(memoryMiB / (1 - MEMORY_HEADROOM)) }
    return { ...row, workers: advice, why: { code: 'memory-too-small', params } }
  }
  const size = { cores, workers: advice.workers }
  const estimate = estimateInstance(offering, size, topology)
  const concurrent = computeMostBy(offering, topology)
  const isConcurrencyLimit = concurrent < estimate.rate
  const perInstance = Math.min(estimate.rate, concurrent)
  if (!(perInstance > 0)) return { ...row, why: { code: 'nothing-served', params: {} } }
  const instances = countInstances(perInstance, wish)
  const most = Math.min(offering.most ?? Infinity, wish.most ?? Infinity)
  if (instances > most) {
    const limit = wish.most === most ? '--max' : 'provider'
    return { ...row, workers: advice, why: { code: 'too-few-instances', params: { most, limit } } }
  }
  const bill = computeBillFor(offering, topology, wish, { ...size, perInstance })
  const ends = estimateRange(offering, topology, speed)
  return {
    ...row,
    perInstance,
    atLeast: estimate.atLeast && !isConcurrencyLimit,
    limit: isConcurrencyLimit ? 'concurrency' : estimate.quota ? 'quota' : 'goal',
    portability,
    speed,
    ...estimate.by && { scaling: estimate.by },
    usable: estimate.quota ? estimate.usable : null,
    instances,
    ...bill,
    range: ends && computeRange(offering, topology, wish, { ...size, ends, concurrent, most, instances, bill }),
    perThousand: computePerThousand(offering, topology, { ...size, perInstance }),
    workers: advice,
    why: bill.monthly === null ? { code: 'no-price', params: {} } : null
  }
}

/**
 * Counts instances: enough for the headroom, and enough to serve the rate at the goal without the spare ones.
 *
 * @param {number} perInstance
 * @param {{ rate: number, headroom: number, spare: number, fewest: number }} wish
 */
export const countInstances = (perInstance, { rate, headroom, spare, fewest }) =>
  Math.max(fewest, Math.ceil(rate / (perInstance * (1 - headroom))), spare + Math.ceil(rate / perInstance))

/**
 * Computes a bill in which the spare instances run at all times.
 *
 * @param {Offering} offering
 * @param {Measured} topology
 * @param {Parameters<typeof computeRow>[2]} wish
 * @param {{ cores: number, workers: number, perInstance: number, most?: number }} size most: instances
 */
function computeBillFor (offering, topology, wish, { cores, workers, perInstance, most = Infinity }) {
  const { profile, rate, spare } = wish
  const fewest = Math.max(wish.fewest, 1 + spare)
  const toCount = (/** @type {number} */ headroom) => (/** @type {number} */ current) =>
    Math.min(most, countInstances(perInstance, { headroom, spare, fewest, rate: current }))
  const [countAt, leastAt] = [toCount(wish.headroom), toCount(0)]
  const use = computeUse(topology, { workers, perInstance, rate: rate / countAt(rate) })
  return computeBill(offering, cores, { profile, rate, countAt, leastAt, ...use })
}

/**
 * Computes the range of instances and totals, which contains the estimate. The total is of the instances that can be
 * had. Upper ends are left out if an instance may serve nothing at the goal.
 *
 * @param {Offering} offering
 * @param {Measured} topology
 * @param {Parameters<typeof computeRow>[2]} wish
 * @param {object} row
 * @param {number} row.cores
 * @param {number} row.workers
 * @param {{ low: number, high: number }} row.ends requests per second of an instance
 * @param {number} row.concurrent requests per second that the provider's limit of concurrency permits
 * @param {number} row.most instances
 * @param {number} row.instances
 * @param {ReturnType<typeof computeBill>} row.bill
 * @returns {PriceRow['range']}
 */
function computeRange (offering, topology, wish, { ends, concurrent, most, instances, bill, ...size }) {
  const computeEnd = (/** @type {number} */ rate) => {
    const perInstance = Math.min(rate, concurrent)
    const { total } = computeBillFor(offering, topology, wish, { ...size, perInstance, most })
    return { instances: countInstances(perInstance, wish), total }
  }
  const many = ends.low > 0 ? computeEnd(ends.low) : UNBOUNDED
  return toRange({ instances, total: bill.total }, { few: computeEnd(ends.high), many, most })
}

/**
 * Upper end of a range where an instance may serve nothing at the goal.
 * @type {{ instances: number, total: number | null }} total: of the bill; null: a part is unknown
 */
export const UNBOUNDED = { instances: Infinity, total: null }

/**
 * Returns the range of instances and totals between two ends, which contains the estimate.
 *
 * @param {typeof UNBOUNDED} estimate
 * @param {{ few: typeof UNBOUNDED, many: typeof UNBOUNDED, most: number }} ends most: instances that a limit permits
 * @returns {NonNullable<PriceRow['range']>}
 */
export function toRange ({ instances, total }, { few, many, most }) {
  const range = {
    instances: {
      low: Math.min(few.instances, instances),
      ...many.instances < Infinity && { high: Math.max(many.instances, instances) }
    },
    ...many.instances > most && { most }
  }
  if (few.total === null || total === null) return { ...range, total: null }
  const high = many.total === null ? {} : { high: Math.max(many.total, total) }
  return { ...range, total: { low: Math.min(few.total, total), ...high } }
}

/**
 * Returns the published limit of a provider that a rate exceeds. The number of connections in use follows from Little's
 * law (Little 1961): requests in flight are the rate times the response time, here that of the goal.
 *
 * @param {Offering} offering
 * @param {number} rate of all instances
 * @param {Measured} topology
 * @returns {SizingWhy | null}
 */
function findExceededLimit ({ mostRps, mostConnections }, rate, { goalSeconds }) {
  if (rate > (mostRps ?? Infinity)) return { code: 'too-many-requests', params: { most: Number(mostRps) } }
  const [most, needed] = [mostConnections ?? Infinity, Math.ceil(rate * goalSeconds)]
  if (needed > most) return { code: 'too-many-connections', params: { most, needed } }
  return null
}

/**
 * Returns what the bill depends on, as measured at the closest rate.
 *
 * @param {Measured} topology
 * @param {{ workers: number, rate: number, perInstance: number }} size rate: of an instance; perInstance: the rate that
 * it serves at the goal
 */
function computeUse (topology, { workers, rate, perInstance }) {
  const { usages, bytesPerResponse = null, responseMs, startSeconds } = topology
  const closest = usages.length > 0
    ? usages.reduce((a, b) => Math.abs(b.rate - rate) < Math.abs(a.rate - rate) ? b : a)
    : { rate: perInstance, cores: 1 }
  return {
    cpuSeconds: closest.cores / closest.rate,
    memoryMiB: computeMemory(topology, workers),
    bytes: bytesPerResponse,
    responseMs,
    startSeconds
  }
}

/**
 * Computes the monthly price with traffic per 1,000 requests per second of one instance that serves its whole capacity
 * all day, without what is paid once for all instances.
 *
 * @param {Offering} offering
 * @param {Measured} topology
 * @param {{ cores: number, workers: number, perInstance: number }} size
 * @returns {number | null} null: a price is not published
 */
function computePerThousand ({ plusMonthly, autoscales, ...offering }, topology, { cores, workers, perInstance }) {
  const use = computeUse(topology, { workers, perInstance, rate: perInstance })
  const { total } = computeBill(offering, cores, { profile: CONSTANT, rate: perInstance, countAt: () => 1, ...use })
  return total === null ? null : total / perInstance * 1000
}
