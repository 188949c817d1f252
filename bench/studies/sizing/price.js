/** How many instances of which plan, and what they cost (pure). */
import { concurrencyFor } from './concurrency.js'
import { capacityUnder } from './cost.js'

/** @import { Uneven } from './cost.js' @import { Offering, PriceRow } from '../../types.js' */
/** @import { Measured } from './types.js' */

/** Kept free of the capacity, for the day that is not like the others. */
export const HEADROOM = 0.3
/** One may fail, or be replaced while a new version starts. */
export const FEWEST_INSTANCES = 2

/** @param {object} order @param {Measured[]} order.topologies @param {Offering[]} order.plans
 * @param {number} order.rate wanted in all, requests per second @param {number} [order.headroom] share
 * @param {number} [order.fewest] instances
 * @returns {PriceRow[]} the cheapest first; those of which nothing can be told last */
export function priceTable ({ topologies, plans, rate, headroom = HEADROOM, fewest = FEWEST_INSTANCES }) {
  const rows = plans.flatMap(plan => topologies.map(topology => rowOf(plan, topology, { rate, headroom, fewest })))
  return rows.sort((a, b) =>
    (a.monthly ?? Infinity) - (b.monthly ?? Infinity) || (a.instances ?? Infinity) - (b.instances ?? Infinity) ||
    a.topology.localeCompare(b.topology, 'en')
  )
}

/** @param {Offering} plan @param {Measured} topology @param {{ rate: number, headroom: number, fewest: number }} wanted
 * @returns {PriceRow} */
function rowOf (plan, topology, { rate, headroom, fewest }) {
  const untold = (/** @type {string} */ why) => ({
    plan,
    topology: topology.word,
    perInstance: null,
    atLeast: false,
    limit: null,
    usable: null,
    instances: null,
    monthly: null,
    perThousand: null,
    workers: null,
    why
  })
  if (plan.vcpu === null) return untold('no CPU is promised')
  const workers = concurrencyFor({ vcpu: plan.vcpu, memoryMiB: plan.memoryMiB }, {
    processMiB: topology.processMiB,
    besideMiB: Math.max(0, topology.memoryMiB - topology.processMiB)
  })
  if (workers.workers === 0) {
    return {
      ...untold(`its memory is too small for the ${Math.ceil(topology.memoryMiB)} MiB that are used under load`),
      workers
    }
  }
  const { rate: perInstance, quota, usable } = capacityUnder(plan.vcpu, topology.usages, topology.capacity,
    unevenOf(topology))
  if (!(perInstance > 0)) return untold('nothing was served')
  const instances = Math.max(fewest, Math.ceil(rate / (perInstance * (1 - headroom))))
  if (plan.most !== undefined && instances > plan.most) {
    return { ...untold(`there may be no more than ${plan.most} of it`), workers }
  }
  return {
    plan,
    topology: topology.word,
    perInstance,
    // What more cores than were at hand would do was not measured.
    atLeast: !quota && (topology.atLeast || plan.vcpu > topology.cores),
    limit: quota ? 'quota' : 'goal',
    usable: quota ? usable : null,
    instances,
    monthly: plan.price === null ? null : instances * plan.price,
    perThousand: plan.price === null ? null : plan.price / perInstance * 1000,
    workers,
    why: plan.price === null ? 'its provider tells no price' : null
  }
}

/** @param {Pick<Measured, 'cores' | 'burst' | 'delay'>} topology @returns {Uneven | null} */
const unevenOf = ({ cores, burst, delay }) => burst === null ? null : { cores, burst, delay }
