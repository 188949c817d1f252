/** Measures one play: reads the served side before and after the client of a scenario has played its requests. */
import { localEngines } from '../load/find-engine.js'
import { Histogram } from '../load/histogram.js'
import { sharedMemoryMiB } from '../machine/probe.js'
import { DIED, EMPTY } from '../shared/trial.js'
import { IsolatedRig } from './rigs/isolated-rig.js'
import { read, readAtRest } from './measure-window.js'
import { runClient } from './play-client.js'
import { sampleBetween } from './sample.js'
import { watchTrial } from './watch-trial.js'
import { attempt } from '../shared/attempt.js'
import { getErrorMessage } from '../errors.js'

/** @import { HistogramData, Plan, Play, PlayGroup, ProtocolAbout, Reason, Sample } from '../types.js' */
/** @import { FoundEngine } from '../load/types.js' */
/** @import { RigOptions, WindowOrder } from './types.js' */

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

/** A play as its client sends it. @typedef {Omit<Play, 'groups' | 'lag'> & PlayedParts} Played */
/** @typedef {{ groups: PlayGroup<HistogramData>[], lag: HistogramData }} PlayedParts */

/**
 * Returns the first fault of a play.
 * @param {Played | null} played null: the client sent none
 * @returns {string | null} null: the play is valid
 */
export function findPlayFault (played) {
  if (!Array.isArray(played?.groups) || played.groups.length === 0) return 'the scenario returned no groups'
  const { groups, lag, figures = [], evidence = [] } = played
  for (const { name, at = 0, requests, counts = {}, delays = {} } of groups) {
    const all = Object.values(counts)
    if (typeof name !== 'string' || !Number.isFinite(at)) return 'a group has no name, or a position that is no number'
    if (!all.every(count => Number.isInteger(count) && count >= 0)) return `a count of ${name} is no whole number`
    const sum = all.reduce((total, count) => total + count, 0)
    if (sum !== requests) return `the counts of ${name} add up to ${sum}, and it sent ${requests} requests`
    const fault = findHistogramFault(Object.values(delays))
    if (fault) return `a delay of ${name} is ${fault}`
  }
  const wrong = figures.find(({ name, value, unit }) => ![name, unit].every(isText) || !Number.isFinite(value))
  if (wrong) return `the figure ${wrong.name} is no number with a unit`
  if (!Array.isArray(evidence) || !evidence.every(isText)) return 'its evidence is no list of sentences'
  const fault = findHistogramFault([lag])
  return fault && `the lag of its client is ${fault}`
}

const isText = (/** @type {unknown} */ value) => typeof value === 'string'

/**
 * @param {HistogramData[]} histograms
 * @returns {string | null}
 */
const findHistogramFault = histograms => attempt(() => {
  Histogram.of(histograms)
  return null
}, getErrorMessage)
