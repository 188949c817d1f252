/** Measures one topology for `hopbench size`: its capacity at the goal, latency and CPU time by load, and the growth of
 * CPU time per request. The goal is a limit of the latency at the 99th percentile. The peak is the rate in a closed
 * loop. The capacity is the highest rate at which the goal holds. */
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { findMix } from '../../plan/request-mix.js'
import { PATHS } from '../../topology/fixtures/fixtures.js'
import { servesFiles } from '../../measure/gate/reference.js'
import { requireCpuTime } from '../../machine/probe.js'
import { printReason } from '../../report/facts/reason-texts.js'
import { printSizingWhy } from './why-words.js'
import { burstSeconds, pauseSeconds } from './capacity/bursts.js'
import { START_SHARE, generatorLate, isDisputed, judgeTrial, searchCapacity, toTrials } from './capacity/capacity.js'
import { lowerToConfidence } from './capacity/confidence.js'
import { fitSlope, isBehind, toMicros } from './capacity/cost.js'
import { measureCurve, toPoint } from './capacity/curve.js'
import { openSizingRig } from './rig.js'
import { median } from '../../judge/stats/quantile.js'

/** @import { Arm, Sample, SizedTopology, Soak } from '../../types.js' */
/** @import { Outcome, SizeOptions, SizingRig } from './types.js' */

/** Length of a window, in seconds: of a trial of the search, a point of the curve, the peak, the time before it, and a
 * step of the growth. Short, so that a full sizing of a topology takes about two minutes. */
const SECONDS = {
  trial: { full: 3, quick: 1.5 },
  curve: { full: 2, quick: 1.5 },
  peak: { full: 4, quick: 1 },
  settle: { full: 5, quick: 2 },
  growth: 1
}
/** Deadline of the search, in seconds from the start of `findCapacity`: no search begins later, unless two differ.
 * Because a full search takes about 15 s, a topology with its curve takes 86 to 106 s (docs/sizing-method.md). */
const SEARCH_SECONDS = { full: 62, quick: 40 }
/** Shares of the capacity at which latency and CPU time are measured. The smallest is the load of an instance of a
 * small offering, where requests are not batched and use up to twice as much CPU time. */
export const SHARES = { full: [0.02, 0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95], quick: [0.25, 0.5, 0.9] }
/** Share of the peak at which the unloaded latency is measured: low enough to exclude queueing. */
const UNLOADED_SHARE = 0.05
/** Fewest requests from which the unloaded latency is measured. */
const UNLOADED_REQUESTS = 100
/** Numbers of connections at which the CPU time per request is measured. Larger ones are lowered to the arm's own. */
const GROWTH_CONNECTIONS = [10, 100, 400]
/** Quantile of the windows at the lower end of a range. Below the median, which is the estimate by default, so that the
 * range contains the estimate. */
const LOW_QUANTILE = 0.25
/** Size of the fixtures by name, in KiB. @type {Record<string, number>} */
const KIB = { '0 B': 0, '1 KB': 1, '10 KB': 10, '100 KB': 100, '1 MB': 1024 }

/**
 * Measures one topology.
 *
 * @param {Arm} arm
 * @param {SizeOptions} options
 * @param {typeof openSizingRig} [open] opens the rig; tests pass a scripted one
 * @returns {Promise<SizedTopology & { samples: { share: number, sample: Sample }[] }>} samples: those of the curve
 * @throws {HopbenchError} goal-below-floor, goal-out-of-reach, generator-late, cannot-size, and errors of starting the
 * topology
 */
export async function sizeTopology (arm, options, open = openSizingRig) {
  const { quick, printProgress, temp, soakSeconds = null, cores, seed, interrupted } = options
  const mode = quick ? 'quick' : 'full'
  printProgress(`starting ${arm.name}`)
  /** @type {Soak['points']} */
  const readings = []
  const rig = readingMemory(await open(arm, { ...options, temp: join(temp, 'unlimited') }), readings, options.now)
  try {
    const found = await findCapacity(rig, arm, options)
    const capacity = found.capacity.rate
    const { points, samples } = await measureCurve({
      shares: SHARES[mode],
      capacity,
      trial: (rate, share) => {
        printProgress(`${arm.name}: latency at ${Math.round(share * 100)} % of its capacity`)
        return rig.paced({ rate, seconds: SECONDS.curve[mode], seed })
      },
      interrupted
    })
    return {
      ...describe(arm, rig, found, cores.served.length),
      curve: points,
      growth: await measureGrowth(rig, arm, options),
      ...computeBursts(samples.map(({ sample }) => sample), cores.served.length, options.confidence),
      ...computeGrowth(readings),
      ...soakSeconds && { soak: await soak(rig, { ...options, capacity, seconds: soakSeconds }) },
      samples
    }
  } finally {
    await rig.close()
  }
}

/**
 * Returns a rig that notes the memory of each window at a fixed rate.
 *
 * @param {SizingRig} rig
 * @param {Soak['points']} readings
 * @param {SizeOptions['now']} now
 * @returns {SizingRig}
 */
const readingMemory = (rig, readings, now) => ({
  ...rig,
  paced: async order => {
    const sample = await rig.paced(order)
    readings.push({ seconds: now(), memoryMiB: sample.memoryMiB.proxy + sample.memoryMiB.server })
    return sample
  }
})

/**
 * Measures the peak and the unloaded latency, and searches the highest rate at which the goal holds.
 *
 * @param {SizingRig} rig
 * @param {Arm} arm
 * @param {SizeOptions & { isOneSearchEnough?: boolean }} options isOneSearchEnough: ends after the first search
 * @returns {Promise<Pick<SizedTopology, 'peak' | 'capacity'> & { unloaded: SizedTopology['floor'], trials:
 *   Outcome[] }>} unloaded: latency without load; trials: those of all searches
 * @throws {HopbenchError} goal-below-floor, goal-out-of-reach, generator-late, cannot-size
 */
export async function findCapacity (rig, arm, options) {
  const { p99Ms, quick, seed, printProgress, interrupted, now, confidence = 0.5, isOneSearchEnough = false } = options
  const mode = quick ? 'quick' : 'full'
  const startedAt = now()
  printProgress(`${arm.name}: its peak in a closed loop`)
  const order = { seconds: SECONDS.peak[mode], connections: arm.load.connections }
  await rig.warm()
  const closed = await rig.closed(order)
  rejectWrongPeak(closed, arm)
  requireCpuTime(closed.cpuSeconds, 'sizing')
  const peak = closed.rps
  const unloaded = await measureUnloaded(rig, arm, peak, options)
  // The first trial missed the goal at a rate that it met later, because the runtime compiles again for paced requests.
  await rig.paced({ rate: START_SHARE * peak, seconds: SECONDS.settle[mode], seed })
  // Each trial has a seed of its own, because the seed determines when requests are sent.
  let trialSeed = seed
  const { trials, ...capacity } = await searchCapacity({
    trial: async rate => {
      printProgress(`${arm.name}: ${Math.round(rate)} requests a second`)
      trialSeed = (trialSeed + 1) % 2 ** 32
      return judgeTrial(await rig.paced({ rate, seconds: SECONDS.trial[mode], seed: trialSeed }), { rate, p99Ms })
    },
    peak,
    quick,
    isEnough: searches => isOneSearchEnough || interrupted() ||
      (now() - startedAt > SEARCH_SECONDS[mode] && !isDisputed(searches)),
    onFirst: ({ trials, ...searched }) => {
      const capacity = lowerToConfidence(searched, trials, confidence)
      options.onFirst?.(toProvisional(arm, rig, { unloaded, peak, trials, capacity }, options))
    }
  })
  if (capacity.rate === 0) {
    const last = trials.at(-1)
    if (last?.isGeneratorLimited) throw generatorLate(last, { name: arm.name, p99Ms })
    const why = printSizingWhy(last?.why) ?? 'no trial was made'
    throw new HopbenchError('goal-out-of-reach', { name: arm.name, p99Ms, why, leastP99Ms: unloaded.p99Ms })
  }
  return { unloaded, peak, trials, capacity: lowerToConfidence(capacity, trials, confidence) }
}

/**
 * Returns the part of a result that follows from the search.
 *
 * @param {Arm} arm
 * @param {SizingRig} rig
 * @param {Awaited<ReturnType<typeof findCapacity>>} found
 * @param {number} cores number of cores of the served side
 */
function describe (arm, rig, { unloaded, peak, capacity, trials }, cores) {
  // Memory is that of the last trial at which the goal held.
  const loaded = trials.findLast(({ holds }) => holds)?.sample ?? trials[0].sample
  const { proxy, server } = loaded.memoryMiB
  return {
    spec: arm.spec,
    path: arm.load.path,
    connections: arm.load.connections,
    topology: arm.topology,
    startSeconds: rig.startSeconds,
    floor: unloaded,
    peak,
    capacity,
    trials: toTrials(trials),
    memoryMiB: proxy + server,
    processMiB: server > 0 ? server / rig.processes : proxy,
    bytesPerResponse: loaded.bytesPerResponse ?? null,
    cores,
    tools: rig.tools
  }
}

/**
 * Creates a preliminary result from the first search, from which a first offering is recommended early. The trials of
 * the search take the place of the curve, and the growth is not measured yet.
 *
 * @param {Arm} arm
 * @param {SizingRig} rig
 * @param {Awaited<ReturnType<typeof findCapacity>>} found result of the first search
 * @param {SizeOptions} options
 * @returns {SizedTopology}
 */
function toProvisional (arm, rig, found, { cores, confidence }) {
  const samples = found.trials.map(({ sample }) => sample).filter(({ requests }) => requests > 0)
  return {
    ...describe(arm, rig, found, cores.served.length),
    ...computeBursts(samples, cores.served.length, confidence),
    curve: samples.map(sample => toPoint(sample, { share: sample.rps / found.capacity.rate, rate: sample.rps })),
    growth: { connections: [], perConnection: 0, bytes: [], perKiB: null }
  }
}

/**
 * Computes the dispersion of the CPU time.
 *
 * @param {Sample[]} samples
 * @param {number} cores number of cores of the served side
 * @param {number} [confidence] share of the windows that are to hold the goal
 * @returns {Pick<SizedTopology, 'burstMs' | 'pauseMs' | 'spread'>} in ms; burstMs: index of dispersion; pauseMs: CPU
 *   time of a garbage collection; spread: range over the windows, from the lower quartile to the largest; null: too
 *   few windows
 */
function computeBursts (samples, cores, confidence) {
  const windows = samples.map(({ coresUsed = [] }) => coresUsed)
  const burst = burstSeconds(windows, cores, confidence)
  const pause = pauseSeconds(windows, cores, confidence)
  if (burst === null || pause === null) return { burstMs: null, pauseMs: null }
  const toRange = (/** @type {typeof burstSeconds} */ compute) => ({
    low: 1000 * Number(compute(windows, cores, LOW_QUANTILE)), high: 1000 * Number(compute(windows, cores, 1))
  })
  return {
    burstMs: burst * 1000,
    pauseMs: pause * 1000,
    spread: { burstMs: toRange(burstSeconds), pauseMs: toRange(pauseSeconds) }
  }
}

/**
 * Measures the unloaded latency. Rejects a goal below the unloaded p50, because such a goal cannot be met at any rate.
 * The message also names the unloaded p99.
 *
 * @param {SizingRig} rig
 * @param {Arm} arm
 * @param {number} peak requests per second in a closed loop
 * @param {SizeOptions} options
 * @throws {HopbenchError} cannot-size, goal-below-floor
 */
async function measureUnloaded (rig, arm, peak, { p99Ms, quick, seed, printProgress }) {
  const rate = Math.max(1, UNLOADED_SHARE * peak)
  const seconds = Math.max(SECONDS.trial[quick ? 'quick' : 'full'], UNLOADED_REQUESTS / rate)
  printProgress(`${arm.name}: unloaded, ${Math.round(rate)} requests a second`)
  const sample = await rig.paced({ rate, seconds, seed })
  const { latencyMs, invalid } = sample
  // Accepts a trial whose generator sent requests late, because lateness only raises the latency. The search detects
  // lateness.
  if (!latencyMs || (invalid && !isBehind(sample))) {
    const why = invalid ? printReason(invalid) : 'no response arrived'
    throw new HopbenchError('cannot-size', { name: arm.name, why })
  }
  const { p50, p99 } = latencyMs
  if (p50 > p99Ms) {
    throw new HopbenchError('goal-below-floor', { name: arm.name, p99Ms, unloadedP99Ms: p99, p50Ms: p50 })
  }
  return { rate, p50Ms: p50, p99Ms: p99 }
}

/**
 * Measures how CPU time per request grows with connections and response size.
 *
 * @param {SizingRig} rig
 * @param {Arm} arm
 * @param {SizeOptions} options
 * @returns {Promise<SizedTopology['growth']>}
 */
async function measureGrowth (rig, arm, { printProgress, interrupted }) {
  /**
   * Measures the CPU time per request at each step, in a closed loop.
   *
   * @param {{ x: number, label: string, load: { connections?: number, path?: string } }[]} steps x: connections or KiB
   */
  const measureCosts = async steps => {
    const points = []
    for (const { x, label, load } of steps) {
      if (interrupted()) break
      printProgress(`${arm.name}: CPU time per request ${label}`)
      const sample = await rig.closed({ seconds: SECONDS.growth, ...load })
      // Skips samples with wrong responses, because an error response takes another amount of CPU time.
      if (sample.requests === 0 || countWrong(sample) > 0) continue
      const { proxy, server } = toMicros(sample)
      points.push({ x, micros: proxy + server })
    }
    return points
  }
  const numbers = new Set(GROWTH_CONNECTIONS.map(x => Math.min(x, arm.load.connections)))
  const connections = await measureCosts([...numbers]
    .map(x => ({ x, label: `with ${x} connections`, load: { connections: x } })))
  const hasSizes = await servesFiles(arm) && !findMix(arm.load)
  const sizes = hasSizes ? Object.entries(PATHS.sizes) : []
  const bytes = await measureCosts(sizes.map(([size, path]) =>
    ({ x: KIB[size], label: `with a ${size} response`, load: { path } })))
  return {
    connections,
    perConnection: connections.length > 1 ? fitSlope(connections) : 0,
    bytes,
    perKiB: bytes.length > 1 ? fitSlope(bytes) : null
  }
}

/** Counts the responses with a wrong status or body. @param {Sample} sample */
const countWrong = ({ errors }) => errors.non2xx + errors.mismatches

/**
 * Rejects an invalid peak. Accepts timeouts and resets, because the peak is only the start of the search.
 *
 * @param {Sample} sample
 * @param {Arm} arm
 * @throws {HopbenchError} cannot-size
 */
function rejectWrongPeak (sample, arm) {
  const { rps, invalid } = sample
  if (!invalid || (invalid.code === 'errors' && countWrong(sample) === 0 && rps > 0)) return
  throw new HopbenchError('cannot-size', { name: arm.name, why: printReason(invalid) })
}

/** Share of the capacity used as load: neither idle nor saturated. */
const LOAD_SHARE = 0.5
/** Length of a window, at whose end memory is read. */
const WINDOW_SECONDS = { most: 15, least: 1 }
/** Windows of a short soak. */
const MIN_WINDOWS = 12
/** Share of the readings that is skipped, because Node fills its heap before the first full garbage collection. */
const WARM_UP = 0.25
/** Shorter soaks report no leak, because Node's heap grows for minutes between full garbage collections. */
const MIN_SECONDS = 240
const Z_975 = 1.96

/**
 * Loads a rig and reads its memory.
 *
 * @param {SizingRig} rig
 * @param {{ capacity: number, seconds: number } & Pick<SizeOptions, 'seed' | 'printProgress' | 'interrupted'>} order
 * @returns {Promise<Soak>}
 */
export async function soak (rig, { capacity, seconds, seed, printProgress, interrupted }) {
  const windowSeconds = Math.min(WINDOW_SECONDS.most, Math.max(WINDOW_SECONDS.least, seconds / MIN_WINDOWS))
  const rate = LOAD_SHARE * capacity
  /** @type {Soak['points']} */
  const points = []
  // The tolerance includes the last window despite rounding errors of the sum.
  for (let at = windowSeconds; at <= seconds * 1.001 && !interrupted(); at += windowSeconds) {
    printProgress(`memory over time: ${Math.round(at)} of ${Math.round(seconds)} s`)
    const order = { rate, seconds: windowSeconds, seed: (seed + points.length) % 2 ** 32 }
    const { memoryMiB } = await rig.paced(order)
    points.push({ seconds: at, memoryMiB: memoryMiB.proxy + memoryMiB.server })
  }
  return { seconds: points.at(-1)?.seconds ?? 0, rate, points, ...computeTrend(points) }
}

/**
 * Computes how memory grows after the warm-up. A leak grows significantly, and within a day by more than the memory
 * used.
 *
 * @param {Soak['points']} points
 * @returns {Pick<Soak, 'slope' | 'low' | 'high' | 'leaks'>}
 */
function computeTrend (points) {
  const counted = points.slice(Math.floor(WARM_UP * points.length))
  const trend = computeSlope(counted.map(({ seconds, memoryMiB }) => ({ x: seconds / 3600, y: memoryMiB })))
  const used = counted.at(-1)?.memoryMiB ?? 0
  const span = (counted.at(-1)?.seconds ?? 0) - (counted[0]?.seconds ?? 0)
  const isGrowing = trend.low !== null && trend.low > 0 && 24 * trend.low > used
  return { ...trend, leaks: span >= MIN_SECONDS && isGrowing }
}

/**
 * Computes the growth of memory from the first reading of a sizing to the last one.
 *
 * @param {Soak['points']} readings
 * @returns {Pick<SizedTopology, 'memory'>} empty: fewer than two readings
 */
function computeGrowth (readings) {
  const [first, ...others] = readings
  const last = others.at(-1)
  if (!last) return {}
  const slope = computeSlope(readings.map(({ seconds, memoryMiB }) => ({ x: seconds / 3600, y: memoryMiB })))
  const [seconds, firstMiB, lastMiB] = [last.seconds - first.seconds, first.memoryMiB, last.memoryMiB]
  return { memory: { seconds, firstMiB, lastMiB, ...slope } }
}

/**
 * Computes the median slope of all pairs of points, with its 95 % interval from Kendall's test (P. K. Sen 1968,
 * Estimates of the regression coefficient based on Kendall's tau).
 *
 * @param {{ x: number, y: number }[]} points
 */
function computeSlope (points) {
  const n = points.length
  const slopes = points.flatMap((a, i) => points.slice(i + 1).map(b => (b.y - a.y) / (b.x - a.x))).sort((a, b) => a - b)
  if (slopes.length === 0) return { slope: 0, low: null, high: null }
  const half = Z_975 * Math.sqrt(n * (n - 1) * (2 * n + 5) / 18) / 2
  const middle = slopes.length / 2
  return {
    slope: median(slopes),
    low: slopes[Math.floor(middle - half) - 1] ?? null,
    high: slopes[Math.ceil(middle + half)] ?? null
  }
}
