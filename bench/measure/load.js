/** A generator for every arm, warm and paused: the engine is tried out on each arm first, and when it would be the
 * bottleneck in one, a faster one takes its place in all of them. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { refuseImpossible } from '../load/capabilities.js'
import { DEFAULT } from '../load/find-engine.js'
import { CpuMeter, untilAtRest } from '../machine/probe.js'
import { LOAD_BOUND_SHARE } from '../shared/thresholds.js'

/** @import { Engines, FoundEngine, Generator, Instead } from '../load/shapes.js'
 * @import { Topology } from '../types.js' @import { LoadedArm, RigOptions, StagedArm } from './shapes.js' */

/** Each arm runs this long before it counts: JIT, pools and caches fill (docs/method.md). A quick run has less. */
const WARM_UP_SECONDS = { full: 1.5, quick: 1, smoke: 0.2 }
/** The part of it in which a generator has connected and its CPU says how far it can go. */
const PILOT_SECONDS = { full: 0.8, quick: 0.8, smoke: 0.2 }
/** Calls of write(2) by which wrk, ab and h2load start, at most (docs/your-app.md). */
export const CALLS_AT_START = 5
const FIRST_ANSWER_SECONDS = 10 // A generator without a response by then will not get one.

/** @typedef {Map<string, LoadedArm>} Arms */
/** @typedef {Pick<RigOptions, 'engine' | 'mayswitch' | 'cores' | 'maxSeconds' | 'note'> & { engines: Engines, profile:
 * keyof typeof WARM_UP_SECONDS }} LoadOptions */
/** @typedef {{ arms: Arms, engine: FoundEngine, close: () => Promise<void> }} WarmLoad */

/** @param {StagedArm[]} arms @param {LoadOptions} options
 * @returns {Promise<WarmLoad & { switchedFor: { arm: string, share: number } | null, instead: Instead | null }>}
 * switchedFor: the arm that the default engine would have limited; instead: why the one that was wanted is not used */
export async function openLoad (arms, options) {
  const { instead, ...first } = await options.engines.findOrNext(options.engine, { insist: !options.mayswitch })
  // An engine that an experiment asks for by name stays, as its claims were measured with it.
  const mayswitch = options.mayswitch && first.name === DEFAULT
  try {
    return { ...await warmUp(arms, first, { ...options, mayswitch }), switchedFor: null, instead }
  } catch (error) {
    if (!(error instanceof Outrun)) throw error
    const { arm, share } = error
    const faster = await options.engines.findFaster()
    // A ratio that the generator limits is known from one side: better than none, and the report says so.
    if (!faster) return { ...await warmUp(arms, first, { ...options, mayswitch: false }), switchedFor: null, instead }
    options.note(
      `${first.plugin.about.title} would be the bottleneck in ${arm}: ${faster.plugin.about.title} makes the load ` +
      'of all arms'
    )
    return { ...await warmUp(arms, faster, { ...options, mayswitch: false }), switchedFor: { arm, share }, instead }
  }
}

/** The arm in which a generator uses all of its core. */
class Outrun extends Error {
  /** @param {string} arm @param {number} share */
  constructor (arm, share) {
    super(`the generator of ${arm} used ${Math.round(share * 100)} % of its core`)
    this.arm = arm
    this.share = share
  }
}

/** @param {StagedArm[]} staged @param {FoundEngine} engine @param {LoadOptions} options @returns {Promise<WarmLoad>}
 * @throws {Outrun} when another engine may take over and this one is the bottleneck */
async function warmUp (staged, engine, options) {
  /** @type {Arms} */
  const arms = new Map()
  const close = async () => { await Promise.all([...arms.values()].map(({ generator }) => generator.kill())) }
  try {
    for (const arm of likeliestFirst(staged)) {
      options.note(`warming up ${arm.arm.name}`)
      refuseImpossible(engine.plugin, arm.arm, { paused: true }, arm.target)
      const frontBefore = await servedBy(arm)
      const generator = await startOn(arm, engine, options)
      arm.running.loadedBy?.(() => generator.counts())
      arms.set(arm.arm.name, { staged: arm, generator, frontBefore })
      const until = performance.now() + WARM_UP_SECONDS[options.profile] * 1000
      // On a busy machine a generator takes longer to start than it would warm up.
      await untilServed(arm, generator, { before: frontBefore, counted: engine.plugin.about.counted })
      const share = await warm(arm, generator, { until, pilotSeconds: PILOT_SECONDS[options.profile] })
      await generator.pause()
      await atRest(arm)
      // A generator that is still starting uses all of its core, whatever the arm.
      const mayswitch = options.mayswitch && options.profile !== 'smoke'
      if (mayswitch && share >= LOAD_BOUND_SHARE) throw new Outrun(arm.arm.name, share)
    }
    return { arms, engine, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** A server that counts nothing has no counts before it is loaded. @param {StagedArm} arm */
const servedBy = ({ running }) =>
  running.front().then(({ requests }) => requests, error => running.loadedBy ? 0 : Promise.reject(error))

/** @param {StagedArm} staged @param {FoundEngine} engine @param {LoadOptions} options */
const startOn = ({ arm: { name, load }, dir, target, network }, engine, { cores, maxSeconds }) => engine.start({
  name,
  load,
  target,
  network,
  cores: cores.split ? cores.load : null,
  dir: join(dir, engine.name),
  maxSeconds
})

/** @param {StagedArm} arm @param {Generator} generator
 * @param {{ until: number, pilotSeconds: number }} how until: of the process's clock, in ms
 * @returns {Promise<number>} share of one core that the generator used at the end */
async function warm (arm, generator, { until, pilotSeconds }) {
  await sleep(Math.max(0, until - performance.now() - pilotSeconds * 1000))
  const before = await generator.cpu()
  await sleep(pilotSeconds * 1000)
  const after = await generator.cpu()
  const failure = arm.running.failure() ?? await generator.failure()
  if (failure) throw failure
  return (after.seconds - before.seconds) / (after.atSeconds - before.atSeconds)
}

/**
 * Waits until the arm has answered a request, its process has ended, or FIRST_ANSWER_SECONDS have passed.
 * @param {StagedArm} arm
 * @param {Generator} generator
 * @param {object} count
 * @param {number} count.before requests that the front had counted before the generator started
 * @param {import('../types.js').EngineAbout['counted']} count.counted
 */
async function untilServed ({ running, arm: { load } }, generator, { before, counted }) {
  // Sent requests, one on each connection, prove nothing; the one after them follows a response.
  const isSentOnly = running.loadedBy && !running.proxied && counted === 'writes'
  const least = isSentOnly ? load.connections + CALLS_AT_START + 1 : 1
  const deadline = performance.now() + FIRST_ANSWER_SECONDS * 1000
  // One that dies is not read any more before its end is known.
  const requests = () => running.front().then(counts => counts.requests, () => before)
  while (await requests() - before < least && performance.now() < deadline) {
    if (running.failure() ?? await generator.failure()) return
    await sleep(20)
  }
}

/** What was sent before the pause is still being answered: the next arm must not pay for it. @param {StagedArm} arm */
async function atRest ({ running }) {
  const { proxy, server } = running.pids()
  const meter = new CpuMeter([...proxy, ...server])
  await untilAtRest(() => meter.seconds())
  meter.close()
}

/** Arms that may outrun an engine: asked first, a change of engine costs least. @param {StagedArm[]} arms */
const likeliestFirst = arms =>
  [...arms].sort((a, b) => Number(mayOutrun(b.arm.topology)) - Number(mayOutrun(a.arm.topology)))

/** Whether a proxy answers by itself, faster than the default engine can ask. @param {Topology} topology */
export function mayOutrun ({ proxy, server }) {
  const cache = proxy?.options.cache ?? 'off'
  return !server || (cache !== 'off' && cache !== false)
}
