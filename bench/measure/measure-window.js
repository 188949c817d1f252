/** Measures one window: loads an arm with a generator that ends by itself, and reads both sides before and after. */
import { setTimeout as sleep } from 'node:timers/promises'
import { startOn } from './closed-loop.js'
import { findDisagreement } from './disagreement.js'
import { findFileChange } from './gate/file-list.js'
import { acceptedClients, linkBytes, timeWaits } from './net.js'
import { findPool, sampleBetween } from './sample.js'
import { readCpuSeconds, sharedMemoryMiB } from '../machine/probe.js'
import { watchTrial } from './watch-trial.js'
import { countRequestsPerUnit } from '../plan/request-mix.js'
import { DIED, EMPTY, isErrorStatus } from '../shared/trial.js'
import { run } from '../machine/process.js'

/** @import { HopbenchError } from '../errors.js' */
/** @import { Generator, Report } from '../load/types.js' */
/** @import { ErrorCounts, FrontCounts, Measurement, Reason, Running, Sample, SeriesPoint } from '../types.js' */
/** @import { Reading, StagedArm, WindowOptions } from './types.js' */
/** @import { Network } from '../machine/types.js' */

/** Share of a window before the first look. A look may be late, and the clients must still be connected then. */
const LOOK_FROM = 0.5

/**
 * Counts clients whose connection was closed or is not accepted. Engines ignore such clients, or estimate them. The
 * first look is in the middle of the window. While clients are missing there are further looks until the generator
 * ends, because a slow machine may have begun late. The lowest count is the result: an unserved client is missing in
 * all looks, and a generator that has just ended is missing only in the last one.
 * @param {Pick<WindowOptions, 'arm' | 'staged' | 'engine' | 'seconds'>} order
 * @returns {() => Promise<number>} ends the looks, and returns the count
 */
function watchClients ({ arm: { load }, staged: { running, target }, engine, seconds }) {
  // A schedule opens connections as needed, and an unserved request times out. A waiting user may have lost its
  // connection, and opens another one for its next request.
  if (load.fresh || load.rate !== undefined || engine.plugin.about.users) return async () => 0
  const ended = new AbortController()
  const { signal } = ended
  const count = async () => {
    let fewest = Infinity
    await sleep(seconds * 1000 * LOOK_FROM, undefined, { signal }).catch(() => {})
    // Looked up once, because this takes longer than all looks if there are thousands of processes.
    const pids = running.pids()
    const port = Number(new URL(target.url).port)
    while (fewest > 0 && !signal.aborted) {
      const accepted = acceptedClients(pids, port)
      if (accepted === null) return 0
      fewest = Math.max(0, Math.min(fewest, load.connections - accepted))
      if (fewest > 0) await sleep(POLL_MS, undefined, { signal }).catch(() => {})
    }
    // A generator that ended before the first look has no waiting clients.
    return Number.isFinite(fewest) ? fewest : 0
  }
  const counted = count()
  return () => {
    ended.abort()
    return counted
  }
}

/** Share of the client's ports in TIME_WAIT from which failures to connect are due to missing ports. */
const EXHAUSTED_SHARE = 0.9
const GRACE_SECONDS = 15 // Engines check the time periodically, and wait for their last responses.
/** Limits the wait for a constant count. A server that waits for a core uses no CPU time, like a server at rest, so its
 * count is compared too (docs/method.md). */
const COUNTED = { everyMs: 20, times: 50 }
const POLL_MS = 250 // Time between two readings of the generator's CPU time, which is lost when the generator ends.

/** @typedef {WindowOptions & Required<Pick<WindowOptions, 'block' | 'startedAt' | 'kind' | 'unit'>>} Window */

/**
 * @param {WindowOptions} options
 * @returns {Promise<Sample>}
 * @throws {HopbenchError} engine-report and others, if the engine has no report
 */
export async function measureWindow (options) {
  /** @type {Window} */
  const order = { block: 0, startedAt: new Date().toISOString(), kind: {}, unit: 'requests', ...options }
  const { arm, block, startedAt, staged: { running } } = order
  const before = await readAtRest(order.staged)
  running.logged()
  const { report, disturbed, ...seen } = await runLoad(order, before)
  const failure = running.failure()
  const invalid = failure ? /** @type {Reason} */ ({ code: DIED, params: { message: failure.message } }) : disturbed
  if (invalid) return { ...EMPTY, arm: arm.name, block, startedAt, invalid }
  if (report instanceof Error) throw report
  return toSample(order, [before, await read(order.staged)], { ...seen, report })
}

/**
 * Runs the generator, and watches it and the served side meanwhile.
 * @param {Window} order
 * @param {Reading} before
 */
async function runLoad (order, before) {
  const { staged: { running }, kind, seconds, watch = watchTrial } = order
  const clocks = watch()
  const { arm, staged, engine, cores, tag } = order
  // The same processes are loaded in several windows.
  const folder = `load-${tag ?? arm.ladder?.step ?? 0}`
  const generator = await startOn({ ...staged, arm }, engine, { cores, maxSeconds: seconds, folder })
  const endCpuWatch = watchCpu(generator)
  const endLooks = watchClients(order)
  const points = kind.series ? secondBySecond(running, seconds, before.front) : null
  const report = await generator.finished(GRACE_SECONDS).catch(error => /** @type {Error} */ (error))
  const disturbed = clocks.end()
  const loadSeconds = endCpuWatch()
  const unserved = await endLooks()
  const series = await points
  const { mismatches } = await generator.errors()
  await generator.kill()
  return { report, disturbed, loadSeconds, unserved, series, mismatches }
}

/** Reads when the count is constant, because requests of the warm-up that are counted in the window would be counted on
 * one side only. @param {StagedArm} staged */
export async function readAtRest (staged) {
  let reading = await read(staged)
  for (let i = 0; i < COUNTED.times; i++) {
    const last = reading.front?.requests
    await sleep(COUNTED.everyMs)
    reading = await read(staged)
    if (reading.front?.requests === last) break
  }
  return reading
}

/**
 * @param {StagedArm} staged
 * @returns {Promise<Reading>}
 */
export async function read ({ running, network }) {
  const [front, origin] = await Promise.all([running.front().catch(() => null), running.origin().catch(() => null)])
  const pids = running.pids()
  return {
    front,
    origin,
    noted: running.noted(),
    linkBytes: linkBytes(network, pids),
    cpu: { proxy: readCpuSeconds(pids.proxy), server: readCpuSeconds(pids.server) }
  }
}

/**
 * @param {Window} order
 * @param {[Reading, Reading]} readings
 * @param {object} seen
 * @param {Report} seen.report
 * @param {number} seen.mismatches
 * @param {number} seen.unserved clients without an accepted connection
 * @param {number} seen.loadSeconds CPU time of the generator
 * @param {SeriesPoint[] | null} seen.series
 * @returns {Promise<Sample>}
 */
async function toSample (order, [before, after], { report, mismatches, unserved, loadSeconds, series }) {
  const { arm, block, startedAt, staged, seconds, unit } = order
  const { running, network, bytesPerResponse } = staged
  const { measurement } = report
  const errors = {
    ...measurement.errors,
    // A client without an accepted connection has no response in time.
    timeouts: Math.max(measurement.errors.timeouts, unserved),
    mismatches: Math.max(measurement.errors.mismatches, mismatches)
  }
  const errorLog = running.logged()
  const pids = running.pids()
  const requestsPerUnit = countRequestsPerUnit(unit, arm.load)
  return {
    arm: arm.name,
    block,
    startedAt,
    ...sampleBetween(before, after, {
      unit,
      requestsPerUnit,
      running,
      network,
      errors,
      report: { ...report, seconds: measurement.seconds ?? seconds, cpuSeconds: loadSeconds },
      // A new generator opens all of its connections, which are not few beside the requests of a second.
      pool: findPool(arm)
    }),
    memoryMiB: { proxy: sharedMemoryMiB(pids.proxy), server: sharedMemoryMiB(pids.server) },
    bytesPerResponse: bytesPerResponse && bytesPerResponse * requestsPerUnit,
    latencyMs: toLatency(order, measurement),
    ...measurement.histograms?.byKind && { latencyByKind: measurement.histograms.byKind },
    ...measurement.lagMs && { lagMs: measurement.lagMs },
    ...measurement.backlog && { backlog: measurement.backlog },
    ...series && { series },
    ...unserved > 0 && { unserved: { clients: unserved, of: arm.load.connections } },
    ...measurement.users && { users: measurement.users },
    ...measurement.failures && { failures: measurement.failures },
    ...measurement.notes && { notes: measurement.notes },
    ...errorLog.length > 0 && { errorLog },
    invalid: findFileChange(staged) ?? await findPortExhaustion(order, errors) ??
      compareCounts(order, [before, after], { report, errors })
  }
}

/**
 * @param {Window} order
 * @param {Measurement} measurement
 */
function toLatency ({ arm, engine }, { latencyMs }) {
  const { rate } = arm.load
  if (!latencyMs || rate === undefined) return latencyMs
  return { ...latencyMs, rate, source: `${engine.plugin.about.title}, open loop` }
}

/**
 * @param {Window} order
 * @param {[Reading, Reading]} readings
 * @param {{ report: Report, errors: ErrorCounts }} ended
 * @returns {Reason | null}
 */
function compareCounts ({ arm, staged: { running } }, [before, after], { report, errors }) {
  // Requests in flight when an error occurs are counted on neither side.
  if (Object.values(errors).some(count => count > 0) || !before.front || !after.front) return null
  const served = after.front.requests - before.front.requests
  const { connections } = arm.load
  return findDisagreement(report, { served, connections, countsLate: running.countsLate })
}

/**
 * Reads a generator's CPU time while it runs.
 * @param {Generator} generator
 * @returns {() => number} ends the readings, and returns the seconds used at the last one
 */
function watchCpu (generator) {
  let most = 0
  const inspect = async () => {
    // Engines start their processes one after the other.
    await generator.findProcesses()
    const { seconds } = await generator.cpu()
    most = Math.max(most, seconds)
  }
  // The report shows a generator that cannot be read.
  const timer = setInterval(() => inspect().catch(() => {}), POLL_MS)
  return () => {
    clearInterval(timer)
    return most
  }
}

/**
 * @param {Pick<WindowOptions, 'arm' | 'staged'>} order
 * @param {Pick<ErrorCounts, 'resets'>} errors
 * @returns {Promise<Reason | null>}
 */
async function findPortExhaustion ({ arm: { load }, staged: { running, network } }, { resets }) {
  if (!load.fresh || resets === 0) return null
  const waiting = timeWaits(running.pids())
  const ports = await countPorts(network)
  if (waiting === null || ports === null || waiting < EXHAUSTED_SHARE * ports) return null
  return { code: 'ports-exhausted', params: { waiting, ports } }
}

/**
 * Counts the ports that clients can connect from.
 * @param {Pick<Network, 'enter'>} network
 * @returns {Promise<number | null>} null: the kernel does not show it
 */
async function countPorts ({ enter }) {
  const { stdout } = await run([...enter, 'cat', '/proc/sys/net/ipv4/ip_local_port_range'])
  const [first, last] = stdout.trim().split(/\s+/).map(Number)
  return last >= first ? last - first + 1 : null
}

/**
 * @param {Running} running
 * @param {number} seconds
 * @param {FrontCounts | null} from counts at the start of the window; null: not read
 */
async function secondBySecond (running, seconds, from) {
  /** @type {SeriesPoint[]} */
  const points = []
  let last = from
  const startedAt = performance.now()
  const startedAtSeconds = Date.now() / 1000
  /** @type {ReturnType<Running['noted']>} */
  let noted = []
  for (let second = 1; second <= seconds; second++) {
    await sleep(Math.max(0, startedAt + second * 1000 - performance.now()))
    const front = await running.front().catch(() => null)
    // A late reading must not include the end of the window, when the clients leave and nginx logs status 499.
    noted = [...noted, ...running.noted()]
    const isLater = (/** @type {{ atSeconds: number }} */ { atSeconds }) => atSeconds > startedAtSeconds + second
    const logged = noted.filter(line => isErrorStatus(line.status) && !isLater(line)).length
    noted = noted.filter(isLater)
    if (front && last) {
      const errors = logged + (front.non2xx ?? 0) - (last.non2xx ?? 0)
      const good = Math.max(0, front.requests - last.requests - errors)
      points.push({
        second,
        rate: good / (front.atSeconds - last.atSeconds),
        errors,
        timeWait: timeWaits(running.pids())
      })
    }
    last = front ?? last
  }
  return points
}
