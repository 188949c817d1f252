/** Finds clients that wait for a response in vain. In a closed loop each connection gets responses for as long as the
 * load is on. A connection whose response never comes sends no further request, and no engine reports that. */
import { answeredBytes } from './net.js'

/** @import { Reason, Sample } from '../types.js' */
/** @import { StagedArm } from './types.js' */

/** Least time without a response, under load, after which a connection may hang: longer than any pause of a server that
 * works. */
const HANGING_SECONDS = 0.8
/** Most times that a wait may exceed the mean wait of the connections that get responses (Little's law). */
const MAX_TIMES_MEAN_WAIT = 10
const HANGING_SHARE = 0.01 // Share of the connections that may hang, as of errors: a single one proves nothing.
const LOOK_SECONDS = 0.4 // Time under load between two looks at the kernel, which are outside of what is measured.
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
  if (hanging.length <= HANGING_SHARE * progress.size) return null
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
  #lookedAt = 0
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

  /** Looks for the first time, before the first slice, because the warm-up does not count as progress. */
  async begin () {
    this.#progress ??= toProgress(new Map(), await this.read() ?? new Map(), 0)
  }

  /**
   * @param {{ requests: number, seconds: number }} slice
   * @returns {Promise<Reason | null>}
   */
  async after ({ requests, seconds }) {
    this.#at += seconds
    if (this.#at - this.#lookedAt < LOOK_SECONDS) return this.#found
    this.#lookedAt = this.#at
    const bytes = await this.read()
    if (!bytes) return null
    this.#progress = toProgress(this.#progress ?? new Map(), bytes, this.#at)
    const load = { at: this.#at, rate: requests / seconds, connections: this.connections }
    this.#found = findHangingConnections(this.#progress, load)
    return this.#found
  }
}
