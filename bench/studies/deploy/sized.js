/** How many processes, how much memory, which plan: from a stored sizing, or as typed (pure). */
import { HopbenchError } from '../../errors.js'
import { TARGETS } from '../../topology/deploy/targets.js'
import { MEMORY_HEADROOM } from '../sizing/instance.js'
import { offeringName } from '../../report/tables/sizing.js'

/** @import { PriceRow, RunRecord } from '../../types.js' */
/** @import { KitSettings } from '../../topology/deploy/types.js' */

/** MiB that nginx is given where it was not measured; it takes about ten for each worker process. */
const PROXY_MIB = 32

/** @typedef {{ processes?: number, memory?: number, instances?: number, plan?: string }} Typed memory: MiB */

/**
 * @param {{ word: string, target: string, processes: number, hasProxy: boolean }} kit processes: as the topology says
 * @param {Typed} typed goes before what the run says
 * @param {RunRecord | null} record of a sizing
 * @returns {{ settings: KitSettings, sized: string[] }}
 * @throws {HopbenchError} not-sized
 */
export function settingsOf ({ word, target, processes, hasProxy }, typed, record) {
  const row = record && rowFor(record, { word, target, plan: typed.plan })
  const topology = record?.sizing?.topologies.find(sized => sized.word === word)
  const memoryMiB = typed.memory ?? row?.plan.memoryMiB ?? null
  const settings = {
    processes: typed.processes ?? row?.workers?.workers ?? processes,
    memoryMiB,
    instances: typed.instances ?? row?.instances ?? null,
    // Only its provider knows it by that name.
    plan: row && row.plan.provider === TARGETS[target].provider ? row.plan.plan : null
  }
  const besideMiB = topology ? Math.max(0, topology.memoryMiB - topology.processMiB) : hasProxy ? PROXY_MIB : 0
  const heapMiB = memoryMiB === null
    ? null
    : Math.floor((memoryMiB * (1 - MEMORY_HEADROOM) - besideMiB) / settings.processes)
  return {
    settings: { ...settings, heapMiB: heapMiB !== null && heapMiB > 0 ? heapMiB : null },
    sized: record && row ? sizedBy(record, row) : typedWords(settings.processes)
  }
}

/**
 * @param {RunRecord} record
 * @param {{ word: string, target: string, plan?: string }} wanted
 * @returns {PriceRow}
 */
function rowFor ({ run, sizing }, { word, target, plan }) {
  if (!sizing) {
    const remedy = 'Name a run of hopbench size with --from.'
    throw new HopbenchError('not-sized', { run, what: word, why: 'it is no sizing', remedy })
  }
  const rows = sizing.table.filter(row => row.topology === word)
  if (rows.length === 0) {
    const remedy = `Size it first: hopbench size ${word} --rps ${sizing.goal.rate} --p99 ${sizing.goal.p99Ms}ms`
    const sized = sizing.topologies.map(topology => topology.word).join(', ')
    throw new HopbenchError('not-sized', { run, what: word, why: `it sized ${sized}`, remedy })
  }
  const { provider } = TARGETS[target]
  const here = rows.filter(row => provider === null || row.plan.provider === provider)
  const named = plan === undefined ? here : here.filter(row => isNamed(row, plan))
  const what = plan ?? (provider === null ? 'any plan' : `a plan of ${provider}`)
  if (named.length === 0) {
    const names = [...new Set((here.length > 0 ? here : rows).map(row => offeringName(row.plan)))].join(', ')
    throw new HopbenchError('not-sized', { run, what, why: `its plans are ${names}`, remedy: WITHOUT })
  }
  // The cheapest comes first in a sizing's table.
  const row = named.find(({ instances, workers }) => instances !== null && (workers?.workers ?? 0) > 0)
  if (row) return row
  throw new HopbenchError('not-sized', { run, what, why: named[0].why ?? 'there is no estimate', remedy: WITHOUT })
}

const WITHOUT = 'Name a plan of the run with --plan, or leave --from out and say --processes, --memory and --instances.'

/**
 * With or without its provider, in any case.
 *
 * @param {PriceRow} row
 * @param {string} name
 */
const isNamed = ({ plan }, name) =>
  [plan.plan, offeringName(plan)].some(text => text.toLowerCase() === name.toLowerCase())

/**
 * @param {RunRecord} record
 * @param {PriceRow} row
 * @returns {string[]}
 */
function sizedBy ({ run, sizing }, { plan, perInstance, instances, workers }) {
  const { rate, p99Ms } = /** @type {NonNullable<RunRecord['sizing']>} */ (sizing).goal
  return [
    `By ${run}: ${instances} of ${offeringName(plan)} (${plan.memoryMiB} MiB), ${workers?.workers} ` +
    `process${workers?.workers === 1 ? '' : 'es'} each,`,
    `for ${rate} requests a second with p99 below ${p99Ms} ms; one holds ${Math.round(perInstance ?? 0)}.`
  ]
}

/** @param {number} processes */
const typedWords = processes =>
  [`${processes} process${processes === 1 ? '' : 'es'}: hopbench size measures how many are right.`]
