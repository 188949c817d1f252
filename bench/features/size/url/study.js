/** Runs `hopbench size --url`: measures one deployed instance, compares it with estimates, stores a record. */
import { splitCores } from '../../../machine/cores.js'
import { createRecord } from '../../../run/pipeline.js'
import { shareName } from '../../../plan/experiment.js'
import { withoutSecrets } from '../../../plan/stored-plan.js'
import { storeScore } from '../../../store/scores.js'
import { openRun } from '../../../store/store.js'
import { checkLimits } from '../../../request/plan-checks.js'
import { now } from '../../../machine/clocks.js'
import { openSession, utc } from '../../../run/session.js'
import { showPage, showRecord } from '../../../run/show-record.js'
import { countInstances } from '../prices/price.js'
import { createPlan } from '../record.js'
import { openUrlRig } from './rig.js'
import { MIN_RATE, boundFurther, getSeconds, getShares, getStart, hasP99 } from './windows.js'
import { HopbenchError, isHopbenchError } from '../../../errors.js'
import { printSizingWhy } from '../why-words.js'
import { count } from '../../../shared/format.js'
import { START_SHARE, generatorLate, judgeTrial, searchCapacity, toTrials } from '../capacity/capacity.js'
import { lowerToConfidence } from '../capacity/confidence.js'
import { measureCurve } from '../capacity/curve.js'

/** @import { Arm, Deployed, Sample } from '../../../types.js' */
/** @import { Outcome } from '../types.js' */

/**
 * @typedef {object} UrlRequest
 * @property {Arm} arm of the URL
 * @property {string} address to which all connections go
 * @property {Caps} caps
 * @property {Deployed['goal']} goal
 * @property {(Omit<Deployed['estimates'][number], 'ratio' | 'score'> & { score?: number | null })[]} estimates
 *   score: of the cores in the estimate; null: unknown
 * @property {boolean} quick
 * @property {boolean} json
 * @property {number} seed
 * @property {string} [results]
 */

/**
 * @param {UrlRequest & { argv: readonly string[] }} request argv: command line after `hopbench`
 * @param {() => boolean} interrupted
 * @returns {Promise<number>} exit code
 */
export async function runUrlSize (request, interrupted) {
  const { arm, address, caps, goal, quick, json, seed, argv } = request
  const startedSeconds = now()
  const startedAt = utc()
  // The load may use all cores, because the served side is elsewhere.
  const session = await openSession({ lab: true, cores: { ...splitCores('shared'), served: [] } })
  try {
    const plan = createPlan({ arms: [arm], ...goal, seed, quick, argv }, getShares(quick))
    checkLimits(plan, session.environment.limits.openFiles)
    const stored = withoutSecrets({ ...plan, experiment: 'size-url' })
    const { cores, printProgress, folder } = session
    const rig = await openUrlRig(arm, { address, temp: folder('url'), cores, caps, now, interrupted })
    const { samples, ...found } = await measureUrl(rig, {
      name: arm.name, ...goal, caps, quick, seed, printProgress, interrupted
    })
    const named = samples.map(({ share, sample }) => ({ ...sample, arm: shareName(arm.name, share), block: 0 }))
    const run = await openRun({ resultsDir: request.results, experiment: stored.experiment, startedAt, plan: stored })
    try {
      await run.append(named)
      const world = { environment: session.environment, startedAt, utc, run: { run: run.run } }
      const record = {
        ...createRecord(stored, world, { samples: named, ended: interrupted() ? 'interrupted' : 'blocks' }),
        kind: /** @type {const} */ ('url-sizing'),
        tools: rig.tools,
        timing: {
          setupSeconds: 0,
          measuredSeconds: named.reduce((sum, { seconds }) => sum + seconds, 0),
          sliceWallSeconds: now() - startedSeconds,
          blocks: 1
        },
        deployed: toDeployed(request, { ...found, roundTrip: rig.roundTrip, sent: rig.sent() })
      }
      await run.writeRecord(record)
      for (const { offering, score } of record.complete ? record.deployed.estimates : []) {
        const measured = { from: 'hopbench size --url', read: startedAt.slice(0, 10) }
        if (score) await storeScore(offering, { ...score, ...measured }, request.results)
      }
      session.progress.end()
      showRecord(record, { json, dir: run.dir })
      await showPage(run.dir, { json, resultsDir: request.results })
      return record.complete ? 0 : 1
    } finally {
      await run.close()
    }
  } finally {
    session.close()
  }
}

/**
 * Computes the result from what was measured (pure).
 *
 * @param {Pick<UrlRequest, 'arm' | 'goal' | 'caps' | 'estimates'>} request
 * @param {Pick<Deployed, 'capacity' | 'trials' | 'curve' | 'roundTrip' | 'sent'>} found
 * @returns {Deployed}
 */
export function toDeployed ({ arm, goal, caps, estimates }, found) {
  const { capacity, curve, roundTrip } = found
  const idle = curve.find(({ p50Ms }) => p50Ms !== null)
  return {
    url: arm.name,
    goal,
    caps,
    ...found,
    serverP50Ms: idle?.p50Ms == null ? null : Math.max(0, idle.p50Ms - roundTrip.p50Ms),
    instances: countInstances(capacity.rate, goal),
    estimates: estimates.map(({ score = null, ...estimate }) => {
      const isExact = score !== null && !estimate.atLeast && !capacity.atLeast
      const toScore = (/** @type {number} */ rate) => Number(score) * rate / estimate.perInstance
      const measured = { value: toScore(capacity.rate), low: toScore(capacity.low), high: toScore(capacity.high) }
      return { ...estimate, ratio: capacity.rate / estimate.perInstance, ...isExact && { score: measured } }
    })
  }
}

/** @typedef {{ mostRps: number, mostRequests: number, seconds: number }} Caps seconds: of the whole measurement */

/**
 * @typedef {object} Rig
 * @property {(options: { rate: number, seconds: number, seed: number }) => Promise<Sample>} paced measures a window
 * @property {(options: { rate: number, seconds: number }) => boolean} fits whether a window is still permitted
 * @property {() => number} sent requests so far
 * @property {() => number} elapsed seconds so far
 */

/**
 * @typedef {object} Options
 * @property {string} name of the URL, for messages
 * @property {number} p99Ms the goal
 * @property {Caps} caps
 * @property {number} confidence share of the windows that hold the goal at the capacity
 * @property {boolean} quick
 * @property {number} seed
 * @property {(text: string) => void} printProgress
 * @property {() => boolean} interrupted
 */

/**
 * Searches the capacity, then measures the curve. No search begins that could exceed what is permitted.
 *
 * @param {Rig} rig
 * @param {Options} options
 * @returns {Promise<Pick<Deployed, 'capacity' | 'trials' | 'curve'> & {
 *   samples: { share: number, sample: Sample }[] }>} samples: those of the curve
 * @throws {HopbenchError} goal-out-of-reach, generator-late, load-cap
 */
export async function measureUrl (rig, options) {
  let windows = 0
  const numbered = {
    ...rig,
    paced: (/** @type {Window} */ window) =>
      rig.paced({ ...window, seed: (options.seed + ++windows) % 2 ** 32 })
  }
  const { capacity, trials } = await searchUrl(numbered, options)
  const { points, samples } = await measurePoints(numbered, options, capacity.rate)
  return {
    capacity,
    trials: toTrials(trials),
    curve: points.map(({ share, rate, latencyMs, invalid }) => ({
      share,
      rate,
      p50Ms: invalid ? null : latencyMs?.p50 ?? null,
      p99Ms: invalid || !hasP99(rate, options) ? null : latencyMs?.p99 ?? null
    })),
    samples
  }
}

/** @typedef {{ rate: number, seconds: number }} Window */
/** @typedef {Omit<Rig, 'paced'> & { paced: (window: Window) => Promise<Sample> }} Numbered */

/**
 * @param {Numbered} rig
 * @param {Options} options
 * @returns {Promise<{ capacity: Deployed['capacity'], trials: Outcome[] }>} trials: windows that were sent
 * @throws {HopbenchError} goal-out-of-reach, generator-late, load-cap
 */
async function searchUrl (rig, options) {
  const { name, p99Ms, caps, printProgress, interrupted } = options
  /** @type {Outcome[]} */
  const trials = []
  /** @type {{ first: Deployed['capacity'] | null }} */
  const earlier = { first: null }
  const trial = async (/** @type {number} */ rate) => {
    const last = trials.at(-1)
    // Above the permitted rate nothing is sent. The capacity is then a lower bound.
    if (rate > caps.mostRps && last) return { ...last, rate, holds: false, isGeneratorLimited: true }
    // Below the lowest rate the first search ends, because windows would have too few requests.
    if (rate < MIN_RATE && last && !earlier.first) return { ...last, rate, holds: false }
    printProgress(`${name}: ${Math.round(rate)} requests a second, ${rig.sent()} of at most ${caps.mostRequests} sent`)
    const outcome = judgeTrial(await rig.paced({ rate, seconds: getSeconds('trial', rate, options) }), { rate, p99Ms })
    trials.push(outcome)
    return outcome
  }
  const isEnough = () => {
    const further = boundFurther(caps.mostRps, options, earlier.first?.rate ?? MIN_RATE)
    return interrupted() || rig.sent() + further.requests > caps.mostRequests ||
      rig.elapsed() + further.seconds > caps.seconds
  }
  const found = await searchCapacity({
    trial,
    peak: getStart(caps.mostRps) / START_SHARE,
    quick: options.quick,
    isEnough,
    onFirst: ({ trials, ...capacity }) => { earlier.first = capacity }
  }).catch(error => {
    // A later search was interrupted, or took longer than expected.
    if (earlier.first && isHopbenchError(error, 'load-cap')) return earlier.first
    throw error
  })
  if (found.rate === 0) throw outOfReach(trials, options)
  const [rate, low, high] = [found.rate, found.low, found.high].map(value => Math.min(value, caps.mostRps))
  const { searches, atLeast } = found
  return { capacity: lowerToConfidence({ rate, low, high, searches, atLeast }, trials, options.confidence), trials }
}

/**
 * @param {Outcome[]} trials
 * @param {Pick<Options, 'name' | 'p99Ms'>} options
 */
function outOfReach (trials, { name, p99Ms }) {
  const last = trials.at(-1)
  if (last?.isGeneratorLimited) return generatorLate(last, { name, p99Ms })
  const why = `at ${count(last?.rate)} requests a second (${MIN_RATE} is the lowest rate of a search) ` +
    printSizingWhy(last?.why)
  const leastP99Ms = Math.min(...trials.map(({ sample }) => sample.latencyMs?.p99 ?? Infinity))
  return new HopbenchError('goal-out-of-reach', { name, p99Ms, why, leastP99Ms, isDeployed: true })
}

/**
 * Measures the curve.
 *
 * @param {Numbered} rig
 * @param {Options} options
 * @param {number} capacity
 */
function measurePoints (rig, options, capacity) {
  const shares = getShares(options.quick)
  const toWindow = (/** @type {number} */ rate) => ({ rate, seconds: getSeconds('curve', rate, options) })
  // The lowest rate has the longest window, and the highest rate the most requests.
  const largest = [shares[0], 1].map(share => toWindow(share * capacity))
  return measureCurve({
    shares,
    capacity,
    trial: (rate, share) => {
      options.printProgress(`${options.name}: latency at ${Math.round(share * 100)} % of its capacity`)
      return rig.paced(toWindow(rate))
    },
    interrupted: () => options.interrupted() || !largest.every(rig.fits)
  })
}
