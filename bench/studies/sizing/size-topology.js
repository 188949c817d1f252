/** The story of `hopbench size`: a topology's capacity at a goal, what a request costs, how many instances of which
 * plan that makes. Whether one of them holds its share is seen in verify.js. */
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { PATHS } from '../../topology/fixtures/fixtures.js'
import { servesFiles } from '../../measure/gate/reference.js'
import { refuseUntold } from '../../machine/probe.js'
import { burstSeconds } from './bursts.js'
import { searchCapacity } from './capacity.js'
import { growthOf, microsOf, usageOf } from './cost.js'
import { priceTable } from './price.js'
import { openSizingRig } from './sizing-rig.js'

/** @import { Arm, CurvePoint, Offering, Sample, SizedTopology, TrialLine } from '../../types.js' */
/** @import { Outcome, SizeOptions, SizingRig, Usage } from './types.js' */

/** Wall time of one window; a quick look has shorter ones. */
const SECONDS = {
  trial: { full: 3, quick: 1.5 },
  curve: { full: 3, quick: 1.5 },
  peak: { full: 4, quick: 1 },
  growth: 1
}
/** Further searches are begun in this time from the start; one of them takes a quarter of a minute. */
const SEARCH_SECONDS = { full: 120, quick: 40 }
/** Shares of the capacity at which latency and cost are told. */
export const SHARES = { full: [0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95], quick: [0.25, 0.5, 0.9] }
const FLOOR_SHARE = 0.05 // A load so light that what is measured is the way there and back.
const FLOOR_REQUESTS = 100 // The unloaded latency is that of a hundred requests at least.
const GROWTH_CONNECTIONS = [10, 100, 400]
/** The generator was late: what is said of times is in doubt, what is said of CPU time is not. */
const BEHIND = 'behind-schedule'

/** @param {Arm} arm @param {SizeOptions} options @param {typeof openSizingRig} [open] another rig, for tests
 * @returns {Promise<SizedTopology & { samples: { share: number, sample: Sample }[] }>} samples: those of the curve
 * @throws {HopbenchError} goal-below-floor, goal-out-of-reach, cannot-size, and whatever keeps the topology from
 * starting */
export async function sizeTopology (arm, options, open = openSizingRig) {
  const { p99Ms, quick, note, interrupted, now, temp } = options
  const how = quick ? 'quick' : 'full'
  note(`starting ${arm.name}`)
  const rig = await open(arm, { ...options, temp: join(temp, 'unlimited') })
  try {
    const startedAt = now()
    note(`${arm.name}: its peak in a closed loop`)
    const closed = await rig.closed({ seconds: SECONDS.peak[how] })
    const peak = firstGuess(closed, arm)
    refuseUntold(closed.cpuSeconds, 'what a plan can serve')
    const floor = await floorOf(rig, arm, { peak, options, seconds: SECONDS.trial[how] })
    const trial = trialAt(rig, { ...options, name: arm.name, seconds: SECONDS.trial[how] })
    const found = await searchCapacity({
      trial,
      peak,
      quick,
      enough: () =>
        interrupted() || now() - startedAt > SEARCH_SECONDS[how]
    })
    const { trials, ...capacity } = found
    if (capacity.rate === 0) {
      throw new HopbenchError('goal-out-of-reach', {
        name: arm.name,
        p99Ms,
        why: trials.at(-1)?.why ?? 'no trial was made',
        floorMs: floor.p99Ms
      })
    }
    const { points: curve, samples } = await curveOf(rig, arm, { ...options, capacity: capacity.rate, how })
    const growth = await growthIn(rig, arm, options)
    const loaded = trials.findLast(({ holds }) => holds)?.sample ?? trials[0].sample
    const { proxy, server } = loaded.memoryMiB
    return {
      word: arm.word,
      path: arm.load.path,
      connections: arm.load.connections,
      topology: arm.topology,
      floor,
      peak,
      capacity,
      trials: trials.map(lineOf),
      curve,
      growth,
      burstMs: milliseconds(
        burstSeconds(samples.map(({ sample }) => sample.coresUsed ?? []), options.cores.served.length)
      ),
      memoryMiB: proxy + server,
      processMiB: server > 0 ? server / rig.processes : proxy,
      cores: options.cores.served.length,
      tools: rig.tools,
      samples
    }
  } finally {
    await rig.close()
  }
}

/** The latency below which no goal can be. @param {SizingRig} rig @param {Arm} arm
 * @param {{ peak: number, options: SizeOptions, seconds: number }} order */
async function floorOf (rig, arm, { peak, options: { p99Ms, seed, note }, seconds }) {
  const rate = Math.max(1, FLOOR_SHARE * peak)
  note(`${arm.name}: unloaded, ${Math.round(rate)} requests a second`)
  const { latencyMs, invalid } = await rig.paced({ rate, seconds: Math.max(seconds, FLOOR_REQUESTS / rate), seed })
  // A generator that was late makes the floor seem higher than it is: the search will show.
  if (!latencyMs || (invalid && invalid.code !== BEHIND)) {
    throw new HopbenchError('cannot-size', { name: arm.name, why: invalid?.text ?? 'nothing was answered' })
  }
  if (latencyMs.p50 > p99Ms) {
    throw new HopbenchError('goal-below-floor', {
      name: arm.name,
      p99Ms,
      floorMs: latencyMs.p99,
      p50Ms: latencyMs.p50
    })
  }
  return { rate, p50Ms: latencyMs.p50, p99Ms: latencyMs.p99 }
}

/** @param {SizingRig} rig @param {SizeOptions & { name: string, seconds: number }} options
 * @returns {(rate: number) => Promise<Outcome>} */
export function trialAt (rig, { p99Ms, seed, seconds, note, name }) {
  let n = 0
  return async rate => {
    note(`${name}: ${Math.round(rate)} requests a second`)
    return outcomeOf(await rig.paced({ rate, seconds, seed: (seed + ++n) % 2 ** 32 }), { rate, p99Ms })
  }
}

/** Whether the goal holds in a trial. @param {Sample} sample @param {{ rate: number, p99Ms: number }} goal
 * @returns {Outcome} */
export function outcomeOf (sample, { rate, p99Ms }) {
  const { errors, latencyMs, lagMs, invalid } = sample
  const failed = Object.values(errors).reduce((a, b) => a + b, 0)
  const late = latencyMs === null || latencyMs === undefined || latencyMs.p99 > p99Ms
  const behind = invalid?.code === BEHIND
  // The generator's own delay is in the latency: a goal that holds with it holds without it, too.
  const slow = `one in a hundred took ${(latencyMs?.p99 ?? NaN).toFixed(1)} ms or longer`
  const why = failed > 0
    ? `${failed} of ${sample.requests + failed} requests failed`
    : invalid && !behind
      ? invalid.text
      : late
        ? `${slow}${behind ? `, and ${invalid.text}` : ''}`
        : null
  // What is late even without it is the server's.
  return {
    rate,
    holds: why === null,
    why,
    generator: why !== null && behind && failed === 0 && (latencyMs?.p99 ?? Infinity) - (lagMs?.p99 ?? 0) <= p99Ms,
    sample
  }
}

/** @param {Outcome} outcome */
const lineOf = ({ rate, holds, why, sample: { latencyMs, lagMs } }) => ({
  rate,
  holds,
  p99Ms: latencyMs?.p99 ?? null,
  lagMs: lagMs?.p99 ?? null,
  why
})

/** @param {SizingRig} rig @param {Arm} arm @param {SizeOptions & { capacity: number, how: 'full' | 'quick' }} options
 */
async function curveOf (rig, arm, { capacity, how, seed, note, interrupted }) {
  /** @type {CurvePoint[]} */
  const points = []
  const samples = []
  for (const share of SHARES[how]) {
    if (interrupted()) break
    note(`${arm.name}: latency at ${Math.round(share * 100)} % of its capacity`)
    const sample = await rig.paced({ rate: share * capacity, seconds: SECONDS.curve[how], seed })
    const { cores } = usageOf(sample)
    samples.push({ share, sample })
    points.push({
      share,
      rate: share * capacity,
      latencyMs: sample.latencyMs ?? null,
      cores,
      micros: microsOf(sample),
      invalid: sample.invalid
    })
  }
  return { points, samples }
}

/** @param {SizingRig} rig @param {Arm} arm @param {SizeOptions} options */
async function growthIn (rig, arm, { note, interrupted }) {
  const cost = async (/** @type {{ connections?: number, path?: string }} */ load) => {
    const sample = await rig.closed({ seconds: SECONDS.growth, ...load })
    const { proxy, server } = microsOf(sample)
    // An answer that is an error costs something else.
    return sample.requests > 0 && sample.errors.non2xx + sample.errors.mismatches === 0 ? [proxy + server] : []
  }
  const connections = []
  for (const x of GROWTH_CONNECTIONS.filter(x => x <= arm.load.connections)) {
    if (interrupted()) break
    note(`${arm.name}: the cost of a request with ${x} connections`)
    connections.push(...(await cost({ connections: x })).map(micros => ({ x, micros })))
  }
  const bytes = []
  if (await servesFiles(arm) && !arm.load.paths) {
    for (const [size, path] of Object.entries(PATHS.sizes)) {
      if (interrupted()) break
      note(`${arm.name}: the cost of a request of ${size}`)
      bytes.push(...(await cost({ path })).map(micros => ({ x: KIB[size], micros })))
    }
  }
  return {
    connections,
    perConnection: connections.length > 1 ? growthOf(connections).slope : 0,
    bytes,
    perKiB: bytes.length > 1 ? growthOf(bytes).slope : null
  }
}

/** @type {Record<string, number>} */
const KIB = { '0 B': 0, '1 KB': 1, '10 KB': 10, '100 KB': 100, '1 MB': 1024 }

/** The peak in a closed loop, which is only where the search begins: answers that were late do not matter, wrong ones
 * do. @param {Sample} sample @param {Arm} arm */
function firstGuess ({ rps, errors, invalid }, arm) {
  const wrong = errors.non2xx + errors.mismatches
  if (invalid && (invalid.code !== 'errors' || wrong > 0 || !(rps > 0))) {
    throw new HopbenchError('cannot-size', { name: arm.name, why: invalid.text })
  }
  return rps
}

/** @param {CurvePoint[]} curve @returns {Usage[]} */
export const usagesOf = curve => curve.filter(({ invalid }) => invalid === null || invalid.code === BEHIND)

/** What the goal leaves for waiting. @param {Pick<SizedTopology['floor'], 'p50Ms'>} floor
 * @param {number} p99Ms the goal @returns {number} seconds */
export const delayOf = ({ p50Ms }, p99Ms) => Math.max(0, p99Ms - p50Ms) / 1000

/** @param {number | null} seconds */
const milliseconds = seconds => seconds === null ? null : seconds * 1000

/** @param {object} order @param {SizedTopology[]} order.topologies @param {Offering[]} order.plans
 * @param {number} order.rate wanted in all @param {number} order.p99Ms the goal @param {number} order.headroom */
export const pricesOf = ({ topologies, plans, rate, p99Ms, headroom }) =>
  priceTable({
    topologies: topologies.map(({ capacity: { rate: capacity, atLeast }, curve, burstMs, floor, ...measured }) => ({
      ...measured,
      capacity,
      atLeast,
      usages: usagesOf(curve),
      burst: burstMs === null ? null : burstMs / 1000,
      delay: delayOf(floor, p99Ms)
    })),
    plans,
    rate,
    headroom
  })
