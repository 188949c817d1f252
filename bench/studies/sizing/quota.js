/** How much of a quota of CPU time can be used at a latency goal: a server under it, simulated (pure).
 * Requests come by chance; now and then one of them brings a garbage collection with it, which uses several cores at
 * once. What a period's quota does not cover waits for the next one (Documentation/scheduler/sched-bwc.rst of the
 * kernel). */
import { randomFrom } from '../../shared/random.js'
import { PERIOD_SECONDS } from './bursts.js'

/** @import { Uneven } from './types.js' */

const LATE_SHARE = 0.01 // Of a hundred answers one may be late.
/** Requests of a simulation: so many of them have a hundred collections and more, some of them close together. */
const REQUESTS = 100_000
const SEED = 1 // The same requests for each rate: the share is found where one in a hundred of them is late.
/** A bracket of shares is halved so often: within 0.5 %. */
const HALVINGS = 8
/** Threads of V8 beside JavaScript's own: node --v8-pool-size, 4 unless set, whatever the plan has. */
const V8_THREADS = 4
/** Who has waited so long is served together with others. */
const TOGETHER_SECONDS = 0.003
/** After a period without CPU time caches are cold: so many requests cost as much as alone, with so much CPU time lost
 * at most. Of Express with JSON at a quota of 0.06, 0.13 and 0.25 cores each period lost 2.4, 1.9 and 0.5 ms; with
 * files, 2.2 and 2.1 ms at 0.06 and 0.13. */
const COLD = { requests: 13, seconds: 0.002 }
/** Requests that are served together cost at least this share of what one costs alone: a point that was measured in a
 * lucky moment must not promise more. */
const LEAST_BATCH = 0.3
const MOST_COLLECTING = 0.7 // Of the CPU time of an app that allocates much.

/** The highest rate at which one answer in a hundred is late, as a share of the rate at which the quota is used up by
 * requests that are served one by one. @param {Uneven & { cpu: number }} quota
 * @returns {number} from 0; above 1 where those that have waited together cost less */
export function usableShare (quota) {
  const key = JSON.stringify(quota)
  const share = known.get(key) ?? shareOf(quota)
  known.set(key, share)
  return share
}

/** A table is made after every topology, and its plans have few quotas. @type {Map<string, number>} */
const known = new Map()

/** @param {Uneven & { cpu: number }} quota */
function shareOf (quota) {
  if (!(quota.delay > 0)) return 0
  const server = serverOf(quota)
  if (server.mean === 0) return 1
  const isLate = (/** @type {number} */ share) => {
    const rate = share * quota.cpu / server.mean
    const alone = quota.costs ? Math.max(0, costAt(quota.costs, rate) - server.collecting) : server.cost
    return lateShare({ ...server, alone, rate, delay: quota.delay }) > LATE_SHARE
  }
  const most = 1 / server.batch
  if (!isLate(most)) return most
  let [holds, late] = [0, most]
  for (let i = 0; i < HALVINGS; i++) {
    const share = (holds + late) / 2
    if (isLate(share)) late = share
    else holds = share
  }
  return holds
}

/** A variance of I times the mean comes of requests that cost c each, and of collections that take P once in n:
 * P²/n = c(I − c). Those that are in two periods of the reading, T, add less to it: P/3T of them.
 * @param {Uneven & { cpu: number }} quota */
function serverOf (quota) {
  const { cpu, cores, burst, cost = burst / 2, batch = 1, period = PERIOD_SECONDS } = quota
  // With smaller ones collections would take more than all that requests cost.
  const pause = Math.max(quota.pause ?? 0.02, (burst - cost) / MOST_COLLECTING)
  const over = cost * (burst - cost) / Math.max(0.5, 1 - pause / (3 * PERIOD_SECONDS))
  const every = over > 0 && pause > 0 ? Math.max(1, pause ** 2 / over) : Infinity
  return {
    quota: cpu * period,
    period,
    mean: cost,
    collecting: pause / every,
    cost: Math.max(0, cost - pause / every),
    batch: Math.min(1, Math.max(LEAST_BATCH, batch)),
    pause,
    every,
    speed: Math.max(1, Math.min(cores, V8_THREADS + 1))
  }
}

/** Between two rates that were measured, by the logarithm of the rate.
 * @param {{ rate: number, cost: number }[]} costs by rate @param {number} rate */
function costAt (costs, rate) {
  const i = costs.findIndex(known => known.rate >= rate)
  if (i <= 0) return costs.at(i)?.cost ?? 0
  const [from, to] = [costs[i - 1], costs[i]]
  return to.rate === from.rate
    ? to.cost
    : from.cost + (to.cost - from.cost) * Math.log(rate / from.rate) / Math.log(to.rate / from.rate)
}

/** @typedef {ReturnType<typeof serverOf>} Server */

/** @param {Server & { alone: number, rate: number, delay: number }} server alone: what a request costs at this rate
 * @returns {number} share of answers that waited longer */
function lateShare (server) {
  const { rate, delay, cost, alone, batch, pause, every, ...under } = server
  const random = randomFrom(SEED, 'quota')
  const work = quotaClock(under)
  const cold = Math.min(COLD.seconds / COLD.requests, (1 - batch) * cost)
  let [at, late] = [0, 0]
  for (let i = 0; i < REQUESTS; i++) {
    at -= Math.log(1 - random()) / rate
    const start = Math.max(work.now, at)
    work.now = start
    if (random() < 1 / every) work.use(pause, under.speed)
    const waited = start - at > TOGETHER_SECONDS
    work.use(waited ? Math.min(alone, batch * cost) + (work.cold-- > 0 ? cold : 0) : alone, 1)
    if (work.now - at > delay) late++
  }
  return late / REQUESTS
}

/** A clock that stands still for work while a period's quota is used up. @param {{ quota: number, period: number }}
 * under */
function quotaClock ({ quota, period }) {
  let [current, left] = [0, quota]
  return {
    now: 0,
    cold: 0, // requests that find cold caches, of those that wait
    /** @param {number} seconds of CPU time @param {number} speed cores that it uses at once */
    use (seconds, speed) {
      for (let todo = seconds; todo > 1e-9;) {
        const index = Math.floor(this.now / period + 1e-9)
        if (index > current) [current, left] = [index, quota]
        const ends = (current + 1) * period
        const done = Math.min(todo, left, (ends - this.now) * speed)
        todo -= done
        left -= done
        const isUsedUp = left < 1e-9 && todo > 1e-9
        this.now = isUsedUp ? ends : this.now + done / speed
        if (isUsedUp) this.cold = COLD.requests
      }
    }
  }
}
