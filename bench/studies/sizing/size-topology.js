/** The story of `hopbench size`: a topology's capacity at a goal, what a request costs, how many instances of which
 * plan that makes. Whether one of them holds its share is seen in verify.js. */
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { PATHS } from '../../topology/fixtures/fixtures.js'
import { servesFiles } from '../../measure/gate/reference.js'
import { refuseUntold } from '../../machine/probe.js'
import { burstSeconds, pauseSeconds } from './bursts.js'
import { searchCapacity } from './capacity.js'
import { factorHeldBy } from './confidence.js'
import { growthOf, microsOf, usageOf } from './cost.js'
import { measureCurve } from './curve.js'
import { priceTable } from './price.js'
import { openSizingRig } from './sizing-rig.js'
import { soak } from './soak.js'

/** @import { Arm, CurvePoint, Offering, Sample, SizedTopology } from '../../types.js' */
/** @import { Capacity, Measured, Outcome, SizeOptions, SizingRig, Usage, Wish } from './types.js' */

/** Wall time of one window; a quick look has shorter ones. */
const SECONDS = {
  trial: { full: 3, quick: 1.5 },
  curve: { full: 2, quick: 1.5 },
  peak: { full: 4, quick: 1 },
  growth: 1
}
/** Further searches are begun in this time from the start; one of them takes a quarter of a minute. With the curve and
 * what comes after it an answer takes two minutes. */
const SEARCH_SECONDS = { full: 62, quick: 40 }
/** Shares of the capacity at which latency and cost are measured. The first is the load of an instance of a small plan:
 * nothing is done together there, and a request costs up to twice as much. */
export const SHARES = { full: [0.02, 0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95], quick: [0.25, 0.5, 0.9] }
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
  const { quick, note, temp, soakSeconds = null, cores } = options
  const how = quick ? 'quick' : 'full'
  note(`starting ${arm.name}`)
  const rig = await open(arm, { ...options, temp: join(temp, 'unlimited') })
  try {
    const { floor, peak, found, capacity } = await capacityIn(rig, arm, { ...options, how })
    const { points: curve, samples } = await measureCurve({
      shares: SHARES[how],
      capacity: capacity.rate,
      trial: (rate, share) => {
        note(`${arm.name}: latency at ${Math.round(share * 100)} % of its capacity`)
        return rig.paced({ rate, seconds: SECONDS.curve[how], seed: options.seed })
      },
      interrupted: options.interrupted
    })
    return {
      ...topologyOf(arm, rig, { floor, peak, capacity, found, cores: cores.served.length }),
      curve,
      growth: await growthIn(rig, arm, options),
      ...unevennessOf(samples.map(({ sample }) => sample), cores.served.length, options.confidence),
      ...soakSeconds && {
        soak: await soak(rig, { ...options, capacity: capacity.rate, seconds: soakSeconds })
      },
      samples
    }
  } finally {
    await rig.close()
  }
}

/** From the start to the highest rate at which the goal holds. @param {SizingRig} rig @param {Arm} arm
 * @param {SizeOptions & { how: 'full' | 'quick', once?: boolean }} options once: one search is enough */
export async function capacityIn (rig, arm, options) {
  const { p99Ms, quick, note, interrupted, now, how, confidence = 0.5, first, once = false } = options
  const startedAt = now()
  note(`${arm.name}: its peak in a closed loop`)
  const closed = await rig.closed({ seconds: SECONDS.peak[how] })
  const peak = firstGuess(closed, arm)
  refuseUntold(closed.cpuSeconds, 'what a plan can serve')
  const floor = await floorOf(rig, arm, { peak, options, seconds: SECONDS.trial[how] })
  const found = await searchCapacity({
    trial: trialAt(rig, { ...options, name: arm.name, seconds: SECONDS.trial[how] }),
    peak,
    quick,
    enough: () => once || interrupted() || now() - startedAt > SEARCH_SECONDS[how],
    first: soFar =>
      first?.(provisional(arm, rig, { floor, peak, found: soFar, cores: options.cores.served.length, confidence }))
  })
  if (found.rate === 0) {
    const why = found.trials.at(-1)?.why ?? 'no trial was made'
    throw new HopbenchError('goal-out-of-reach', { name: arm.name, p99Ms, why, floorMs: floor.p99Ms })
  }
  const { trials, ...median } = found
  const factor = factorHeldBy(trials, found.rate, confidence)
  const { rate, low, high } = median
  const capacity = { ...median, rate: factor * rate, low: factor * low, high: factor * high }
  return { floor, peak, found, capacity }
}

/** @param {Arm} arm @param {SizingRig} rig
 * @param {{ floor: SizedTopology['floor'], peak: number, capacity: SizedTopology['capacity'], found: Capacity,
 *   cores: number }} measured */
function topologyOf (arm, rig, { floor, peak, capacity, found: { trials }, cores }) {
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
    memoryMiB: proxy + server,
    processMiB: server > 0 ? server / rig.processes : proxy,
    bytesPerResponse: loaded.bytesPerResponse ?? null,
    cores,
    tools: rig.tools
  }
}

/** What one search has found, as if it were all: good enough to name a first plan.
 * @param {Arm} arm @param {SizingRig} rig
 * @param {{ floor: SizedTopology['floor'], peak: number, found: Capacity, cores: number, confidence: number }} measured
 * @returns {SizedTopology} */
function provisional (arm, rig, { floor, peak, found, cores, confidence }) {
  const { trials, ...capacity } = found
  const kept = trials.map(({ sample }) => sample).filter(({ requests }) => requests > 0)
  return {
    ...topologyOf(arm, rig, { floor, peak, capacity, found, cores }),
    ...unevennessOf(kept, cores, confidence),
    curve: kept.map(sample => ({
      share: sample.rps / capacity.rate,
      rate: sample.rps,
      latencyMs: sample.latencyMs ?? null,
      cores: usageOf(sample).cores,
      micros: microsOf(sample),
      invalid: sample.invalid
    })),
    growth: { connections: [], perConnection: 0, bytes: [], perKiB: null }
  }
}

/** @param {Sample[]} samples @param {number} cores that could be used @param {number} [confidence] */
function unevennessOf (samples, cores, confidence) {
  const windows = samples.map(({ coresUsed = [] }) => coresUsed)
  return {
    burstMs: milliseconds(burstSeconds(windows, cores, confidence)),
    pauseMs: milliseconds(pauseSeconds(windows, cores, confidence))
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

/** @param {{ topologies: SizedTopology[], plans: Offering[], p99Ms: number, rate: number } & Partial<Wish>} order */
export const pricesOf = ({ topologies, p99Ms, ...wanted }) =>
  priceTable({ ...wanted, topologies: topologies.map(topology => measuredOf(topology, p99Ms)) })

/** @param {SizedTopology} topology @param {number} p99Ms the goal @returns {Measured} */
function measuredOf ({ capacity: { rate: capacity, atLeast }, curve, burstMs, pauseMs, floor, ...measured }, p99Ms) {
  const { server } = measured.topology
  return {
    ...measured,
    capacity,
    atLeast,
    processes: typeof server?.instances === 'number' ? server.instances : 1,
    usages: usagesOf(curve),
    burst: burstMs === null ? null : burstMs / 1000,
    ...typeof pauseMs === 'number' && { pause: pauseMs / 1000 },
    delay: delayOf(floor, p99Ms)
  }
}
