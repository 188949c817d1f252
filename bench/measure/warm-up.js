/** Loads an arm until it is warm, by the rule of steady.js. The one warm-up of all protocols. */
import { setTimeout as sleep } from 'node:timers/promises'
import { findClosedLoop, startOn } from './closed-loop.js'
import { Meters } from './meters.js'
import { findMoving, RoleCosts } from './steady.js'
import { localEngines } from '../load/find-engine.js'
import { now } from '../machine/clocks.js'
import { readCpuSeconds, untilAtRest } from '../machine/probe.js'
import { hasProxyOrigin } from '../topology/proxy-origin.js'

/** @import { HopbenchError } from '../errors.js' */
/** @import { Code } from './steady.js' */
/** @import { FoundEngine, Generator } from '../load/types.js' */
/** @import { Arm, Load, Running, Topology, Unsteady } from '../types.js' */
/** @import { RigOptions, StagedArm } from './types.js' */

/** Time between two readings. */
const STEP_MS = 100
/** Readings after which the processes are looked up again, because an app starts workers late. */
const STEPS_PER_LOOKUP = 20
/** Time between two notes of progress that a cost still falls. */
const NOTE_SECONDS = 5
/** Time in which the served side learns of closed connections and begins to close its own ends. */
const CLOSING_MS = 50
/** Length of the warm-up of a smoke run, which measures nothing that is compared. */
const SMOKE_SECONDS = 0.2

/**
 * @typedef {object} WarmUpOptions
 * @property {number} limitSeconds longest warm-up of an arm
 * @property {boolean} [smoke] does not wait for the steady state
 * @property {boolean} [isCompiled] whether an earlier warm-up has compiled the code
 * @property {() => boolean} [interrupted] ends the warm-up early
 * @property {(text: string) => void} printProgress prints progress
 */

/**
 * Waits until an arm under load is warm.
 *
 * @param {StagedArm} staged
 * @param {Generator} generator that loads it
 * @param {WarmUpOptions} options
 * @returns {Promise<{ unsteady: Unsteady | null, warmCost: number }>} unsteady: a role that was not warm at the limit;
 *   warmCost: CPU time of the served side per request at the end, in seconds; 0: not measured
 * @throws {HopbenchError} if a process of the arm or the generator ends
 */
export async function untilSteady (staged, generator, options) {
  const { limitSeconds, smoke, isCompiled, interrupted = () => false, printProgress } = options
  const startedAt = now()
  const costs = createArmCosts(staged, generator, isCompiled || isNative(staged.arm.topology) ? 'native' : 'compiled')
  try {
    if (smoke) await sleep(SMOKE_SECONDS * 1000)
    const isOver = () => smoke || interrupted()
    let notedSeconds = 0
    for (let step = 0; !isOver(); step++) {
      if (step % STEPS_PER_LOOKUP === 0) await costs.lookUp()
      await costs.read()
      const seconds = now() - startedAt
      const isLast = seconds >= limitSeconds
      const moving = findMoving(costs.roles, isLast)
      if (!moving) break
      if (isLast) {
        const unsteady = { role: moving.role, change: moving.isFalling ? moving.change : null, seconds }
        return { unsteady, warmCost: costs.getServed() }
      }
      if (seconds >= notedSeconds + NOTE_SECONDS) {
        notedSeconds = seconds
        printProgress(`warming up ${staged.arm.name}: the cost of a request still falls, ${Math.floor(seconds)} s`)
      }
      await sleep(STEP_MS)
    }
    const failure = staged.running.failure() ?? await generator.failure()
    if (failure) throw failure
    return { unsteady: null, warmCost: costs.getServed() }
  } finally {
    costs.close()
  }
}

/**
 * Reads the costs of all roles of an arm.
 * @param {StagedArm} staged
 * @param {Generator} generator
 * @param {Code} code of the server
 */
function createArmCosts ({ running }, generator, code) {
  const load = new RoleCosts('load', 'native')
  const proxy = new RoleCosts('proxy', 'native')
  const server = new RoleCosts('server', code)
  /** @type {Meters | null} */
  let meters = null
  const close = () => meters?.close()
  return {
    roles: [server, proxy, load],
    /** Looks up the processes. */
    async lookUp () {
      close()
      meters = new Meters(running)
      // The end of a generator is found after the warm-up.
      await generator.findProcesses().catch(() => {})
    },
    /** Skips a reading if the front cannot be read, because all of its connections are taken. */
    async read () {
      const front = await running.front().catch(() => null)
      if (!front || !meters) return
      const served = meters.read()
      const { seconds } = await generator.cpu()
      const reading = { atSeconds: now(), requests: front.requests }
      load.add({ ...reading, cpuSeconds: new Map([[0, seconds]]) })
      proxy.add({ ...reading, cpuSeconds: served.proxy })
      server.add({ ...reading, cpuSeconds: served.server })
    },
    /** Returns the CPU time of the served side per request, in seconds; 0: not measured. */
    getServed: () => [server, proxy].reduce((sum, { cpuSeconds, level }) => cpuSeconds > 0 ? sum + level : sum, 0),
    close
  }
}

/** Returns whether the served side compiles nothing while it runs. @param {Topology} topology */
const isNative = topology => topology.server === null || hasProxyOrigin(topology)

/**
 * Results of warm-ups by topology, because a topology that is measured in several windows is warmed up once.
 * @type {WeakMap<Running, Promise<Unsteady | null>>}
 */
const warmed = new WeakMap()

/**
 * Warms up a topology in a closed loop, unless it was warmed up before. With an offered rate, warms it up at that rate,
 * too, because a runtime compiles anew for another load (docs/sizing-method.md).
 *
 * @param {Arm} arm
 * @param {WarmUpOptions & Pick<RigOptions, 'cores' | 'engines'> & { staged: StagedArm }} options
 * @returns {Promise<Unsteady | null>} as of untilSteady()
 */
export function ensureWarm (arm, options) {
  const { running } = options.staged
  const earlier = warmed.get(running)
  if (earlier) return earlier
  const warming = warmUp(arm, options)
  warmed.set(running, warming)
  return warming
}

/** Time after the limit at which the generator ends by itself, in case hopbench was killed. */
const SPARE_SECONDS = 60

/**
 * @param {Arm} arm
 * @param {Parameters<typeof ensureWarm>[1]} options
 */
async function warmUp (arm, options) {
  const { staged, engines = localEngines } = options
  const closed = await loadUntilSteady(await findClosedLoop(arm, staged, { engines }), options)
  if (arm.load.rate === undefined || closed !== null) return closed
  const engine = await engines.find(arm.load.engine)
  return loadUntilSteady({ engine, load: arm.load }, { ...options, isCompiled: true })
}

/**
 * Starts a generator, waits until the arm is warm, and ends the generator.
 *
 * @param {{ engine: FoundEngine, load: Load }} generator
 * @param {Parameters<typeof ensureWarm>[1]} options
 */
async function loadUntilSteady ({ engine, load }, { staged, cores, ...options }) {
  const { running } = staged
  const maxSeconds = Math.ceil(options.limitSeconds + SPARE_SECONDS)
  const generator = await startOn(staged, engine, { cores, maxSeconds, load, folder: `warm-${engine.name}` })
  running.setLoadCounter?.(() => generator.counts())
  try {
    return (await untilSteady(staged, generator, options)).unsteady
  } finally {
    await generator.kill()
    await settle(running)
  }
}
/** Waits until the connections of an ended generator are closed and its last requests are counted.
 * @param {Running} running */
async function settle (running) {
  const { proxy, server } = running.pids()
  await sleep(CLOSING_MS)
  await untilAtRest(() => [...readCpuSeconds([...proxy, ...server]).values()].reduce((a, b) => a + b, 0))
}
