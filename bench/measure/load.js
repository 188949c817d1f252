/** Starts a generator for every arm, warms the arm up and pauses the generator. If the default engine would be the
 * bottleneck of one arm, a faster engine replaces it in all arms. */
import { setTimeout as sleep } from 'node:timers/promises'
import { HopbenchError } from '../errors.js'
import { findRefusal, getTargetFacts, rejectImpossible } from '../load/capabilities.js'
import { DEFAULT } from '../load/find-engine.js'
import { needsSampler, SAMPLE_EVERY_SECONDS } from '../load/sampler.js'
import { CpuMeter, untilAtRest } from '../machine/probe.js'
import { isCached } from '../plan/predicates.js'
import { LOAD_BOUND_SHARE } from '../shared/thresholds.js'
import { startOn } from './closed-loop.js'
import { untilSteady } from './warm-up.js'

/** @import { Engines, FoundEngine, Generator } from '../load/types.js' */
/** @import { Rig, Topology, Unsteady } from '../types.js' */
/** @import { LoadedArm, RigOptions, StagedArm } from './types.js' */

/**
 * Part of the warm-up in which the generator connects, and the next part, in which its CPU time shows whether it would
 * be the bottleneck. Both are short, because another engine starts all over again.
 */
const PILOT_SECONDS = { connecting: 0.7, measured: 0.8 }
/** Calls of write(2) by which wrk, ab and h2load start, at most. */
export const CALLS_AT_START = 5
const FIRST_ANSWER_SECONDS = 10 // A generator without a response after this long gets none later either.

/**
 * @typedef {object} OpenLoad
 * @property {Map<string, LoadedArm>} arms
 * @property {FoundEngine} engine
 * @property {() => Promise<void>} close
 * @property {{ arm: string, share: number } | null} switchedFor the arm that the default engine would have limited
 * @property {Rig['instead']} instead why the wanted engine is not used
 */

/**
 * @param {StagedArm[]} arms
 * @param {Pick<RigOptions, 'engine' | 'mayswitch' | 'cores' | 'maxSeconds' | 'printProgress' | 'interrupted'> & {
 *   engines:
 * Engines, smoke: boolean, limitSeconds: number }} options limitSeconds: of the warm-up of an arm
 * @returns {Promise<OpenLoad>}
 */
export async function openLoad (arms, options) {
  const { instead, ...first } = await options.engines.findOrNext(options.engine, { insist: !options.mayswitch })
  // An experiment's own engine stays, because its claims were measured with that engine.
  const mayswitch = options.mayswitch && first.name === DEFAULT
  try {
    return { ...await warmUp(arms, first, { ...options, mayswitch }), switchedFor: null, instead }
  } catch (error) {
    if (!(error instanceof Outrun)) throw error
    const { arm, share } = error
    const found = await options.engines.findFaster()
    const faster = found && arms.every(staged => canMake(found, staged)) ? found : null
    if (faster) {
      options.printProgress(
        `${first.plugin.about.title} would be the bottleneck in ${arm}: ${faster.plugin.about.title} makes the load ` +
        'of all arms'
      )
    }
    // Without a faster engine the slow one stays: a ratio that it limits is still a bound, and the report names it.
    const load = await warmUp(arms, faster ?? first, { ...options, mayswitch: false })
    return { ...load, switchedFor: faster && { arm, share }, instead }
  }
}

/**
 * Whether an engine can make the load of an arm that is up.
 * @param {FoundEngine} engine
 * @param {StagedArm} staged
 */
function canMake ({ plugin }, { arm, target }) {
  const facts = { ...getTargetFacts(arm.topology), unix: target.socketPath !== null }
  return findRefusal(plugin.about, { load: arm.load, facts, protocol: { paused: true } }) === null
}

/** Thrown if a generator uses all of its core in an arm. */
class Outrun extends Error {
  /**
   * @param {string} arm
   * @param {number} share
   */
  constructor (arm, share) {
    super(`the generator of ${arm} used ${Math.round(share * 100)} % of its core`)
    this.arm = arm
    this.share = share
  }
}

/**
 * Starts the generators one after the other, and warms up their arms.
 * @param {StagedArm[]} staged
 * @param {FoundEngine} engine
 * @param {Parameters<typeof openLoad>[1]} options
 * @returns {Promise<Pick<OpenLoad, 'arms' | 'engine' | 'close'>>}
 * @throws {Outrun} if the engine is the bottleneck and another one may replace it
 */
async function warmUp (staged, engine, options) {
  /** @type {OpenLoad['arms']} */
  const arms = new Map()
  const close = async () => { await Promise.all([...arms.values()].map(({ generator }) => generator.kill())) }
  try {
    for (const arm of options.mayswitch ? likeliestFirst(staged) : staged) {
      options.printProgress(`warming up ${arm.arm.name}`)
      rejectImpossible(engine.plugin, arm.arm, { paused: true }, arm.target)
      const frontBefore = await readServed(arm)
      const generator = await startOn(arm, engine, options)
      arm.running.setLoadCounter?.(() => generator.counts())
      const loaded = {
        staged: arm, generator, frontBefore, unsteady: /** @type {Unsteady | null} */ (null), warmCost: 0
      }
      arms.set(arm.arm.name, loaded)
      // On a busy machine the start of a generator can take longer than the warm-up.
      await untilServed(arm, generator, { before: frontBefore, plugin: engine.plugin })
      // A generator that is still starting, as in a smoke run, uses all of its core with any arm.
      const mayswitch = options.mayswitch && !options.smoke
      Object.assign(loaded, await (mayswitch ? warmUnlessOutrun : untilSteady)(arm, generator, options))
      await generator.pause()
      await untilDrained(arm)
    }
    return { arms, engine, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Reads the requests served so far. A server whose requests the generator counts has none before the load starts.
 * @param {StagedArm} arm */
const readServed = ({ running }) =>
  running.front().then(({ requests }) => requests, error => running.setLoadCounter ? 0 : Promise.reject(error))

/**
 * Warms up an arm, and ends early if the engine is the bottleneck.
 * @type {typeof untilSteady}
 * @throws {Outrun}
 */
async function warmUnlessOutrun (staged, generator, options) {
  let isOutrun = false
  const interrupted = () => isOutrun || Boolean(options.interrupted?.())
  const warming = untilSteady(staged, generator, { ...options, interrupted })
  try {
    await requireIdleShare(staged, generator)
  } catch (error) {
    isOutrun = true
    await warming.catch(() => {})
    throw error
  }
  return warming
}

/**
 * Rejects an engine that uses all of its core.
 * @param {StagedArm} arm
 * @param {Generator} generator
 * @throws {Outrun}
 */
async function requireIdleShare ({ arm }, generator) {
  await sleep(PILOT_SECONDS.connecting * 1000)
  const before = await generator.cpu()
  await sleep(PILOT_SECONDS.measured * 1000)
  const after = await generator.cpu()
  const share = (after.seconds - before.seconds) / (after.atSeconds - before.atSeconds)
  if (share >= LOAD_BOUND_SHARE) throw new Outrun(arm.name, share)
}

/**
 * Waits until the arm has answered a request, its process has ended, or FIRST_ANSWER_SECONDS have passed.
 * @param {StagedArm} arm
 * @param {Generator} generator
 * @param {object} load
 * @param {number} load.before requests that the front had counted before the generator started
 * @param {FoundEngine['plugin']} load.plugin
 * @throws {HopbenchError} host-unreachable: the load of another machine does not arrive
 */
async function untilServed ({ running, target, arm: { load } }, generator, { before, plugin }) {
  // The first requests, one on each connection, are sent without a response. The next one follows a response.
  const isSentOnly = running.setLoadCounter && !running.proxied && plugin.about.counted === 'writes'
  const least = isSentOnly ? load.connections + CALLS_AT_START + 1 : 1
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  // The sampler may begin before the engine, and its requests count, too.
  const sampled = () => needsSampler(plugin, { target }) ? elapsed() / (SAMPLE_EVERY_SECONDS * 1000) + 1 : 0
  // A process that has just ended cannot be read, and its end is found below.
  const requests = () => running.front().then(counts => counts.requests, () => before)
  while (await requests() - before < least + sampled() && elapsed() < FIRST_ANSWER_SECONDS * 1000) {
    if (running.failure() ?? await generator.failure()) return
    await sleep(20)
  }
  const { host } = generator
  if (host === undefined || elapsed() < FIRST_ANSWER_SECONDS * 1000) return
  const why = `no request arrived within ${FIRST_ANSWER_SECONDS} s`
  throw new HopbenchError('host-unreachable', { host, url: target.url, why })
}

/** Waits until the arm has answered what was sent before the pause, so that the next arm runs alone.
 * @param {StagedArm} arm */
async function untilDrained ({ running }) {
  const { proxy, server } = running.pids()
  const meter = new CpuMeter([...proxy, ...server])
  await untilAtRest(() => meter.seconds())
  meter.close()
}

/** Sorts arms that may outrun the engine to the front, because an early change of engine costs least.
 * @param {StagedArm[]} arms */
const likeliestFirst = arms =>
  [...arms].sort((a, b) => Number(mayOutrun(b.arm.topology)) - Number(mayOutrun(a.arm.topology)))

/** Whether a proxy responds from its cache or from files, faster than the default engine. @param {Topology} topology */
export const mayOutrun = topology => !topology.server || isCached(topology)
