/** Computes how many instances of each offering serve a rate, and what they cost (pure). */
import { offeringName } from '../../report/tables/sizing.js'
import { computeBill } from './bill.js'
import { adviseFor, estimateInstance } from './instance.js'
import { getCores, isOld } from './offerings.js'

/** @import { LoadProfile, Offering, PriceRow, SizingWhy, Verification } from '../../types.js' */
/** @import { Measured } from './types.js' */

/** Share of the capacity kept free for unusual days. */
export const HEADROOM = 0.3
/** Two, so that one may fail or be replaced by a new version. */
export const FEWEST_INSTANCES = 2
const CONSTANT = { name: 'constant', shares: [1] }

/** Dollars for one unit of a currency, used only to order prices: the European Central Bank's reference rates of
 * 2026-05-27 (https://www.ecb.europa.eu, Statistics, Euro foreign exchange reference rates).
 * @type {Record<string, number>} */
const DOLLARS = { USD: 1, EUR: 1.1637 }

/** Sort key of a row that has instances but no comparable price: after all prices, before rows without instances. */
const UNPRICED = 1e300

const NO_ESTIMATE = {
  perInstance: null,
  atLeast: false,
  limit: null,
  usable: null,
  instances: null,
  meanInstances: null,
  monthly: null,
  egress: null,
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
 * @param {number} [order.headroom] share of the capacity
 * @param {number} [order.fewest] instances
 * @param {number | null} [order.most] instances; null: unlimited
 * @param {LoadProfile} [order.profile]
 * @param {string} [order.today] "2026-11-22"
 * @returns {PriceRow[]} the cheapest first, rows without an estimate last
 */
export function priceTable ({ topologies, offerings, ...wanted }) {
  const wish = {
    headroom: HEADROOM, fewest: FEWEST_INSTANCES, most: null, profile: CONSTANT, today: '1970-01-01', ...wanted
  }
  const rows = offerings.flatMap(offering => topologies.map(topology => computeRow(offering, topology, wish)))
  return rows.sort((a, b) =>
    toDollars(a) - toDollars(b) || (a.instances ?? Infinity) - (b.instances ?? Infinity) ||
    a.topology.localeCompare(b.topology, 'en')
  )
}

/**
 * Moves offerings that did not hold the goal under their limits to the end of a table, without an estimate.
 *
 * @param {PriceRow[]} rows
 * @param {Pick<Verification, 'offering' | 'topology'>[]} refuted
 * @returns {PriceRow[]}
 */
export function withoutRefuted (rows, refuted) {
  const isRefuted = (/** @type {PriceRow} */ { offering, topology }) =>
    refuted.some(verification => verification.offering === offeringName(offering) && verification.topology === topology)
  /** @type {SizingWhy} */
  const why = { code: 'goal-missed', params: {} }
  return [
    ...rows.filter(row => !isRefuted(row)),
    ...rows.filter(isRefuted).map(row => ({ ...row, ...NO_ESTIMATE, why }))
  ]
}

/** Returns a sort key. @param {PriceRow} row */
function toDollars ({ monthly, offering, instances }) {
  if (instances === null) return Number.MAX_VALUE
  const rate = DOLLARS[offering.currency]
  return monthly === null || rate === undefined ? UNPRICED : monthly * rate
}

/**
 * @param {Offering} offering
 * @param {Measured} topology
 * @param {Required<Omit<Parameters<typeof priceTable>[0], 'topologies' | 'offerings'>>} wish
 * @returns {PriceRow}
 */
function computeRow (offering, topology, wish) {
  const row = { ...NO_ESTIMATE, offering, topology: topology.word, old: isOld(offering, wish.today) }
  const cores = getCores(offering)
  if (cores === null) return { ...row, why: { code: 'no-cpu-promised', params: {} } }
  const advice = adviseFor(offering, cores, topology)
  if (advice.workers === 0) {
    const neededMiB = Math.ceil(topology.memoryMiB)
    return { ...row, workers: advice, why: { code: 'memory-too-small', params: { neededMiB } } }
  }
  const estimate = estimateInstance(offering, { cores, workers: advice.workers }, topology)
  const perInstance = estimate.rate
  if (!(perInstance > 0)) return { ...row, why: { code: 'nothing-served', params: {} } }
  const instances = Math.max(wish.fewest, Math.ceil(wish.rate / (perInstance * (1 - wish.headroom))))
  const most = Math.min(offering.most ?? Infinity, wish.most ?? Infinity)
  if (instances > most) {
    const limit = wish.most === most ? '--max' : 'provider'
    return { ...row, workers: advice, why: { code: 'too-few-instances', params: { most, limit } } }
  }
  const { profile, rate, fewest } = wish
  const use = computeUse(topology, rate / instances, perInstance)
  const bill = computeBill(offering, cores, { profile, rate, fewest, instances, ...use })
  return {
    ...row,
    perInstance,
    atLeast: estimate.atLeast,
    limit: estimate.quota ? 'quota' : 'goal',
    usable: estimate.quota ? estimate.usable : null,
    instances,
    ...bill,
    perThousand: computePerThousand(offering, cores, topology, perInstance),
    workers: advice,
    why: bill.monthly === null ? { code: 'no-price', params: {} } : null
  }
}

/**
 * Returns what the bill depends on, as measured at the closest rate.
 *
 * @param {Measured} topology
 * @param {number} rate of an instance
 * @param {number} perInstance the rate that an instance serves at the goal
 */
function computeUse ({ usages, memoryMiB, bytesPerResponse = null }, rate, perInstance) {
  const closest = usages.length > 0
    ? usages.reduce((a, b) => Math.abs(b.rate - rate) < Math.abs(a.rate - rate) ? b : a)
    : { rate: perInstance, cores: 1 }
  return { cpuSeconds: closest.cores / closest.rate, memoryMiB, bytes: bytesPerResponse }
}

/**
 * Computes the monthly price per 1,000 requests per second of one instance that serves its whole capacity all day.
 *
 * @param {Offering} offering
 * @param {number} cores to calculate with
 * @param {Measured} topology
 * @param {number} perInstance
 */
function computePerThousand (offering, cores, topology, perInstance) {
  const use = computeUse(topology, perInstance, perInstance)
  const load = { profile: CONSTANT, rate: perInstance, instances: 1, fewest: 1, ...use }
  const { monthly } = computeBill({ ...offering, autoscales: false }, cores, load)
  return monthly === null ? null : monthly / perInstance * 1000
}
