/** Reads what one arm that is up has counted and used, and makes samples of the differences. */
import { Meters } from '../meters.js'
import { answeredBytes, bytesThrough, linkBytes } from '../net.js'
import { findPool, sampleBetween, subtract } from '../sample.js'
import { memoryMiB } from '../../machine/probe.js'
import { countRequestsPerUnit } from '../../plan/request-mix.js'
import { CLIENT_SHARE_LIMIT } from '../../shared/thresholds.js'
import { DIED } from '../../shared/trial.js'

/** @import { HopbenchError } from '../../errors.js' */
/** @import { FrontCounts, Reason, Sample, Unit } from '../../types.js' */
/** @import { LoadedArm, Reading, StagedArm } from '../types.js' */

/** Finds clients that wait for a response in vain. In a closed loop each connection gets responses for as long as the
 * load is on. A connection whose response never comes sends no further request, and no engine reports that. */

/** Least time without a response, under load, after which a connection may hang: longer than any pause of a server that
 * works. */
const HANGING_SECONDS = 0.8
/** Most times that a wait may exceed the mean wait of the connections that get responses (Little's law). */
const MAX_TIMES_MEAN_WAIT = 10
const INSPECT_SECONDS = 0.4 // Time under load between two looks at the kernel, which are outside of what is measured.
/** Most requests per second of the sampler beside an engine, independent of the other connections. */
const SAMPLED_PER_SECOND = 12
/** CPU time of all roles, as a share of one core, below which all of them are idle. Trickling bytes cost a little. */
const IDLE_SHARE = 0.2
const LINK_IDLE_SHARE = 0.1 // Responses that saturate their link are sent all the time and cost little CPU time.

/** @typedef {Map<string, { bytes: number, since: number }>} Progress by client; since: seconds under load */

/**
 * Returns what each connection has received, and since when it has received nothing more (pure).
 * @param {Progress} earlier
 * @param {Map<string, number>} bytes that each connection has received so far
 * @param {number} at seconds under load so far
 * @returns {Progress}
 */
const toProgress = (earlier, bytes, at) => new Map([...bytes].map(([client, received]) => {
  const before = earlier.get(client)
  return [client, before?.bytes === received ? before : { bytes: received, since: at }]
}))

/**
 * Finds connections that wait in vain (pure).
 * @param {Progress} progress
 * @param {{ at: number, rate: number, connections: number }} load at: seconds under load; rate: responses per second
 * @returns {Reason | null}
 */
function findHangingConnections (progress, { at, rate, connections }) {
  const waits = [...progress.values()].map(({ since }) => at - since).filter(wait => wait >= HANGING_SECONDS)
  const served = progress.size - waits.length
  const limit = Math.max(HANGING_SECONDS, served === 0 ? 0 : MAX_TIMES_MEAN_WAIT * served / rate)
  const hanging = waits.filter(wait => wait >= limit)
  if (hanging.length <= CLIENT_SHARE_LIMIT * progress.size) return null
  // The connection of the sampler is not one of the load's.
  const params = { hanging: Math.min(hanging.length, connections), connections, seconds: Math.min(...hanging) }
  return { code: 'clients-hang', params }
}

/**
 * Rejects a slice with next to no responses in which nothing was busy (pure). It covers the first slices of an arm, and
 * systems on which the kernel does not list connections.
 * @param {Pick<Sample, 'requests' | 'seconds' | 'cpuSeconds' | 'linkShare'>} slice
 * @returns {Reason | null}
 */
export function findHangingSlice ({ requests, seconds, cpuSeconds, linkShare = 0 }) {
  const { load, proxy, server } = cpuSeconds
  const isIdle = (load + proxy + server) / seconds < IDLE_SHARE && linkShare < LINK_IDLE_SHARE
  if (!isIdle || !(requests / seconds <= SAMPLED_PER_SECOND)) return null
  return { code: 'clients-hang', params: { requests, seconds } }
}

/** Looks at one arm's connections between its slices. */
export class HangWatch {
  /** @type {Progress | null} */
  #progress = null
  #at = 0
  #inspectedAt = 0
  /** @type {Reason | null} at the last look */
  #found = null

  /**
   * @param {StagedArm} staged
   * @param {typeof answeredBytes} [read]
   */
  constructor ({ arm, network, target }, read = answeredBytes) {
    this.connections = arm.load.connections
    this.read = async () => read(network, Number(new URL(target.url).port))
  }

  /** Looks for the first time, before the first slice, because the warm-up is not progress. */
  async begin () {
    this.#progress ??= toProgress(new Map(), await this.read() ?? new Map(), 0)
  }

  /**
   * @param {{ requests: number, seconds: number }} slice
   * @returns {Promise<Reason | null>}
   */
  async after ({ requests, seconds }) {
    this.#at += seconds
    if (this.#at - this.#inspectedAt < INSPECT_SECONDS) return this.#found
    this.#inspectedAt = this.#at
    const bytes = await this.read()
    if (!bytes) return null
    this.#progress = toProgress(this.#progress ?? new Map(), bytes, this.#at)
    const load = { at: this.#at, rate: requests / seconds, connections: this.connections }
    this.#found = findHangingConnections(this.#progress, load)
    return this.#found
  }
}

/** Blocks between two look-ups of an arm's processes, because workers can be replaced. */
const BLOCKS_BETWEEN_LOOKUPS = 10
/** Meters read the CPU time of an arm as a whole, which these readings leave out. */
const NO_CPU = { proxy: new Map(), server: new Map() }

/** @typedef {Partial<Sample> & Pick<Sample, 'invalid'>} Measured a sample without its arm, or why there is none */

export class ArmSampler {
  #lookedUpAt = -Infinity
  /** @type {Meters | null} */
  #meters = null

  /**
   * @param {LoadedArm} arm
   * @param {Unit} unit
   */
  constructor (arm, unit) {
    this.arm = arm
    this.unit = unit
    this.hangs = new HangWatch(arm.staged)
  }

  get meters () {
    return (this.#meters ??= new Meters(this.arm.staged.running))
  }

  close () {
    this.#meters?.close()
    this.#meters = null
  }

  /**
   * @param {number} block
   * @returns {Promise<boolean>} whether the processes were looked up again
   */
  async findProcesses (block) {
    if (block - this.#lookedUpAt < BLOCKS_BETWEEN_LOOKUPS) return false
    this.#lookedUpAt = block
    this.close()
    // The trial reports a generator that cannot be reached.
    await this.arm.generator.findProcesses().catch(() => {})
    return true
  }

  /** Discards what was noted before a trial. */
  async begin () {
    this.arm.staged.running.noted()
    await this.arm.generator.errors()
    await this.hangs.begin()
  }

  /** Reads the counts of both ends of the chain while the generator is paused. @returns {Promise<Reading>} */
  async readAtRest () {
    const { running } = this.arm.staged
    const origin = await running.origin()
    const front = running.proxied || !origin ? await running.front() : origin
    this.meters.follow(origin?.lost ?? 0)
    return { front, origin, noted: running.noted(), cpu: NO_CPU, linkBytes: null }
  }

  /** Reads the counts of both ends of the chain under load. @returns {Promise<Reading>} */
  async readBothEnds () {
    const { running } = this.arm.staged
    const [front, behind] = await Promise.all([running.front(), running.proxied ? running.origin() : null])
    const origin = running.proxied ? behind : /** @type {Reading['origin']} */ (front)
    this.meters.follow(origin?.lost ?? 0)
    return { front, origin, ...this.#readSent(front), cpu: NO_CPU, noted: running.noted() }
  }

  /** Reads the front's counts and all CPU time under load. @returns {Promise<Reading & { atSeconds: number }>} */
  async readFront () {
    const { running } = this.arm.staged
    const front = await running.front()
    const sent = this.#readSent(front)
    const cpu = this.meters.read()
    const atSeconds = performance.now() / 1000
    const noted = running.noted()
    return { front, origin: null, ...sent, cpu, atSeconds, noted, load: await this.arm.generator.cpu() }
  }

  /** @param {FrontCounts} front */
  #readSent (front) {
    const { network } = this.arm.staged
    return { units: this.#readUnits(front), linkBytes: linkBytes(network, this.meters.served) }
  }

  /** Reads how much of the unit was served. With one request on each connection, connections are TLS handshakes too.
   * @param {FrontCounts} front */
  #readUnits (front) {
    if (this.unit === 'requests' || this.unit === 'pages') return front.requests
    const { running, network } = this.arm.staged
    if (this.unit === 'bytes') return bytesThrough(running.pids(), network.link?.device)
    if (front.connections === null) throw new Error('its front does not count the connections that it accepts')
    return front.connections
  }

  /** Reads the CPU time used so far. */
  async readCpu () {
    return { cpu: this.meters.read(), load: await this.arm.generator.cpu() }
  }

  /**
   * Returns why an arm can have no more trials.
   * @param {HopbenchError | null} [lostHost] the generator's machine cannot be reached, and so cannot be asked
   * @returns {Promise<Reason | null>}
   */
  async findDeath (lostHost = null) {
    const { staged: { running }, generator } = this.arm
    const died = running.failure() ?? lostHost ?? await generator.failure()
    return died && { code: DIED, params: { message: died.message } }
  }

  /**
   * Makes a sample.
   * @param {object} readings
   * @param {[Reading, Reading]} readings.measured under load: throughput and CPU time are of the time between them
   * @param {[Reading, Reading]} readings.whole the first and last of the trial, for errors and deaths of workers
   * @param {[Reading, Reading]} readings.atRest with as little as possible in flight, for the proof of the transport
   * @param {boolean} [readings.reopens] whether a pool may have been opened anew between these
   * @param {number} [idleSeconds] CPU time that all other arms used meanwhile
   * @returns {Promise<Measured>}
   */
  async sample ({ measured, whole, atRest, reopens = false }, idleSeconds = 0) {
    const { running, network, arm, bytesPerResponse } = this.arm.staged
    const { non2xx, origin } = subtract(...whole)
    const reported = await this.arm.generator.errors()
    const requestsPerUnit = countRequestsPerUnit(this.unit, arm.load)
    const sample = sampleBetween(...measured, {
      unit: this.unit,
      requestsPerUnit,
      running,
      network,
      errors: { ...reported, non2xx: non2xx + (reported.non2xx ?? 0) },
      atRest,
      pool: findPool(arm, reopens ? undefined : atRest[0]),
      reopens,
      idleSeconds
    })
    const { requests = 0, seconds = NaN } = subtract(...measured).front ?? {}
    const hanging = await this.hangs.after({ requests, seconds }) ?? findHangingSlice({ ...sample, requests })
    const { proxy, server } = this.meters.served
    return {
      ...sample,
      memoryMiB: { proxy: memoryMiB(proxy), server: memoryMiB(server) },
      bytesPerResponse: bytesPerResponse && bytesPerResponse * requestsPerUnit,
      invalid: findLostWorkers(origin?.lost ?? 0) ?? hanging
    }
  }
}

/**
 * @param {number} lost
 * @returns {Reason | null}
 */
const findLostWorkers = lost => lost <= 0 ? null : { code: 'worker-died', params: { workers: lost } }
