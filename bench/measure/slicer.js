/** Cuts slices out of arms that are up: thaw the generator, skip, read, wait, read, freeze, drain. */
import { setTimeout as sleep } from 'node:timers/promises'
import { USUAL_SECONDS } from '../adaptive/choose.js'
import { watchTrial } from '../clocks.js'
import { HopbenchError } from '../errors.js'
import { bytesThrough, linkBytes, linkUse } from './net.js'
import { CpuMeter, memoryMiB, untilAtRest } from '../probe.js'
import { DIED, EMPTY } from './rig.js'

/** @typedef {import('../types.d.ts').Sample} Sample */
/** @typedef {import('../types.d.ts').Unit} Unit */
/** @typedef {import('./load.js').LoadedArm} LoadedArm */

/** Skipped after a thaw: the answers that piled up in the sockets, and an expired cache entry. */
const SKIP_MS = 60
/**
 * After its slice a Node process compiles and collects for a while: its neighbour must not pay for it.
 * Below the share of a core that makes a slice invalid; a machine that is never so quiet is not waited for.
 */
const QUIET = { share: 0.02, stepMs: 20, limitMs: 400 }
/** Code of a slice in which a worker died, and its manager lives to start another one. */
const WORKER_DIED = 'worker-died'
/** Workers may be started anew: who belongs to an arm is looked up again after this many blocks. */
const BLOCKS_BETWEEN_LOOKS = 10

/**
 * @typedef {object} Slicer
 * @property {import('./rig.js').Rig['trial']} trial
 * @property {() => Set<string>} lost arms of which a process has ended
 */

/**
 * Cuts slices out of real topologies.
 * @param {Map<string, LoadedArm>} arms
 * @param {Unit} [unit] what is counted
 * @param {typeof watchTrial} [watch] over the clocks
 * @returns {Slicer & { close: () => void }}
 */
export function createSlicer (arms, unit = 'requests', watch = watchTrial) {
  /** @type {Map<string, Meters>} */
  const meters = new Map()
  /** @type {Set<string>} */
  const lost = new Set()
  let lookedAt = -Infinity

  const look = async () => {
    for (const meter of meters.values()) meter.close()
    for (const [name, arm] of arms) {
      meters.set(name, new Meters(arm))
      await arm.generator.look()
    }
  }

  return {
    lost: () => lost,
    close: () => meters.forEach(meter => meter.close()),
    async trial (name, block, { seconds = USUAL_SECONDS, stepSeconds } = {}) {
      if (block - lookedAt >= BLOCKS_BETWEEN_LOOKS) {
        await look()
        lookedAt = block
      }
      const arm = /** @type {LoadedArm} */ (arms.get(name))
      const others = [...meters].filter(([other]) => other !== name).map(([, meter]) => meter)
      const sample = await cut(arm, /** @type {Meters} */ (meters.get(name)), others, { unit, block, seconds, stepSeconds, watch })
      if (sample.invalid?.code === DIED) lost.add(name)
      return sample
    }
  }
}

/** The CPU meters of what one arm serves with. */
class Meters {
  /** @type {number | null} workers of the server that had died when the processes were looked up; null: not asked yet */
  #lost = null

  /** @param {LoadedArm} arm */
  constructor ({ staged }) {
    this.running = staged.running
    this.served = this.running.pids()
    this.proxy = new CpuMeter(this.served.proxy)
    this.server = new CpuMeter(this.served.server)
  }

  /**
   * Looks the server's processes up again when one has died: its manager has started another one.
   * @param {number} lost workers that have died since the start
   */
  follow (lost) {
    if (this.#lost !== null && this.#lost !== lost) {
      this.server.close()
      this.served = this.running.pids()
      this.server = new CpuMeter(this.served.server)
    }
    this.#lost = lost
  }

  /** @returns {{ proxy: number, server: number }} seconds */
  read () {
    return { proxy: this.proxy.seconds(), server: this.server.seconds() }
  }

  servedSeconds () {
    return this.proxy.seconds() + this.server.seconds()
  }

  close () {
    for (const meter of [this.proxy, this.server]) meter.close()
  }
}

/**
 * One slice of one arm. What goes wrong in it is its result, not an exception.
 * @param {LoadedArm} arm
 * @param {Meters} meters
 * @param {Meters[]} others
 * @param {{ unit: Unit, block: number, seconds: number, stepSeconds?: number, watch: typeof watchTrial }} options
 * @returns {Promise<Sample>}
 */
async function cut (arm, meters, others, { unit, block, seconds, stepSeconds, watch }) {
  const { staged: { running }, generator } = arm
  const startedAt = new Date().toISOString()
  const invalidated = (/** @type {import('../types.d.ts').Reason} */ invalid) => ({ ...EMPTY, arm: arm.staged.arm.name, block, startedAt, invalid })
  running.noted()
  /** @type {ReturnType<typeof watchTrial> | null} */
  let watched = null
  try {
    await generator.errors()
    await untilAtRest(() => idle(others), QUIET)
    const idleBefore = idle(others)
    const before = await totals(running)
    meters.follow(before.origin?.lost ?? 0)
    watched = watch()
    await generator.thaw()
    await sleep(SKIP_MS)
    const first = await reading(arm, meters, unit)
    const parts = stepSeconds === undefined ? null : await readInSteps(arm, first, { unit, seconds, stepSeconds })
    await sleep(Math.max(0, first.atSeconds * 1000 + seconds * 1000 - performance.now()))
    const last = await reading(arm, meters, unit)
    await generator.freeze()
    // Until the served side has answered what the frozen generator had sent.
    await untilAtRest(() => meters.servedSeconds())
    const after = await totals(running)
    const failure = running.failure() ?? await generator.failure()
    if (failure) throw failure
    const slicedErrors = await generator.errors()
    const disturbed = watched.end()
    if (disturbed) return invalidated(disturbed)
    return sampleOf({ arm, block, startedAt, before, first, last, parts, after, slicedErrors, idleSeconds: idle(others) - idleBefore, memory: memory(meters) })
  } catch (error) {
    // A generator on a machine that is gone cannot be frozen, nor asked.
    const gone = await generator.freeze().catch(error => /** @type {Error} */ (error))
    const died = running.failure() ?? (gone instanceof HopbenchError ? gone : await generator.failure())
    const disturbed = watched?.end()
    if (died) return invalidated({ code: DIED, text: died.message })
    // Who wakes up finds time limits passed.
    return invalidated(disturbed ?? { code: 'no-reading', text: /** @type {Error} */ (error).message })
  }
}

/**
 * @typedef {object} Cut
 * @property {LoadedArm} arm
 * @property {number} block
 * @property {string} startedAt
 * @property {Awaited<ReturnType<typeof totals>>} before the slice, nothing in flight
 * @property {Awaited<ReturnType<typeof reading>>} first
 * @property {Awaited<ReturnType<typeof reading>>} last
 * @property {number[] | null} parts rate over the first step, the first two …
 * @property {Awaited<ReturnType<typeof totals>>} after nothing in flight again
 * @property {import('../generator.js').SlicedErrors} slicedErrors seen by the generator
 * @property {number} idleSeconds CPU of all other arms over the whole slice
 * @property {{ proxy: number, server: number }} memory
 */

/**
 * @param {Cut} cut
 * @returns {Sample}
 */
function sampleOf ({ arm: { staged: { arm, running, network, bytesPerResponse } }, block, startedAt, before, first, last, parts, after, slicedErrors, idleSeconds, memory }) {
  const seconds = last.front.atSeconds - first.front.atSeconds
  const requests = last.units - first.units
  // The two clocks differ by the time an answer took: CPU is scaled to the served side's window.
  const scale = seconds / (last.atSeconds - first.atSeconds)
  // The generator may be on another machine, whose clock it is read by.
  const loadScale = seconds / (last.load.atSeconds - first.load.atSeconds)
  const noted = running.noted()
  const frontRequests = after.front.requests - before.front.requests
  const origin = before.origin && after.origin && difference(before.origin, after.origin)
  return {
    arm: arm.name,
    block,
    startedAt,
    requests,
    seconds,
    rps: requests / seconds,
    ...parts && { parts: [...parts, requests / seconds] },
    errors: {
      non2xx: running.proxied || !origin ? noted.filter(isError).length : origin.non2xx,
      ...slicedErrors
    },
    cpuSeconds: {
      load: (last.load.seconds - first.load.seconds) * loadScale,
      proxy: (last.cpu.proxy - first.cpu.proxy) * scale,
      server: (last.cpu.server - first.cpu.server) * scale,
      idle: idleSeconds
    },
    memoryMiB: memory,
    bytesPerResponse,
    ...linkUse(network, last.linkBytes === null || first.linkBytes === null ? null : last.linkBytes - first.linkBytes, seconds),
    proof: {
      clientConnectionsPerRequest: perRequest(first.front, last.front),
      upstreamConnectionsPerRequest: running.proxied && origin && origin.requests > 0 ? origin.connections / origin.requests : null,
      // On a busy machine a request may be counted behind the proxy before it is in front of it.
      cacheHitRatio: running.proxied && origin ? Math.max(0, 1 - origin.requests / Math.max(1, frontRequests)) : null,
      cacheExpiries: running.proxied && origin ? noted.filter(({ cache }) => cache === 'EXPIRED').length : null,
      socketType: after.origin?.listening ?? 'none',
      ...running.confinedBy && { confinedBy: running.confinedBy }
    },
    invalid: origin && origin.lost > 0
      ? { code: WORKER_DIED, text: `${origin.lost === 1 ? 'a worker' : `${origin.lost} workers`} of the server died` }
      : null
  }
}

/**
 * @param {import('../topology/control.js').ServerCounts} before
 * @param {import('../topology/control.js').ServerCounts} after
 */
const difference = (before, after) => ({
  requests: after.requests - before.requests,
  connections: after.connections - before.connections,
  non2xx: after.non2xx - before.non2xx,
  lost: after.lost - before.lost
})

/**
 * @param {import('../topology/start.js').FrontCounts} first
 * @param {import('../topology/start.js').FrontCounts} last
 */
const perRequest = (first, last) => first.connections === null || last.connections === null
  ? null
  : (last.connections - first.connections) / (last.requests - first.requests)

/** @param {{ status: number }} answer */
const isError = ({ status }) => (status < 200 || status > 299) && status !== 304

/** @param {import('../topology/start.js').Running} running */
async function totals (running) {
  const origin = await running.origin()
  return { front: running.proxied || !origin ? await running.front() : origin, origin }
}

/**
 * @param {LoadedArm} arm
 * @param {Meters} meters
 * @param {Unit} unit
 */
async function reading ({ staged, generator }, meters, unit) {
  const front = await staged.running.front()
  const units = unitsOf(staged, front, unit)
  const served = { front, units, linkBytes: linkBytes(staged.network, meters.served), cpu: meters.read(), atSeconds: performance.now() / 1000 }
  return { ...served, load: await generator.cpu() }
}

/**
 * Reads a slice while it runs, up to its last step.
 * @param {LoadedArm} arm
 * @param {Awaited<ReturnType<typeof reading>>} first
 * @param {{ unit: Unit, seconds: number, stepSeconds: number }} options
 * @returns {Promise<number[]>} units per second over the first step, the first two …
 */
async function readInSteps ({ staged }, first, { unit, seconds, stepSeconds }) {
  const rates = []
  for (let step = 1; step < Math.round(seconds / stepSeconds); step++) {
    await sleep(Math.max(0, (first.atSeconds + step * stepSeconds) * 1000 - performance.now()))
    const front = await staged.running.front()
    rates.push((unitsOf(staged, front, unit) - first.units) / (front.atSeconds - first.front.atSeconds))
  }
  return rates
}

/**
 * How much of the unit the front has served so far. Connections are those it has accepted: with one
 * request on each, they are TLS handshakes too.
 * @param {import('./stage.js').StagedArm} staged
 * @param {import('../topology/start.js').FrontCounts} front
 * @param {Unit} unit
 */
function unitsOf ({ running, network }, front, unit) {
  if (unit === 'requests') return front.requests
  if (unit === 'bytes') return bytesThrough(running.pids(), network.link?.device)
  if (front.connections === null) throw new Error('its front does not count the connections that it accepts')
  return front.connections
}

/** @param {Meters[]} others */
const idle = others => others.reduce((sum, meter) => sum + meter.servedSeconds(), 0)

/** @param {Meters} meters */
const memory = ({ served }) => ({ proxy: memoryMiB(served.proxy), server: memoryMiB(served.server) })
