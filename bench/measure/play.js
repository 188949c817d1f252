/** Measures one play: reads the served side before and after the client of a scenario has played its requests. */
import { localEngines } from '../load/find-engine.js'
import { Histogram } from '../load/histogram.js'
import { toAddress } from '../load/scenario-client.js'
import { CpuMeter, deletedFilesMiB, readCpuSeconds, sharedMemoryMiB } from '../machine/probe.js'
import { DIED, EMPTY } from '../shared/trial.js'
import { IsolatedRig } from './rigs/isolated-rig.js'
import { read, readAtRest } from './measure-window.js'
import { sampleBetween } from './sample.js'
import { watchTrial } from './watch-trial.js'
import { attempt } from '../shared/attempt.js'
import { getErrorMessage } from '../errors.js'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { converse, readLastLines } from '../machine/process.js'
import { listNumbers } from '../machine/files/system-files.js'
import { loadPlugin } from '../plan/plugins.js'
import { toRecord } from '../shared/group-by.js'

/** @import { HistogramData, Load, Plan, Play, PlayGroup, PlayReading, PlayTarget } from '../types.js' */
/** @import { ProtocolAbout, Reason, Sample, Scenario } from '../types.js' */
/** @import { FoundEngine } from '../load/types.js' */
/** @import { RigOptions, StagedArm, WindowOptions } from './types.js' */

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
 * @param {WindowOptions} order
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

/**
 * Runs the client of a scenario as a child process in the network of an arm, performs the actions that the client
 * requests, and sends readings of the served side to the client.
 */

const CHILD = fileURLToPath(new URL('../load/generators/play-child.js', import.meta.url))
/** Seconds after its limit at which a play that does not end is killed. */
const GRACE_SECONDS = 10
const LOG = 'play.log'
const HOPS = /** @type {const} */ (['proxy', 'server'])

/**
 * @param {StagedArm} staged
 * @param {{ cores: number[] | null }} options cores: on which the client runs; null: all
 * @returns {Promise<{ played: Played | null, failed: string | null, cpuSeconds: number }>} failed: why there is no
 *   result; cpuSeconds: of the client
 */
export async function runClient (staged, { cores }) {
  const { arm: { load }, dir, network, running } = staged
  const { name, options } = /** @type {NonNullable<Load['scenario']>} */ (load.scenario)
  const { default: scenario } = /** @type {{ default: Scenario }} */ (await loadPlugin('scenario', name))
  const { seconds } = scenario.needs(options)
  const log = join(dir, LOG)
  const child = converse({
    name: `the client of ${name}`, argv: [process.execPath, CHILD], enter: network.enter, cores, log
  })
  const meter = new CpuMeter([child.pid])
  const limit = setTimeout(() => child.ends(0), (seconds + GRACE_SECONDS) * 1000)
  child.stdin.on('error', () => {})
  const send = (/** @type {object} */ value) => child.stdin.write(`${JSON.stringify(value)}\n`)
  send({ scenario: name, options, target: toPlayTarget(staged), seconds, seed: load.seed ?? 1 })
  /** @type {{ played: Played | null, failed: string | null }} */
  let end = { played: null, failed: null }
  for await (const line of createInterface({ input: child.stdout })) {
    const { ask, act, result, failed } = JSON.parse(line)
    if (ask === undefined) {
      end = { played: result ?? null, failed: failed ?? null }
      break
    }
    // Not awaited, because the client may ask for a reading during an action.
    reply(act === undefined ? async () => readServed(running) : () => perform(running, act)).then(value =>
      send({ ask, ...value }))
  }
  const cpuSeconds = meter.seconds()
  meter.close()
  clearTimeout(limit)
  await child.ends(GRACE_SECONDS)
  if (!end.played) end.failed ??= `the client of ${name} ended without a result: ${readLastLines(log, 1)}`
  return { ...end, cpuSeconds }
}

/**
 * @param {() => Promise<unknown>} work
 * @returns {Promise<{ value: unknown } | { error: string }>}
 */
const reply = work => work().then(value => ({ value: value ?? null }), error => ({ error: getErrorMessage(error) }))

/**
 * @param {StagedArm['running']} running
 * @param {string} act
 */
async function perform (running, act) {
  if (!running.act) throw new Error(`the topology has no action ${act}`)
  await running.act(act)
}

/**
 * @param {StagedArm['running']} running
 * @returns {PlayReading}
 */
function readServed (running) {
  const pids = running.pids()
  return {
    memoryMiB: toRecord(HOPS, hop => sharedMemoryMiB(pids[hop])),
    cpuSeconds: toRecord(HOPS, hop => [...readCpuSeconds(pids[hop]).values()].reduce((sum, used) => sum + used, 0)),
    openFiles: toRecord(HOPS, hop => pids[hop].reduce((sum, pid) => sum + listNumbers(`/proc/${pid}/fd`).length, 0)),
    temporaryMiB: toRecord(HOPS, hop => deletedFilesMiB(pids[hop]))
  }
}

/**
 * @param {StagedArm} staged
 * @returns {PlayTarget}
 */
const toPlayTarget = ({ arm: { load }, running, target }) => ({
  ...toAddress(target),
  path: load.path,
  headers: load.headers,
  origin: toAddress(running.originTarget)
})
