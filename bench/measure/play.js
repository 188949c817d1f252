/** Measures one play: reads the served side before and after the client of a scenario has played its requests. */
import { localEngines } from '../load/find-engine.js'
import { Histogram } from '../load/histogram.js'
import { sharedMemoryMiB } from '../machine/probe.js'
import { DIED, EMPTY } from '../shared/trial.js'
import { IsolatedRig } from './isolated-rig.js'
import { read, readAtRest } from './measure-window.js'
import { runClient } from './play-client.js'
import { findPlayFault } from './play-fault.js'
import { sampleBetween } from './sample.js'
import { watchTrial } from './watch-trial.js'

/** @import { Plan, ProtocolAbout, Reason, Sample } from '../types.js' */
/** @import { FoundEngine } from '../load/shapes.js' */
/** @import { RigOptions, WindowOrder } from './shapes.js' */

/**
 * Opens a rig whose trials are plays. The client is part of the project, so no engine is looked for.
 * @param {Plan} plan
 * @param {RigOptions} options
 * @param {Partial<ProtocolAbout>} protocol
 */
export async function openPlays (plan, options, protocol) {
  const client = /** @type {FoundEngine} */ ({ name: 'plays', version: process.versions.node })
  const engine = { ...client, instead: null }
  return new IsolatedRig(plan, { engines: localEngines, ...options }, protocol, { engine, measure: measurePlay })
}

/**
 * @param {WindowOrder} order
 * @returns {Promise<Sample>}
 */
async function measurePlay ({ arm, block = 0, startedAt = '', staged, cores, watch = watchTrial }) {
  const { running, network } = staged
  const before = await readAtRest(staged)
  running.logged()
  const clocks = watch()
  const startedMs = performance.now()
  const { played, failed, cpuSeconds } = await runClient(staged, { cores: cores.split ? cores.load : null })
  const seconds = (performance.now() - startedMs) / 1000
  const disturbed = clocks.end()
  // Excludes the processes that an action of the scenario has ended, because new ones have taken their place.
  const died = running.failure()
  const message = failed ?? findPlayFault(played)
  const fault = message ? toReason('not-measured', message) : null
  const invalid = died ? toReason(DIED, died.message) : disturbed ?? fault
  if (!played || invalid) return { ...EMPTY, arm: arm.name, block, startedAt, invalid }
  const after = await read(staged)
  const errorLog = running.logged()
  const pids = running.pids()
  const { p50, p99, max } = Histogram.of([played.lag]).milliseconds()
  const requests = played.groups.reduce((sum, group) => sum + group.requests, 0)
  return {
    arm: arm.name,
    block,
    startedAt,
    ...sampleBetween(before, after, {
      unit: 'requests',
      running,
      network,
      errors: EMPTY.errors,
      report: { measurement: { ...NO_LATENCY, requests, seconds }, sampled: 0, seconds, cpuSeconds }
    }),
    memoryMiB: { proxy: sharedMemoryMiB(pids.proxy), server: sharedMemoryMiB(pids.server) },
    lagMs: { p50, p99, max },
    play: { groups: played.groups, figures: played.figures ?? [], evidence: played.evidence ?? [] },
    ...errorLog.length > 0 && { errorLog },
    ...played.unsteady && { unsteady: played.unsteady },
    invalid: null
  }
}

/** Parts of a measurement that a play does not have. */
const NO_LATENCY = { errors: EMPTY.errors, bytes: null, latencyMs: null }

/**
 * @param {'process-died' | 'not-measured'} code
 * @param {string} message
 * @returns {Reason}
 */
const toReason = (code, message) => ({ code, params: { message } })
