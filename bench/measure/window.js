/** One window: an arm that is up is loaded by a generator that ends by itself, and both sides are read before and after. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { watchTrial } from '../clocks.js'
import { linkBytes, linkUse, timeWaits } from './net.js'
import { cpuSecondsBetween, cpuSecondsOf, sharedMemoryMiB, untilAtRest } from '../probe.js'
import { DIED, disagreement, EMPTY } from './rig.js'
import { unservedClients } from './unserved.js'

/** @typedef {import('../types.d.ts').Arm} Arm */
/** @typedef {import('../types.d.ts').Reason} Reason */
/** @typedef {import('../types.d.ts').Sample} Sample */
/** @typedef {import('../types.d.ts').SeriesPoint} SeriesPoint */
/** @typedef {import('./stage.js').StagedArm} StagedArm */

/** Engines look at the clock now and then, and wait for their last answers. */
const GRACE_SECONDS = 15
/** Caches fill and code is compiled before the window. */
const WARM_SECONDS = 0.5
/** The kernel tells the served side of connections that were closed, and it begins to close its own ends. */
const CLOSING_MS = 50
/** The generator's CPU time is gone when it has ended: it is read so often while it runs. */
const LOOK_MS = 250
/** net.ipv4.ip_local_port_range of a network that nobody has changed: 32768 to 60999. */
const EPHEMERAL_PORTS = 28232
/** From so many of the client's ports in TIME_WAIT on, what fails to connect is short of ports. */
const PORTS_GONE_SHARE = 0.9

/**
 * @typedef {object} WindowKind
 * @property {boolean} warm the arm is loaded before the window
 * @property {boolean} series the window is told second by second
 */

/** @param {Pick<Sample, 'errors'>} sample */
const hasErrors = ({ errors }) => Object.values(errors).some(count => count > 0)

/**
 * @typedef {object} WindowOrder
 * @property {Arm} arm
 * @property {number} block
 * @property {string} startedAt UTC
 * @property {StagedArm} staged
 * @property {import('../find-engine.js').FoundEngine} engine
 * @property {import('../cores.js').CoreSplit} cores
 * @property {WindowKind} kind
 * @property {number} seconds
 * @property {import('../types.d.ts').Unit} unit
 * @property {string} [tag] tells the generator's files from those of other windows of this arm; left out: the ladder's step does
 * @property {typeof watchTrial} [watch] over the clocks
 */

/**
 * @param {WindowOrder} order
 * @returns {Promise<Sample>}
 * @throws {import('../errors.js').HopbenchError} when the engine gives no report
 */
export async function measureWindow (order) {
  const { arm, block, startedAt, staged: { running }, kind, seconds, watch = watchTrial } = order
  if (kind.warm && !arm.load.cold) await warmUp(order)
  const before = await reading(order.staged)
  running.noted()
  running.logged()
  const clocks = watch()
  const generator = await load(order, 'load')
  const cpu = cpuWatcher(generator)
  const unserved = unservedClients(order)
  const points = kind.series ? secondBySecond(running, seconds, before.front) : null
  const report = await generator.finished(GRACE_SECONDS).catch(error => /** @type {Error} */ (error))
  const disturbed = clocks.end()
  const loadSeconds = cpu.stop()
  const withoutService = await unserved.stop()
  const series = await points
  const { mismatches } = await generator.errors()
  await generator.kill()
  const failure = running.failure()
  if (failure) return { ...EMPTY, arm: arm.name, block, startedAt, invalid: { code: DIED, text: failure.message } }
  if (disturbed) return { ...EMPTY, arm: arm.name, block, startedAt, invalid: disturbed }
  if (report instanceof Error) throw report
  return sampleOf(order, { ...report, before, after: await reading(order.staged), mismatches, loadSeconds, series, unserved: withoutService })
}

/** @param {WindowOrder} order @param {string} dir */
const load = ({ arm, staged, engine, cores, seconds, tag }, dir) => engine.start({
  name: arm.name,
  load: arm.load,
  target: staged.target,
  network: staged.network,
  cores: cores.split ? cores.load : null,
  // The same processes are loaded again and again.
  dir: join(staged.dir, `${dir}-${tag ?? arm.ladder?.step ?? 0}`),
  maxSeconds: seconds
})

/** @param {WindowOrder} order */
async function warmUp (order) {
  // The steps of a ladder warm up those that follow.
  if (!order.arm.ladder?.step) {
    const generator = await load(order, 'warm')
    await sleep(WARM_SECONDS * 1000)
    await generator.kill()
  }
  await settle(order.staged.running)
}

/**
 * The connections of a generator that has ended must be closed, and its last requests counted,
 * before the next ones come.
 * @param {import('../topology/start.js').Running} running
 */
async function settle (running) {
  const { proxy, server } = running.pids()
  await sleep(CLOSING_MS)
  await untilAtRest(() => [...cpuSecondsOf([...proxy, ...server]).values()].reduce((a, b) => a + b, 0))
}

/**
 * Counts of both ends of the chain, null what cannot be read because all connections are taken; and
 * CPU time.
 * @param {StagedArm} staged
 */
async function reading ({ running, network }) {
  const [front, origin] = await Promise.all([running.front().catch(() => null), running.origin().catch(() => null)])
  const pids = running.pids()
  return { front, origin, linkBytes: linkBytes(network, pids), cpu: { proxy: cpuSecondsOf(pids.proxy), server: cpuSecondsOf(pids.server) } }
}

/**
 * @typedef {object} Seen
 * @property {import('../types.d.ts').Measurement} measurement
 * @property {number} sampled requests of the sampler beside the generator
 * @property {Awaited<ReturnType<typeof reading>>} before
 * @property {Awaited<ReturnType<typeof reading>>} after
 * @property {number} mismatches
 * @property {number} loadSeconds CPU
 * @property {number} unserved clients that had no connection that was accepted
 * @property {SeriesPoint[] | null} series
 */

/**
 * @param {WindowOrder} order
 * @param {Seen} seen
 * @returns {Sample}
 */
function sampleOf ({ arm, block, startedAt, staged: { running, network, bytesPerResponse }, engine, seconds: planned, unit }, { measurement, sampled, before, after, mismatches, loadSeconds, series, unserved }) {
  // A client without an accepted connection is a client without an answer in time.
  const errors = { ...measurement.errors, timeouts: Math.max(measurement.errors.timeouts, unserved), mismatches: Math.max(measurement.errors.mismatches, mismatches) }
  const seconds = measurement.seconds ?? planned
  // An answer that is an error is no service: it costs next to nothing, and would flatter.
  const good = Math.max(0, measurement.requests - errors.non2xx)
  const requests = unit === 'bytes' ? measurement.bytes ?? 0 : good
  const origin = before.origin && after.origin && { requests: after.origin.requests - before.origin.requests, connections: after.origin.connections - before.origin.connections }
  const front = before.front && after.front && after.front.requests - before.front.requests
  const behind = running.proxied ? origin : null
  const errorLog = running.logged()
  const pids = running.pids()
  return {
    arm: arm.name,
    block,
    startedAt,
    requests,
    seconds,
    rps: requests / seconds,
    errors,
    cpuSeconds: { load: loadSeconds, proxy: cpuSecondsBetween(before.cpu.proxy, after.cpu.proxy), server: cpuSecondsBetween(before.cpu.server, after.cpu.server), idle: 0 },
    memoryMiB: { proxy: sharedMemoryMiB(pids.proxy), server: sharedMemoryMiB(pids.server) },
    bytesPerResponse,
    ...linkUse(network, before.linkBytes === null || after.linkBytes === null ? null : after.linkBytes - before.linkBytes, seconds),
    latencyMs: latencyOf(arm.load, engine, measurement),
    ...measurement.lagMs && { lagMs: measurement.lagMs },
    ...series && { series },
    ...measurement.users && { users: measurement.users },
    ...measurement.failures && { failures: measurement.failures },
    ...measurement.notes && { notes: measurement.notes },
    ...errorLog.length > 0 && { errorLog },
    originRequests: behind?.requests ?? null,
    proof: {
      upstreamConnectionsPerRequest: behind && behind.requests > 0 ? Math.max(0, behind.connections - poolOf(arm)) / behind.requests : null,
      // Requests under way at the edges may be counted on one side only.
      cacheHitRatio: behind && Math.max(0, 1 - behind.requests / Math.max(1, front ?? measurement.requests + sampled)),
      // What a user's connection is lost by: another one is opened.
      ...measurement.users && before.front && after.front && { clientConnectionsPerRequest: opened(before.front, after.front) },
      cacheExpiries: behind && running.noted().filter(({ cache }) => cache === 'EXPIRED').length,
      socketType: after.origin?.listening ?? 'none',
      ...running.confinedBy && { confinedBy: running.confinedBy }
    },
    invalid: portsGone(arm, errors, running) ?? (hasErrors({ errors }) || front === null ? null : disagrees({ measurement, sampled, served: front, connections: arm.load.connections, countsLate: running.countsLate }))
  }
}

/** @param {import('../topology/start.js').FrontCounts} before @param {import('../topology/start.js').FrontCounts} after */
const opened = (before, after) => before.connections === null || after.connections === null ? null : (after.connections - before.connections) / Math.max(1, after.requests - before.requests)

/** @param {import('../types.d.ts').Load} load @param {WindowOrder['engine']} engine @param {import('../types.d.ts').Measurement} measurement */
const latencyOf = ({ rate }, { plugin: { about: { title } } }, { latencyMs }) =>
  latencyMs && rate !== undefined ? { ...latencyMs, rate, source: `${title}, open loop` } : latencyMs

/**
 * Pooled connections are opened in the window itself, one for each client: beside a second's
 * requests they are not few. Those beyond them would be opened again and again.
 * @param {Arm} arm
 */
const poolOf = ({ topology, load }) => topology.proxy?.transport?.endsWith('keepalive') ? load.connections : 0

/**
 * What fails to connect for want of ports is not the server's fault.
 * @param {Arm} arm
 * @param {import('../types.d.ts').ErrorCounts} errors
 * @param {import('../topology/start.js').Running} running
 * @returns {Reason | null}
 */
function portsGone ({ load }, { resets }, running) {
  if (!load.fresh || resets === 0) return null
  const waiting = timeWaits(running.pids())
  if (waiting === null || waiting < PORTS_GONE_SHARE * EPHEMERAL_PORTS) return null
  return { code: 'ports-exhausted', text: `the client side ran out of ports: ${waiting} sockets were in TIME_WAIT, and there are about ${EPHEMERAL_PORTS} ports` }
}
/** @param {Parameters<typeof disagreement>[0]} counts @returns {Reason | null} */
function disagrees (counts) {
  const why = disagreement(counts)
  return why ? { code: 'counts-disagree', text: why } : null
}

/**
 * Reads a generator's CPU time while it runs.
 * @param {import('../generator.js').Generator} generator
 * @returns {{ stop: () => number }} seconds used so far, as it was last read
 */
function cpuWatcher (generator) {
  let used = 0
  const look = async () => {
    // Engines start their processes one by one.
    await generator.look()
    const { seconds } = await generator.cpu()
    used = Math.max(used, seconds)
  }
  // One that cannot be asked tells so when its report is due.
  const timer = setInterval(() => look().catch(() => {}), LOOK_MS)
  return {
    stop () {
      clearInterval(timer)
      return used
    }
  }
}

/**
 * @param {import('../topology/start.js').Running} running
 * @param {number} seconds
 * @param {import('../topology/start.js').FrontCounts | null} from
 * @returns {Promise<SeriesPoint[]>}
 */
async function secondBySecond (running, seconds, from) {
  /** @type {SeriesPoint[]} */
  const points = []
  let last = from
  const startedAt = performance.now()
  const startedAtSeconds = Date.now() / 1000
  /** @type {ReturnType<import('../topology/start.js').Running['noted']>} */
  let noted = []
  for (let second = 1; second <= seconds; second++) {
    await sleep(Math.max(0, startedAt + second * 1000 - performance.now()))
    const front = await running.front().catch(() => null)
    // A look may be late, and at the end of the window the clients leave: nginx notes that as 499.
    noted = [...noted, ...running.noted()]
    const isLater = (/** @type {{ atSeconds: number }} */ { atSeconds }) => atSeconds > startedAtSeconds + second
    const errors = noted.filter(line => line.status >= 400 && !isLater(line)).length
    noted = noted.filter(isLater)
    if (front && last) {
      const good = Math.max(0, front.requests - last.requests - errors)
      points.push({ second, rate: good / (front.atSeconds - last.atSeconds), errors, timeWait: timeWaits(running.pids()) })
    }
    last = front ?? last
  }
  return points
}
