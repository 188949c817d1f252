/** How many instances of which plan, and what they cost (pure). */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { billOf } from './bill.js'
import { concurrencyFor } from './concurrency.js'
import { capacityUnder } from './cost.js'
import { cpuOf, isOld, nameOf } from './offerings.js'
import { capacityOf } from './scaling.js'

/** @import { Offering, PriceRow, Verification, WorkerAdvice } from '../../types.js' */
/** @import { Measured, Uneven, Wish } from './types.js' */

/** Kept free of the capacity, for the day that is not like the others. */
export const HEADROOM = 0.3
/** One may fail, or be replaced while a new version starts. */
export const FEWEST_INSTANCES = 2
const EXCHANGE = JSON.parse(readFileSync(fileURLToPath(new URL('exchange.json', import.meta.url)), 'utf8'))
const CONSTANT = { name: 'constant', shares: [1] }

/** @param {{ topologies: Measured[], plans: Offering[], rate: number } & Partial<Wish>} order
 * @returns {PriceRow[]} the cheapest first; those without an estimate last */
export function priceTable ({ topologies, plans, ...wanted }) {
  const wish = {
    headroom: HEADROOM, fewest: FEWEST_INSTANCES, most: null, profile: CONSTANT, today: '1970-01-01', ...wanted
  }
  const rows = plans.flatMap(plan => topologies.map(topology => rowOf(plan, topology, wish)))
  return rows.sort((a, b) =>
    dollars(a) - dollars(b) || (a.instances ?? Infinity) - (b.instances ?? Infinity) ||
    a.topology.localeCompare(b.topology, 'en')
  )
}

/** Plans that did not hold the goal under their limits come last, and say so. @param {PriceRow[]} rows
 * @param {Pick<Verification, 'plan' | 'topology'>[]} refuted @returns {PriceRow[]} */
export function withoutRefuted (rows, refuted) {
  const isRefuted = (/** @type {PriceRow} */ { plan, topology }) =>
    refuted.some(one => one.plan === nameOf(plan) && one.topology === topology)
  const last = rows.filter(isRefuted)
    .map(row => ({ ...row, ...NOTHING, why: 'an instance did not hold the goal at its share of the rate' }))
  return [...rows.filter(row => !isRefuted(row)), ...last]
}

/** For the order of rows only: Infinity where a price or its currency's rate is not known. @param {PriceRow} row */
function dollars ({ monthly, plan, instances }) {
  const rate = EXCHANGE.dollars[plan.currency]
  // What cannot be served at all comes after what has no price.
  return monthly === null || rate === undefined ? (instances === null ? Number.MAX_VALUE : 1e300) : monthly * rate
}

/** @param {Offering} plan @param {Measured} topology @param {Wish} wish @returns {PriceRow} */
function rowOf (plan, topology, wish) {
  const old = isOld(plan, wish.today)
  const row = { ...NOTHING, plan, topology: topology.word, old }
  const cpu = cpuOf(plan)
  if (cpu === null) return { ...row, why: 'no CPU is promised' }
  const workers = workersFor(plan, cpu, topology)
  if (workers.workers === 0) {
    const needed = Math.ceil(topology.memoryMiB)
    return { ...row, workers, why: `its memory is too small for the ${needed} MiB that are used under load` }
  }
  const { rate: perInstance, quota, usable, atLeast } = servedBy(plan, cpu, workers.workers, topology)
  if (!(perInstance > 0)) return { ...row, why: 'nothing was served' }
  const instances = Math.max(wish.fewest, Math.ceil(wish.rate / (perInstance * (1 - wish.headroom))))
  const most = Math.min(plan.most ?? Infinity, wish.most ?? Infinity)
  if (instances > most) {
    const by = wish.most === most ? '--max allows' : 'there may be'
    return { ...row, workers, why: `${by} no more than ${most} of it` }
  }
  const bill = billOf(plan, cpu, loadOf(topology, { ...wish, instances, perInstance }))
  return {
    ...row,
    perInstance,
    atLeast,
    limit: quota ? 'quota' : 'goal',
    usable: quota ? usable : null,
    instances,
    ...bill,
    perThousand: thousandOf(plan, cpu, topology, perInstance),
    workers,
    why: bill.monthly === null ? 'its provider publishes no price' : null
  }
}

const NOTHING = {
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

/** @param {Offering} plan @param {number} cpu @param {Measured} topology @returns {WorkerAdvice} */
const workersFor = ({ memoryMiB }, cpu, topology) => concurrencyFor({ vcpu: cpu, memoryMiB }, {
  processMiB: topology.processMiB,
  besideMiB: Math.max(0, topology.memoryMiB - topology.processMiB * (topology.processes ?? 1))
})

/** What an instance serves at the goal: less than was measured under a quota, more with more processes.
 * @param {Offering} plan @param {number} cpu @param {number} workers @param {Measured} topology */
function servedBy (plan, cpu, workers, topology) {
  const several = capacityOf(topology, Math.min(workers, Math.max(1, Math.floor(cpu))))
  const under = capacityUnder(cpu, topology.usages, several.rate, unevenOf(topology, plan))
  // What more cores than were at hand would do was not measured.
  return { ...under, atLeast: !under.quota && (topology.atLeast || several.atLeast) }
}

/** @param {Measured} topology @param {Wish & { instances: number, perInstance: number }} wish */
function loadOf ({ usages, memoryMiB, bytesPerResponse = null }, { profile, rate, instances, fewest, perInstance }) {
  const share = rate / instances
  const near = usages.length > 0
    ? usages.reduce((a, b) => Math.abs(b.rate - share) < Math.abs(a.rate - share) ? b : a)
    : { rate: perInstance, cores: 1 }
  return { profile, rate, instances, fewest, cpuSeconds: near.cores / near.rate, memoryMiB, bytes: bytesPerResponse }
}

/** Of one instance that serves all it can, all day. @param {Offering} plan @param {number} cpu
 * @param {Measured} topology @param {number} perInstance */
function thousandOf (plan, cpu, topology, perInstance) {
  const { monthly } = billOf({ ...plan, autoscales: false }, cpu, loadOf(topology, {
    profile: CONSTANT, rate: perInstance, instances: 1, fewest: 1, perInstance, headroom: 0, most: null, today: ''
  }))
  return monthly === null ? null : monthly / perInstance * 1000
}

/** @param {Pick<Measured, 'cores' | 'burst' | 'delay' | 'pause'>} topology @param {Offering} plan
 * @returns {Uneven | null} */
const unevenOf = ({ cores, burst, delay, pause }, { burst: rules }) => burst === null
  ? null
  : { cores, burst, delay, pause, ...rules?.periodMs && { period: rules.periodMs / 1000 } }
