/** How many processes, how much memory, which plan: from a stored sizing or run, or as typed (pure). */
import { MEMORY_HEADROOM, findBest, limitInFlight, offeringName, printSizingWhy } from '../../size/index.js'
import { HopbenchError, shellWord } from '../../../errors.js'
import { TARGETS } from './targets.js'

/** @import { PriceRow, RunRecord } from '../../../types.js' */
/** @import { CloudRun } from './targets.js' */
/** @import { KitFacts } from './types.js' */

/** MiB for nginx if its memory was not measured: about ten per worker process. */
const PROXY_MIB = 32

/** Provider whose limit of requests in flight is an option of its command. */
const CLOUD_RUN = 'Google Cloud Run'
/** Most requests in flight that can be set for an instance of Cloud Run
 * (https://docs.cloud.google.com/run/docs/about-concurrency, read 2026-11-25). */
const MAX_CONCURRENCY = 1000

/** Step of memory in small offerings. Fly.io sells memory in no smaller one. */
const MEMORY_STEP_MIB = 256

/**
 * @param {{ spec: string, target: string, processes: number, hasProxy: boolean, server?: string }} kit processes: those
 * in the topology; server: its name
 * @param {{ processes?: number, memory?: number, instances?: number, plan?: string }} typed takes precedence over the
 * sizing; memory: MiB
 * @param {RunRecord | null} record of a sizing, or of another run with this topology
 * @returns {Pick<KitFacts, 'settings' | 'sized'> & { cloudRun?: CloudRun | null }}
 * @throws {HopbenchError} not-sized
 */
export function settingsOf (kit, typed, record) {
  const { spec, target, processes, hasProxy } = kit
  if (record && !record.sizing && typed.plan === undefined) return measuredSettings(kit, typed, record)
  const row = record && findRow(record, { spec, target, plan: typed.plan })
  const topology = record?.sizing?.topologies.find(sized => sized.spec === spec)
  const memoryMiB = typed.memory ?? row?.offering.memoryMiB ?? null
  const settings = {
    processes: typed.processes ?? row?.workers?.workers ?? processes,
    memoryMiB,
    instances: typed.instances ?? row?.instances ?? null,
    // The name is valid only on the platform of its provider.
    plan: row && row.offering.provider === TARGETS[target].provider ? row.offering.name : null,
    inFlight: record?.sizing && row ? limitInFlight(row, record.sizing) : null
  }
  const estimatedMiB = hasProxy ? PROXY_MIB : 0
  const otherMiB = topology ? Math.max(0, topology.memoryMiB - topology.processMiB) : estimatedMiB
  return {
    settings: { ...settings, heapMiB: toHeapMiB(memoryMiB ?? 0, otherMiB, settings.processes) },
    cloudRun: row && toCloudRun(row.offering, settings),
    sized: record && row ? describeSizing(record, row) : describeTyped(settings.processes)
  }
}

/**
 * Returns the limits of an instance of Google Cloud Run: the requests in flight at its capacity, and its size.
 *
 * @param {PriceRow['offering']} offering
 * @param {{ inFlight: number | null, memoryMiB: number | null }} settings
 * @returns {CloudRun | null} null: the offering is of another provider
 */
function toCloudRun ({ provider, vcpu }, { inFlight, memoryMiB }) {
  if (provider !== CLOUD_RUN || vcpu === null || inFlight === null || memoryMiB === null) return null
  return { concurrency: Math.min(MAX_CONCURRENCY, inFlight), vcpu, memoryMiB }
}

/**
 * Takes the processes and the memory from a run that is no sizing.
 *
 * @param {{ spec: string, processes: number, server?: string }} kit server: its name
 * @param {{ processes?: number, memory?: number, instances?: number }} typed
 * @param {RunRecord} record
 * @returns {Pick<KitFacts, 'settings' | 'sized'>}
 * @throws {HopbenchError} not-sized
 */
function measuredSettings ({ spec, processes, server }, typed, { run, arms, plan, environment }) {
  const topology = plan.arms.find(arm => arm.spec === spec)?.topology
  const hasServer = plan.arms.some(arm => arm.topology.server && arm.topology.server.name === server)
  if (topology === undefined && !hasServer) {
    const measured = [...new Set(plan.arms.map(arm => arm.spec))].join(', ')
    throw notSized(run, spec, `it measured ${measured}`, 'Name a run in which it was measured, or leave --from out.')
  }
  const memory = arms.find(arm => arm.spec === spec)?.memoryMiB ?? null
  const usedMiB = memory && Math.ceil(memory.proxy + memory.server)
  const memoryMiB = typed.memory ?? (usedMiB && toMemoryLimit(usedMiB))
  const servedCores = topology?.server?.instances === 'max' ? environment.cores?.served?.length : undefined
  const workers = typed.processes ?? servedCores ?? processes
  return {
    settings: {
      processes: workers,
      memoryMiB,
      heapMiB: memory && memoryMiB ? toHeapMiB(memoryMiB, Math.ceil(memory.proxy), workers) : null,
      instances: typed.instances ?? null,
      plan: null,
      inFlight: null
    },
    sized: usedMiB ? [`In ${run} this topology used ${usedMiB} MiB under load.`] : [`Its app was measured in ${run}.`]
  }
}

/**
 * Returns the memory of a process beside the headroom of a sizing.
 *
 * @param {number} memoryMiB of an instance
 * @param {number} otherMiB of the processes that are not of the app
 * @param {number} processes of the app
 * @returns {number | null} null: the instance is too small
 */
function toHeapMiB (memoryMiB, otherMiB, processes) {
  const heapMiB = Math.floor((memoryMiB * (1 - MEMORY_HEADROOM) - otherMiB) / processes)
  return heapMiB > 0 ? heapMiB : null
}

/**
 * Returns a limit in which the used memory leaves the headroom of a sizing, in the steps of small offerings.
 *
 * @param {number} usedMiB
 */
const toMemoryLimit = usedMiB => Math.ceil(usedMiB / (1 - MEMORY_HEADROOM) / MEMORY_STEP_MIB) * MEMORY_STEP_MIB

/**
 * Finds the recommended offering for a platform, or the one that was typed.
 *
 * @param {RunRecord} record
 * @param {{ spec: string, target: string, plan?: string }} kit
 * @returns {PriceRow}
 * @throws {HopbenchError} not-sized
 */
function findRow ({ run, sizing }, { spec, target, plan }) {
  if (!sizing) throw notSized(run, spec, 'it is not a sizing', 'Name a run of hopbench size with --from.')
  const rows = sizing.table.filter(row => row.topology === spec)
  if (rows.length === 0) {
    const sized = sizing.topologies.map(topology => topology.spec).join(', ')
    throw notSized(run, spec, `it sized ${sized}`,
      `Size it first: npm run hopbench -- size ${shellWord(spec)} --rps ${sizing.goal.rate} ` +
      `--p99 ${sizing.goal.p99Ms}ms`)
  }
  const { provider } = TARGETS[target]
  const here = rows.filter(row => provider === null || row.offering.provider === provider)
  const named = plan === undefined ? here : here.filter(row => isNamed(row, plan))
  const what = plan ?? (provider === null ? 'any plan' : `a plan of ${provider}`)
  if (named.length === 0) {
    const names = [...new Set((here.length > 0 ? here : rows).map(row => offeringName(row.offering)))].join(', ')
    throw notSized(run, what, `its plans are ${names}`, WITHOUT)
  }
  const usable = named.filter(({ instances, workers }) => instances !== null && (workers?.workers ?? 0) > 0)
  // Without a price the first is the one with the fewest instances.
  const row = findBest(usable) ?? usable[0]
  if (row) return row
  throw notSized(run, what, printSizingWhy(named[0].why) ?? 'there is no estimate', WITHOUT)
}

/**
 * Creates the error of a run without an offering for a kit.
 *
 * @param {string} run
 * @param {string} what
 * @param {string} why
 * @param {string} remedy
 */
const notSized = (run, what, why, remedy) => new HopbenchError('not-sized', { run, what, why, remedy })

const WITHOUT = 'Name a plan of the run with --plan, or leave out --from and set --processes, --memory and --instances.'

/**
 * Whether the name matches, with or without the provider, in upper or lower case.
 *
 * @param {PriceRow} row
 * @param {string} name
 */
const isNamed = ({ offering }, name) =>
  [offering.name, offeringName(offering)].some(text => text.toLowerCase() === name.toLowerCase())

/**
 * @param {RunRecord} record
 * @param {PriceRow} row
 * @returns {string[]}
 */
function describeSizing ({ run, sizing }, { offering, perInstance, instances, workers }) {
  const { rate, p99Ms } = /** @type {NonNullable<RunRecord['sizing']>} */ (sizing).goal
  return [
    `By ${run}: ${instances} of ${offeringName(offering)} (${offering.memoryMiB} MiB), ${workers?.workers} ` +
    `process${workers?.workers === 1 ? '' : 'es'} each,`,
    `for ${rate} requests a second with p99 below ${p99Ms} ms; one holds ${Math.round(perInstance ?? 0)}.`
  ]
}

/** @param {number} processes */
const describeTyped = processes =>
  [`${processes} process${processes === 1 ? '' : 'es'}: hopbench size measures how many are right.`]
