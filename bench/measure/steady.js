/**
 * Decides whether the processes of a role are warm: whether each has compiled its hot code, and their CPU time per
 * request no longer falls (pure). A time is no criterion, because compilers count calls: of four workers each gets a
 * quarter of the requests, and a slow arm needs longer than a fast one. docs/method.md has the trials of the rule.
 */
import { cpuSecondsBetween } from '../machine/probe.js'

/** @import { Unsteady } from '../types.js' */

/**
 * Least work of each process that serves requests: so many requests or, if they are heavy, so much CPU time in seconds.
 * Node 24 falls from 29 to 20 µs per request within 215,000 requests, with a rise in between that looks like a steady
 * state; Node 26 within 97,000. Native programs compile nothing.
 */
const MIN_WORK = {
  compiled: { requests: 120_000, cpuSeconds: 8, heavyFrom: 250e-6 },
  native: { requests: Infinity, cpuSeconds: 0.5, heavyFrom: 0 }
}
/** @typedef {keyof typeof MIN_WORK} Code */
/** Share of the CPU time of its role's busiest process from which on a process serves requests. The primary of a
 * cluster uses less. */
const WORKING_SHARE = 0.1
/** Share of an arm's CPU time from which on a role matters. */
const ROLE_SHARE = 0.1
/** Share of a core below which a process waits most of the time, for a database or under a quota. */
const WAITING_SHARE = 0.15
/**
 * Largest fall of the cost in the last quarter of the CPU time that counts as none. On a noisy machine the lower
 * quartiles of equal quarters differ by 2 to 4 %.
 */
const MAX_FALL = 0.04
/** Fewest windows in each quarter. */
const MIN_WINDOWS = 4

/**
 * @typedef {object} CostReading
 * @property {number} atSeconds of a monotonic clock
 * @property {number} requests served so far by the arm
 * @property {ReadonlyMap<number, number>} cpuSeconds CPU time so far, by process
 */

/** Costs of one role of an arm under load. */
export class RoleCosts {
  /** Windows with at least one request. totalCpu: of the role at the end of the window, in seconds.
   * @type {{ totalCpu: number, cost: number }[]} */
  #windows = []
  /** @type {CostReading | null} */
  #first = null
  /** @type {CostReading | null} */
  #last = null
  /** CPU time of the role so far, in seconds. */
  #totalCpu = 0

  /**
   * @param {Unsteady['role']} role
   * @param {Code} code of its processes
   */
  constructor (role, code) {
    this.role = role
    this.leastWork = MIN_WORK[code]
  }

  /** @param {CostReading} reading */
  add (reading) {
    this.#first ??= reading
    const last = this.#last ?? reading
    const requests = reading.requests - last.requests
    if (this.#last && requests <= 0) return
    this.#last = reading
    // Processes can be replaced meanwhile, so that their sum could fall.
    const used = cpuSecondsBetween(last.cpuSeconds, reading.cpuSeconds)
    this.#totalCpu += used
    if (requests > 0) this.#windows.push({ totalCpu: this.#totalCpu, cost: used / requests })
  }

  /** CPU time of the role since the first reading, in seconds. */
  get cpuSeconds () {
    return this.#totalCpu
  }

  /** Cost of the last quarter of the CPU time; NaN: no reading. */
  get level () {
    return computeLowerQuartile(this.#listCosts(0.75, 1))
  }

  /** Whether the cost no longer falls; false, too, with too few windows. */
  get isLevel () {
    return this.change >= -MAX_FALL
  }

  /** Whether the cost still falls. */
  get isFalling () {
    return this.change < -MAX_FALL
  }

  /** Whether each working process has done its least work. Requests are attributed to processes by CPU time. */
  get isCompiled () {
    const working = this.#listWorking()
    const requests = Number(this.#last?.requests) - Number(this.#first?.requests)
    const cost = working.reduce((sum, seconds) => sum + seconds, 0) / requests
    const { leastWork } = this
    return working.length > 0 && working.every(seconds => seconds / cost >= leastWork.requests ||
      (cost >= leastWork.heavyFrom && seconds >= leastWork.cpuSeconds))
  }

  /** Whether the working processes wait most of the time, so that their least work is out of reach. */
  get isWaiting () {
    const seconds = Number(this.#last?.atSeconds) - Number(this.#first?.atSeconds)
    return this.#listWorking().every(used => used < WAITING_SHARE * seconds)
  }

  /**
   * Relative change of the cost from the cheaper of the second and third quarter of the CPU time to the last; NaN: too
   * few windows. A disturbance that makes one quarter dearer is no fall afterwards.
   */
  get change () {
    const quarters = [[0.25, 0.5], [0.5, 0.75], [0.75, 1]].map(([from, to]) => this.#listCosts(from, to))
    if (quarters.some(({ length }) => length < MIN_WINDOWS)) return NaN
    const [second, third, last] = quarters.map(computeLowerQuartile)
    return last / Math.min(second, third) - 1
  }

  /**
   * Lists the costs of the windows in a part of the CPU time.
   *
   * @param {number} from exclusive, as a share
   * @param {number} to
   */
  #listCosts (from, to) {
    return this.#windows
      .filter(({ totalCpu }) => totalCpu > from * this.#totalCpu && totalCpu <= to * this.#totalCpu)
      .map(({ cost }) => cost)
  }

  /** Returns the CPU time of each working process since the first reading, in seconds. */
  #listWorking () {
    const used = [...this.#last?.cpuSeconds ?? []]
      .map(([pid, seconds]) => seconds - (this.#first?.cpuSeconds.get(pid) ?? 0))
    return used.filter(seconds => seconds > 0 && seconds >= WORKING_SHARE * Math.max(...used))
  }
}

/**
 * Finds a role of an arm that is not warm.
 *
 * @param {RoleCosts[]} roles of the arm
 * @param {boolean} isLast whether the warm-up ends now, so that processes which wait most of the time need not do
 *   their least work. The cost of a generator depends on the pace of the server, so it may still change. A generator
 *   that limits the arm is found by its use of its core.
 * @returns {RoleCosts | null} null: the arm is warm
 */
export function findMoving (roles, isLast) {
  const total = roles.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0)
  const relevant = roles.filter(({ cpuSeconds }) => cpuSeconds > 0 && cpuSeconds >= ROLE_SHARE * total)
  if (relevant.length === 0) return roles[0]
  return relevant.find(role =>
    !(role.isLevel || (isLast && role.role === 'load')) || !(role.isCompiled || (isLast && role.isWaiting))) ?? null
}

/** Returns the lower quartile, because disturbances only raise costs. NaN: of no values. @param {number[]} values */
function computeLowerQuartile (values) {
  const sorted = [...values].sort((a, b) => a - b)
  return values.length === 0 ? NaN : sorted[Math.floor((sorted.length - 1) / 4)]
}
