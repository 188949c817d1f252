/** Builds the plan and the result of a sizing. A sizing is a run like any other: it has an arm for each topology and
 * share of its capacity, so that reports and pages apply to it (pure). */
import { toStoredCommand } from '../../plan/stored-command.js'
import { findBest } from './prices/offering-choice.js'
import { covers } from './prices/emulated-rows.js'
import { HopbenchError } from '../../errors.js'
import { expandShares } from '../../plan/plan.js'
import { computeWarmUp } from '../../plan/targets.js'
import { printReasonsOf } from './why-words.js'
import { getExtraMiB, toMeasured } from './prices/instance.js'
import { priceTable, withoutRefuted } from './prices/price.js'
import { fitScaling } from './capacity/scaling.js'

/** @import { Arm, Plan, PriceRow, Sizing, Emulated } from '../../types.js' */
/** @import { SizeRequest } from './types.js' */

/**
 * Builds the plan that is stored with a sizing.
 *
 * @param {Pick<SizeRequest, 'arms' | 'rate' | 'p99Ms' | 'seed' | 'quick' | 'warmUpSeconds' | 'argv'> &
 *   Pick<Plan, 'refused'>} request one arm per topology
 * @param {number[]} shares of the capacity
 * @returns {Plan}
 */
export const createPlan = ({ arms, refused, rate, p99Ms, argv, ...options }, shares) => ({
  experiment: 'size',
  command: toStoredCommand(argv),
  question: `How many instances serve ${rate} requests a second with 99 of 100 responses within ${p99Ms} ms?`,
  protocol: 'rates',
  result: 'latency',
  unit: 'requests',
  arms: arms.flatMap(arm => expandShares(arm, shares)),
  contrasts: [],
  twin: null,
  claims: [],
  cores: 'split',
  ...refused && { refused },
  seed: options.seed,
  quick: options.quick,
  warmUp: computeWarmUp(options),
  targets: { precision: 0.05, budgetSeconds: 180 * arms.length, minBlocks: 1, maxBlocks: 1, adjusted: false }
})

/**
 * Computes the table of offerings and the scaling from the topologies measured so far.
 *
 * @param {Pick<SizeRequest, 'rate' | 'p99Ms' | 'headroom' | 'spare' | 'min' | 'max' | 'profile' | 'confidence' |
 * 'offerings' | 'memoryExtra' | 'newConnections'>} request
 * @param {Pick<Sizing, 'topologies' | 'emulation'> & { emulated: Emulated[],
 *   machine?: Parameters<typeof toMeasured>[3] }} found emulated: in their order
 * @param {string} today
 * @returns {Sizing}
 */
export function computeSizing (request, { topologies, emulated, emulation, machine }, today) {
  const { rate, p99Ms, headroom, spare, min, max, profile, confidence, newConnections } = request
  const { offerings, memoryExtra } = request
  const measured = topologies.map(topology => toMeasured(topology, p99Ms, memoryExtra, machine))
  const wish = { rate, headroom, spare, newConnections, fewest: min, most: max, profile, today }
  const held = emulated.filter(({ holds }) => holds)
  const missed = emulated.filter(({ holds }) => !holds)
  // If no offering holds the goal, the last one stays in the table, marked as one that does not.
  const refuted = held.length > 0 ? missed : missed.slice(0, -1)
  const table = withoutRefuted(priceTable({ topologies: measured, offerings, ...wish }), refuted)
  const last = findEmulated(table, held, request) ?? missed.at(-1)
  return {
    goal: {
      rate,
      p99Ms,
      headroom,
      fewestInstances: Math.max(min, 1 + spare),
      spare,
      newConnections,
      mostInstances: max,
      profile,
      confidence,
      memoryExtraMiB: Object.fromEntries(topologies.map(sized => [sized.spec, getExtraMiB(sized, memoryExtra)]))
    },
    topologies,
    table,
    ...refuted.length > 0 && { refuted },
    ...last && { emulated: [...held.filter(found => found !== last), last] },
    scaling: fitScaling(topologies),
    emulation
  }
}

/**
 * Finds the emulation of the recommended offering at the rate of an instance, else the first that held the goal.
 *
 * @param {PriceRow[]} table
 * @param {Emulated[]} held
 * @param {{ rate: number, spare: number }} goal
 */
function findEmulated (table, held, goal) {
  const best = findBest(table)
  return held.find(found => best && covers(found, best, goal)) ?? held[0]
}

/**
 * Rejects a sizing from which no offering can be chosen. The record is stored nevertheless.
 *
 * @param {Sizing} sizing
 * @throws {HopbenchError} app-leaks, rate-out-of-reach
 */
export function rejectUnfit ({ topologies, table, goal }) {
  for (const { spec, soak, memoryMiB } of topologies) {
    if (!soak?.leaks) continue
    throw new HopbenchError('app-leaks', { name: spec, slope: soak.slope, seconds: soak.seconds, memoryMiB })
  }
  if (table.length === 0 || table.some(({ instances }) => instances !== null)) return
  throw new HopbenchError('rate-out-of-reach', { rate: goal.rate, why: printReasonsOf(table) })
}
