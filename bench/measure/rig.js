/** What measures a plan: a rig makes one trial of one arm when it is asked. bench/protocols/ holds the kinds of it. */
import { HopbenchError } from '../errors.js'

/** @typedef {import('../types.d.ts').Reason} Reason */
/** @typedef {import('../types.d.ts').Plan} Plan */
/** @typedef {import('../types.d.ts').Sample} Sample */

/** Code of a trial in which a process of the arm ended by itself: the arm is lost. */
export const DIED = 'process-died'
/** What a trial that was not made, or broke off, has to say besides its reason. */
export const EMPTY = {
  requests: 0,
  seconds: 0,
  rps: 0,
  errors: { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 },
  cpuSeconds: { load: 0, proxy: 0, server: 0, idle: 0 },
  memoryMiB: { proxy: 0, server: 0 },
  proof: { upstreamConnectionsPerRequest: null, cacheHitRatio: null, cacheExpiries: null, socketType: /** @type {const} */ ('none') }
}

/**
 * @typedef {object} Rig
 * @property {(arm: string, block: number, how?: TrialOptions) => Promise<Sample>} trial what goes wrong in it is its result, not an exception
 * @property {() => Set<string>} lost arms that can have no more trials: refused, or a process of theirs has ended
 * @property {() => Map<string, Reason>} refused arms that the gate has refused
 * @property {string} engine the engine that makes the load
 * @property {{ arm: string, share: number } | null} switchedFor why it is not the default one
 * @property {{ wanted: string, why: string } | null} instead the engine that was wanted and is not to be had
 * @property {() => import('../types.d.ts').SlowerUsers | null} [slowerUsers] users whose pace was lowered, once it is known
 * @property {() => Record<string, string>} tools version by program
 * @property {() => Promise<Map<string, Reason>>} finish ends the load; arms whose counts disagree
 * @property {() => Promise<void>} close ends everything; may be called at any time
 */

/**
 * How a slice is made; other protocols make their windows as the plan says.
 * @typedef {object} TrialOptions
 * @property {number} [seconds] left out: the usual length
 * @property {number} [stepSeconds] the slice is read so often while it runs, see Sample.parts
 */

/**
 * @typedef {object} RigOptions
 * @property {string} temp short absolute folder
 * @property {string} keepIn folder that takes the configurations and logs in the end
 * @property {boolean} lab private networks
 * @property {string} [address] where there are none: of this host, that clients on other machines ask; left out: its loopback
 * @property {import('../cores.js').CoreSplit} cores
 * @property {string} engine
 * @property {import('../find-engine.js').Engines} [engines] where the load is made; left out: here
 * @property {boolean} mayswitch false when a person has chosen the engine
 * @property {string} cwd what a path to a person's own module is relative to
 * @property {number} maxSeconds every generator ends by itself after this time
 * @property {(text: string) => void} note progress
 */

/**
 * A file of bench/protocols/.
 * @typedef {object} ProtocolModule
 * @property {(plan: Plan, options: RigOptions) => Promise<Rig>} open
 */

/**
 * Opens the rig of a plan's protocol on this machine.
 * @param {Plan} plan
 * @param {RigOptions} options
 * @returns {Promise<Rig>}
 */
export async function openRig (plan, options) {
  /** @type {ProtocolModule} */
  const { open } = await import(`../protocols/${plan.protocol}.js`)
  return open(plan, options)
}

/**
 * With the arms that the gate has let pass there must be something to compare.
 * @param {Pick<Plan, 'arms' | 'contrasts'>} plan
 * @param {Map<string, Reason>} refused
 * @throws {HopbenchError} gate-refused
 */
export function refuseNothingLeft ({ arms, contrasts }, refused) {
  const pairs = contrasts.length > 0 ? contrasts : [[arms[0].name]]
  if (pairs.some(pair => !pair.some(name => refused.has(name)))) return
  const [name, { text }] = [...refused][0]
  throw new HopbenchError('gate-refused', { name, why: text })
}

/**
 * Client and server count the same requests, but for those in flight when the generator ended and
 * those whose answer got lost (pure).
 * @param {{ measurement: import('../types.d.ts').Measurement, sampled: number, served: number, connections: number, countsLate?: boolean }} counts
 *   countsLate: the served side counts a request some time after its answer
 * @returns {string | null}
 */
export function disagreement ({ measurement, sampled, served, connections, countsLate = false }) {
  const { requests, errors } = measurement
  const client = requests + sampled
  const lost = errors.timeouts + errors.resets
  // One more for the sampler, whose last request may be in flight too.
  const most = client + connections + lost + 1
  if (served >= client - (countsLate ? connections : 0) && served <= most) return null
  return `the generator counted ${client} answers and the served side ${served} requests (at most ${connections} in flight)`
}
