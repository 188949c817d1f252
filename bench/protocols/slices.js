/**
 * Protocol `slices`: all arms are up, each with a generator of its own that is frozen while it is
 * not its turn. A block is one slice of every arm, in an order of its own.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { orderOfBlock } from '../plan.js'
import { CpuMeter, memoryMiB, untilAtRest } from '../probe.js'

/** @typedef {import('../types.d.ts').Sample} Sample */
/** @typedef {import('../types.d.ts').Plan} Plan */
/** @typedef {import('../load.js').LoadedArm} LoadedArm */

/** Skipped after a thaw: the answers that piled up in the sockets, and an expired cache entry. */
const SKIP_MS = 60
/** Longer buys next to nothing: beyond it the noise is no longer white (docs/method.md). */
const SLICE_MS = 500
/** Code of a slice in which a process of the arm ended by itself: the arm is lost. */
export const DIED = 'process-died'
/** Code of a slice in which a worker died, and its manager lives to start another one. */
const WORKER_DIED = 'worker-died'
/** Workers may be started anew: who belongs to an arm is looked up again after this many blocks. */
const BLOCKS_BETWEEN_LOOKS = 10

/**
 * @typedef {object} Slicer
 * @property {(arm: string, block: number) => Promise<Sample>} slice
 * @property {() => Set<string>} lost arms of which a process has ended
 */

/**
 * @param {object} options
 * @param {Plan} options.plan
 * @param {Slicer} options.slicer
 * @param {number} options.from number of the first block
 * @param {() => boolean} options.interrupted
 * @returns {AsyncGenerator<{ block: number, samples: Sample[] }>} one item for each block
 */
export async function * slices ({ plan, slicer, from, interrupted }) {
  for (let block = from; !interrupted(); block++) {
    const samples = []
    for (const arm of orderOfBlock(plan, block)) {
      if (slicer.lost().has(arm)) continue
      if (interrupted()) break
      samples.push(await slicer.slice(arm, block))
    }
    if (samples.length === 0) return
    yield { block, samples }
  }
}

/**
 * Cuts slices out of real topologies.
 * @param {Map<string, LoadedArm>} arms
 * @param {import('../cores.js').CoreSplit} cores
 * @returns {Slicer & { close: () => void }}
 */
export function createSlicer (arms, cores) {
  /** @type {Map<string, Meters>} */
  const meters = new Map()
  /** @type {Set<string>} */
  const lost = new Set()
  let lookedAt = -Infinity

  const look = () => {
    for (const meter of meters.values()) meter.close()
    for (const [name, arm] of arms) meters.set(name, new Meters(arm))
  }

  return {
    lost: () => lost,
    close: () => meters.forEach(meter => meter.close()),
    async slice (name, block) {
      if (block - lookedAt >= BLOCKS_BETWEEN_LOOKS) {
        look()
        lookedAt = block
      }
      const arm = /** @type {LoadedArm} */ (arms.get(name))
      const others = [...meters].filter(([other]) => other !== name).map(([, meter]) => meter)
      const sample = await cut(arm, /** @type {Meters} */ (meters.get(name)), others, cores, block)
      if (sample.invalid?.code === DIED) lost.add(name)
      return sample
    }
  }
}

/** The CPU meters of one arm. */
class Meters {
  /** @type {number | null} workers of the server that had died when the processes were looked up; null: not asked yet */
  #lost = null

  /** @param {LoadedArm} arm */
  constructor ({ staged, generator }) {
    this.running = staged.running
    this.served = this.running.pids()
    this.load = new CpuMeter(generator.pids())
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

  /** @returns {import('../types.d.ts').ByRole} seconds */
  read () {
    return { load: this.load.seconds(), proxy: this.proxy.seconds(), server: this.server.seconds() }
  }

  servedSeconds () {
    return this.proxy.seconds() + this.server.seconds()
  }

  close () {
    for (const meter of [this.load, this.proxy, this.server]) meter.close()
  }
}

/**
 * One slice of one arm. What goes wrong in it is its result, not an exception.
 * @param {LoadedArm} arm
 * @param {Meters} meters
 * @param {Meters[]} others
 * @param {import('../cores.js').CoreSplit} cores
 * @param {number} block
 * @returns {Promise<Sample>}
 */
async function cut (arm, meters, others, cores, block) {
  const { staged: { running }, generator } = arm
  const startedAt = new Date().toISOString()
  running.noted()
  generator.errors()
  try {
    const idleBefore = idle(others)
    const before = await totals(running)
    meters.follow(before.origin?.lost ?? 0)
    generator.thaw()
    await sleep(SKIP_MS)
    const first = await reading(running, meters)
    await sleep(SLICE_MS)
    const last = await reading(running, meters)
    generator.freeze()
    // Until the served side has answered what the frozen generator had sent.
    await untilAtRest(() => meters.servedSeconds())
    const after = await totals(running)
    const failure = running.failure() ?? generator.failure()
    if (failure) throw failure
    return sampleOf({ arm, block, startedAt, before, first, last, after, idleSeconds: idle(others) - idleBefore, memory: memory(meters) })
  } catch (error) {
    generator.freeze()
    const died = running.failure() ?? generator.failure()
    const invalid = died
      ? { code: DIED, text: died.message }
      : { code: 'no-reading', text: /** @type {Error} */ (error).message }
    return { ...EMPTY, arm: arm.staged.arm.name, block, startedAt, invalid }
  }
}

/** What a slice that broke off has to say besides its reason. */
const EMPTY = {
  requests: 0,
  seconds: 0,
  rps: 0,
  errors: { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 },
  cpuSeconds: { load: 0, proxy: 0, server: 0, idle: 0 },
  memoryMiB: { proxy: 0, server: 0 },
  proof: { upstreamConnectionsPerRequest: null, cacheHitRatio: null, cacheExpiries: null, socketType: /** @type {const} */ ('none') }
}

/**
 * @typedef {object} Cut
 * @property {LoadedArm} arm
 * @property {number} block
 * @property {string} startedAt
 * @property {Awaited<ReturnType<typeof totals>>} before the slice, nothing in flight
 * @property {Awaited<ReturnType<typeof reading>>} first
 * @property {Awaited<ReturnType<typeof reading>>} last
 * @property {Awaited<ReturnType<typeof totals>>} after nothing in flight again
 * @property {number} idleSeconds CPU of all other arms over the whole slice
 * @property {{ proxy: number, server: number }} memory
 */

/**
 * @param {Cut} cut
 * @returns {Sample}
 */
function sampleOf ({ arm: { staged: { arm, running, bytesPerResponse }, generator }, block, startedAt, before, first, last, after, idleSeconds, memory }) {
  const seconds = last.front.atSeconds - first.front.atSeconds
  const requests = last.front.requests - first.front.requests
  // The two clocks differ by the time an answer took: CPU is scaled to the served side's window.
  const scale = seconds / (last.atSeconds - first.atSeconds)
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
    errors: {
      non2xx: running.proxied || !origin ? noted.filter(isError).length : origin.non2xx,
      ...generator.errors()
    },
    cpuSeconds: {
      load: (last.cpu.load - first.cpu.load) * scale,
      proxy: (last.cpu.proxy - first.cpu.proxy) * scale,
      server: (last.cpu.server - first.cpu.server) * scale,
      idle: idleSeconds
    },
    memoryMiB: memory,
    bytesPerResponse,
    proof: {
      upstreamConnectionsPerRequest: running.proxied && origin && origin.requests > 0 ? origin.connections / origin.requests : null,
      cacheHitRatio: running.proxied && origin ? 1 - origin.requests / frontRequests : null,
      cacheExpiries: running.proxied && origin ? noted.filter(({ cache }) => cache === 'EXPIRED').length : null,
      socketType: after.origin?.listening ?? 'none'
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

/** @param {{ status: number }} answer */
const isError = ({ status }) => (status < 200 || status > 299) && status !== 304

/** @param {import('../topology/start.js').Running} running */
async function totals (running) {
  const origin = await running.origin()
  return { front: running.proxied || !origin ? await running.front() : origin, origin }
}

/**
 * @param {import('../topology/start.js').Running} running
 * @param {Meters} meters
 */
async function reading (running, meters) {
  const front = await running.front()
  return { front, cpu: meters.read(), atSeconds: performance.now() / 1000 }
}

/** @param {Meters[]} others */
const idle = others => others.reduce((sum, meter) => sum + meter.servedSeconds(), 0)

/** @param {Meters} meters */
const memory = ({ served }) => ({ proxy: memoryMiB(served.proxy), server: memoryMiB(served.server) })
