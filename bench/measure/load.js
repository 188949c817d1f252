/**
 * A generator for every arm, warm and frozen: the engine is tried out on each arm first, and when
 * it would be the bottleneck of one, a faster one takes its place in all of them.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { refuseImpossible } from '../capabilities.js'
import { DEFAULT } from '../find-engine.js'
import { CpuMeter, untilAtRest } from '../probe.js'
import { LOAD_BOUND_SHARE } from '../verdict.js'

/** @typedef {import('./stage.js').StagedArm} StagedArm */
/** @typedef {import('../generator.js').Generator} Generator */

/** Each arm runs this long before it counts: JIT, pools and caches fill (docs/method.md). A quick run has less. */
const WARM_UP_SECONDS = { full: 1.5, quick: 1 }
/** The part of it in which a generator has connected and its CPU says how far it can go. */
const PILOT_SECONDS = 0.8

/**
 * @typedef {object} LoadedArm
 * @property {StagedArm} staged
 * @property {Generator} generator frozen
 * @property {number} frontBefore requests that the front had counted before the generator started
 */

/**
 * @typedef {object} Loaded
 * @property {Map<string, LoadedArm>} arms
 * @property {string} engine the engine in use
 * @property {string} version
 * @property {{ arm: string, share: number } | null} switchedFor the arm that the default engine would have limited
 * @property {{ wanted: string, why: string } | null} instead the engine that was wanted and is not to be had
 * @property {() => Promise<void>} close
 */

/**
 * @param {StagedArm[]} arms
 * @param {object} options
 * @param {string} options.engine
 * @param {import('../find-engine.js').Engines} options.engines where the load is made
 * @param {boolean} options.quick
 * @param {boolean} options.mayswitch false when a person has chosen the engine
 * @param {number[] | null} options.cores of the load
 * @param {number} options.maxSeconds every generator ends by itself after this time
 * @param {(text: string) => void} options.note progress
 * @returns {Promise<Loaded>}
 */
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
    options.note(`${first.plugin.about.title} would be the bottleneck of ${arm}: ${faster.plugin.about.title} makes the load of all arms`)
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

/**
 * @param {StagedArm[]} staged
 * @param {import('../find-engine.js').FoundEngine} engine
 * @param {{ quick: boolean, mayswitch: boolean, cores: number[] | null, maxSeconds: number, note: (text: string) => void }} options
 * @returns {Promise<Omit<Loaded, 'switchedFor' | 'instead'>>}
 * @throws {Outrun} when another engine may take over and this one is the bottleneck
 */
async function warmUp (staged, engine, { quick, mayswitch, cores, maxSeconds, note }) {
  /** @type {Map<string, LoadedArm>} */
  const loaded = new Map()
  const close = async () => { await Promise.all([...loaded.values()].map(({ generator }) => generator.kill())) }
  try {
    for (const arm of likeliestFirst(staged)) {
      note(`warming up ${arm.arm.name}`)
      refuseImpossible(engine.plugin, arm.arm, 'slices', arm.target)
      const frontBefore = (await arm.running.front()).requests
      const generator = await engine.start({
        name: arm.arm.name,
        load: arm.arm.load,
        target: arm.target,
        network: arm.network,
        cores,
        dir: join(arm.dir, engine.name),
        maxSeconds
      })
      loaded.set(arm.arm.name, { staged: arm, generator, frontBefore })
      const share = await warm(arm, generator, quick)
      await generator.freeze()
      await atRest(arm)
      if (mayswitch && share >= LOAD_BOUND_SHARE) throw new Outrun(arm.arm.name, share)
    }
    return { arms: loaded, engine: engine.name, version: engine.version, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * @param {StagedArm} arm
 * @param {Generator} generator
 * @param {boolean} quick
 * @returns {Promise<number>} share of one core that the generator used at the end
 */
async function warm (arm, generator, quick) {
  await sleep((WARM_UP_SECONDS[quick ? 'quick' : 'full'] - PILOT_SECONDS) * 1000)
  const before = await generator.cpu()
  await sleep(PILOT_SECONDS * 1000)
  const after = await generator.cpu()
  const failure = arm.running.failure() ?? await generator.failure()
  if (failure) throw failure
  return (after.seconds - before.seconds) / (after.atSeconds - before.atSeconds)
}

/**
 * What was sent before the freeze is still being answered: the next arm must not pay for it.
 * @param {StagedArm} arm
 */
async function atRest ({ running }) {
  const { proxy, server } = running.pids()
  const meter = new CpuMeter([...proxy, ...server])
  await untilAtRest(() => meter.seconds())
  meter.close()
}

/**
 * The arms with a cache can outrun an engine; asked first, a change of engine costs least.
 * @param {StagedArm[]} arms
 */
const likeliestFirst = arms => [...arms].sort((a, b) => Number(mayOutrun(b.arm.topology)) - Number(mayOutrun(a.arm.topology)))
/**
 * Whether a proxy answers by itself, faster than the default engine can ask.
 * @param {import('../types.d.ts').Topology} topology
 */
export function mayOutrun ({ proxy, server }) {
  const cache = proxy?.options.cache ?? 'off'
  return !server || (cache !== 'off' && cache !== false)
}
