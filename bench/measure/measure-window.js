/** One window: an arm is loaded by a generator that ends by itself, and both sides are read before and after. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { disagreement } from './disagreement.js'
import { linkBytes } from './net.js'
import { portsGone } from './ports.js'
import { findPool, sampleBetween } from './sample.js'
import { secondBySecond } from './second-by-second.js'
import { cpuSecondsOf, sharedMemoryMiB, untilAtRest } from '../machine/probe.js'
import { unservedClients } from './unserved.js'
import { watchTrial } from './watch-trial.js'
import { DIED, EMPTY } from '../shared/trial.js'

/** @import { HopbenchError } from '../errors.js' @import { Generator, Report } from '../load/shapes.js'
 * @import { ErrorCounts, Measurement, Reason, Running, Sample, SeriesPoint } from '../types.js'
 * @import { Reading, StagedArm, WindowOrder } from './shapes.js' */

const GRACE_SECONDS = 15 // Engines look at the clock now and then, and wait for their last answers.
const WARM_SECONDS = 0.5 // Caches fill and code is compiled before the window.
/** The kernel informs the served side of connections that were closed, and it begins to close its own ends. */
const CLOSING_MS = 50
/** A server that waits for a core uses no CPU time, as one at rest: its count must stand still too (docs/method.md). */
const COUNTED = { everyMs: 20, times: 50 }
const LOOK_MS = 250 // The generator's CPU time is gone when it has ended: it is read so often while it runs.

/** @param {WindowOrder} order @returns {Promise<Sample>} @throws {HopbenchError} when the engine gives no report */
export async function measureWindow (order) {
  const { arm, block, startedAt, staged: { running }, kind } = order
  if (kind.warm && !arm.load.cold) await warmUp(order)
  const before = await readAtRest(order.staged)
  running.logged()
  const { report, disturbed, ...seen } = await watched(order, before)
  const failure = running.failure()
  const invalid = failure ? { code: DIED, text: failure.message } : disturbed
  if (invalid) return { ...EMPTY, arm: arm.name, block, startedAt, invalid }
  if (report instanceof Error) throw report
  return sampleOf(order, [before, await read(order.staged)], { ...seen, report })
}

/** Lets the generator run, and looks at it and at the served side meanwhile. @param {WindowOrder} order
 * @param {Reading} before */
async function watched (order, before) {
  const { staged: { running }, kind, seconds, watch = watchTrial } = order
  const clocks = watch()
  const generator = await load(order, 'load')
  const cpu = cpuWatcher(generator)
  const clients = unservedClients(order)
  const points = kind.series ? secondBySecond(running, seconds, before.front) : null
  const report = await generator.finished(GRACE_SECONDS).catch(error => /** @type {Error} */ (error))
  const disturbed = clocks.end()
  const loadSeconds = cpu.stop()
  const unserved = await clients.stop()
  const series = await points
  const { mismatches } = await generator.errors()
  await generator.kill()
  return { report, disturbed, loadSeconds, unserved, series, mismatches }
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

/** The connections of a generator that has ended must be closed, and its last requests counted, before the next ones.
 * @param {Running} running */
async function settle (running) {
  const { proxy, server } = running.pids()
  await sleep(CLOSING_MS)
  await untilAtRest(() => [...cpuSecondsOf([...proxy, ...server]).values()].reduce((a, b) => a + b, 0))
}

/** What a killed generator had sent may be answered after it: counted in the window, it would be on one side only.
 * @param {StagedArm} staged @returns {Promise<Reading>} */
async function readAtRest (staged) {
  let reading = await read(staged)
  for (let i = 0; i < COUNTED.times; i++) {
    const last = reading.front?.requests
    await sleep(COUNTED.everyMs)
    reading = await read(staged)
    if (reading.front?.requests === last) break
  }
  return reading
}

/** @param {StagedArm} staged @returns {Promise<Reading>} */
async function read ({ running, network }) {
  const [front, origin] = await Promise.all([running.front().catch(() => null), running.origin().catch(() => null)])
  const pids = running.pids()
  return {
    front,
    origin,
    noted: running.noted(),
    linkBytes: linkBytes(network, pids),
    cpu: { proxy: cpuSecondsOf(pids.proxy), server: cpuSecondsOf(pids.server) }
  }
}

/** @param {WindowOrder} order @param {[Reading, Reading]} readings
 * @param {{ report: Report, mismatches: number, unserved: number, loadSeconds: number, series: SeriesPoint[] | null }}
 * seen unserved: clients that had no connection that was accepted; loadSeconds: CPU @returns {Promise<Sample>} */
async function sampleOf (order, [before, after], { report, mismatches, unserved, loadSeconds, series }) {
  const { arm, block, startedAt, staged: { running, network, bytesPerResponse }, seconds, unit } = order
  const { measurement } = report
  // A client without an accepted connection is a client without an answer in time.
  const errors = {
    ...measurement.errors,
    timeouts: Math.max(measurement.errors.timeouts, unserved),
    mismatches: Math.max(measurement.errors.mismatches, mismatches)
  }
  const errorLog = running.logged()
  const pids = running.pids()
  return {
    arm: arm.name,
    block,
    startedAt,
    ...sampleBetween(before, after, {
      unit,
      running,
      network,
      errors,
      report: { ...report, seconds: measurement.seconds ?? seconds, cpuSeconds: loadSeconds },
      // Of a generator that has just begun: beside a second's requests they are not few.
      pool: findPool(arm)
    }),
    memoryMiB: { proxy: sharedMemoryMiB(pids.proxy), server: sharedMemoryMiB(pids.server) },
    bytesPerResponse,
    latencyMs: latencyOf(order, measurement),
    ...measurement.lagMs && { lagMs: measurement.lagMs },
    ...series && { series },
    ...measurement.users && { users: measurement.users },
    ...measurement.failures && { failures: measurement.failures },
    ...measurement.notes && { notes: measurement.notes },
    ...errorLog.length > 0 && { errorLog },
    invalid: await portsGone(order, errors) ?? disagrees(order, [before, after], { report, errors })
  }
}

/** @param {WindowOrder} order @param {Measurement} measurement */
const latencyOf = ({ arm: { load: { rate } }, engine: { plugin: { about: { title } } } }, { latencyMs }) =>
  latencyMs && rate !== undefined ? { ...latencyMs, rate, source: `${title}, open loop` } : latencyMs

/** @param {WindowOrder} order @param {[Reading, Reading]} readings
 * @param {{ report: Report, errors: ErrorCounts }} ended @returns {Reason | null} */
function disagrees ({ arm: { load: { connections } }, staged: { running } }, [before, after], { report, errors }) {
  // Where there are errors, what was under way with them is on nobody's count.
  if (Object.values(errors).some(count => count > 0) || !before.front || !after.front) return null
  const served = after.front.requests - before.front.requests
  const why = disagreement(report, { served, connections, countsLate: running.countsLate })
  return why ? { code: 'counts-disagree', text: why } : null
}

/** Reads a generator's CPU time while it runs. @param {Generator} generator
 * @returns {{ stop: () => number }} seconds used so far, as it was last read */
function cpuWatcher (generator) {
  let used = 0
  const look = async () => {
    // Engines start their processes one by one.
    await generator.look()
    const { seconds } = await generator.cpu()
    used = Math.max(used, seconds)
  }
  // One that cannot be asked says so when its report is due.
  const timer = setInterval(() => look().catch(() => {}), LOOK_MS)
  return {
    stop () {
      clearInterval(timer)
      return used
    }
  }
}
