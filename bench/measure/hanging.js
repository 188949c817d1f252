/** Clients that wait in vain. In a closed loop each connection has an answer again and again while the load is on; one
 * that an answer has left hanging asks for nothing more, and no engine says so. */
import { answeredBytes } from './net.js'

/** @import { Reason, Sample } from '../types.js' @import { StagedArm } from './shapes.js' */

/** Longer than any pause of a server that works: a connection without an answer for so long under load may hang. */
const HANGING_SECONDS = 0.8
/** An answer may take so many times as long as the connections that get one wait on average (Little's law). */
const PATIENCE = 10
const HANGING_SHARE = 0.01 // A share of the connections that may wait silently: as of errors, a stray one.
const LOOK_SECONDS = 0.4 // The kernel is queried after so much time under load, outside of what is measured.
/** The sampler beside an engine asks ten times a second, whatever the other connections do. */
const SAMPLED_PER_SECOND = 12
/** CPU time of all roles together, as a share of one core: below, nobody does much. Bytes that trickle cost some. */
const IDLE_SHARE = 0.2
const LINK_IDLE_SHARE = 0.1 // Answers that fill their link are under way all the time, on little CPU.

/** @typedef {Map<string, { bytes: number, since: number }>} Progress by client; since: seconds under load */

/** What each connection has got, and since when it has had no more (pure). @param {Progress} known
 * @param {Map<string, number>} bytes that each connection has got by now @param {number} at seconds under load so far
 * @returns {Progress} */
export const progressOf = (known, bytes, at) => new Map([...bytes].map(([client, got]) => {
  const before = known.get(client)
  return [client, before?.bytes === got ? before : { bytes: got, since: at }]
}))

/** Are there connections that wait in vain? (pure). @param {Progress} progress
 * @param {{ at: number, rate: number, connections: number }} load at: seconds under load; rate: answers per second;
 * connections: of the load @returns {Reason | null} */
export function hangingConnections (progress, { at, rate, connections }) {
  const waits = [...progress.values()].map(({ since }) => at - since).filter(wait => wait >= HANGING_SECONDS)
  const served = progress.size - waits.length
  const limit = Math.max(HANGING_SECONDS, served === 0 ? 0 : PATIENCE * served / rate)
  const hanging = waits.filter(wait => wait >= limit)
  if (hanging.length <= HANGING_SHARE * progress.size) return null
  // The sampler's own is beside those of the load.
  const count = Math.min(hanging.length, connections)
  const seconds = Math.min(...hanging).toFixed(1)
  return { code: 'clients-hang', text: `${count} of ${connections} connections had no answer for ${seconds} s of load` }
}

/** A slice with next to no responses, and nothing was busy (pure). For where the kernel does not show it, and
 * for the first moments. @param {Pick<Sample, 'requests' | 'seconds' | 'cpuSeconds' | 'linkShare'>} slice
 * @returns {Reason | null} */
export function hangingSlice ({ requests, seconds, cpuSeconds: { load, proxy, server }, linkShare = 0 }) {
  const idle = (load + proxy + server) / seconds < IDLE_SHARE && linkShare < LINK_IDLE_SHARE
  if (!idle || !(requests / seconds <= SAMPLED_PER_SECOND)) return null
  return {
    code: 'clients-hang',
    text:
      `${requests} requests were answered in ${seconds.toFixed(1)} s of load, and neither side used the CPU: its ` +
      'connections hang, or an answer takes longer than a slice'
  }
}

/** Looks at one arm's connections from slice to slice. */
export class HangWatch {
  /** @type {Progress | null} null: not looked yet */
  #progress = null
  #at = 0
  #lookedAt = 0
  /** @type {Reason | null} as of the last look */
  #found = null

  /** @param {StagedArm} staged @param {typeof answeredBytes} [read] */
  constructor ({ arm, network, target }, read = answeredBytes) {
    this.connections = arm.load.connections
    this.read = async () => read(network, Number(new URL(target.url).port))
  }

  /** Before the first slice: what was got in the warm-up is no progress. */
  async begin () {
    this.#progress ??= progressOf(new Map(), await this.read() ?? new Map(), 0)
  }

  /** @param {{ requests: number, seconds: number }} slice @returns {Promise<Reason | null>} */
  async after ({ requests, seconds }) {
    this.#at += seconds
    if (this.#at - this.#lookedAt < LOOK_SECONDS) return this.#found
    this.#lookedAt = this.#at
    const bytes = await this.read()
    if (!bytes) return null
    this.#progress = progressOf(this.#progress ?? new Map(), bytes, this.#at)
    const load = { at: this.#at, rate: requests / seconds, connections: this.connections }
    this.#found = hangingConnections(this.#progress, load)
    return this.#found
  }
}
