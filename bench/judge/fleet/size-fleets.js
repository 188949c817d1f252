/** Fleets of a sizing beyond one zone, and the simulated tail behind their balancers (pure). */
import { isFirm, listHeadlines } from '../offering-choice.js'
import { FLEET_RATE, planFleet } from './plan-fleet.js'
import { computeTails } from './tails.js'

/** @import { FleetTails, PriceRow, Sizing } from '../../types.js' */
/** @import { FleetPlan } from './plan-fleet.js' */

/**
 * Returns the plan of a fleet for the row of each class that the answer names, the fewest instances first.
 *
 * @param {Sizing} sizing
 * @returns {FleetPlan[]} empty below 100,000 requests a second; why: null unless --max or the provider does not permit
 *   the fleet
 */
export function planFleets ({ goal, table, topologies }) {
  if (goal.rate < FLEET_RATE) return []
  return listNamed(table).flatMap(row => {
    const topology = topologies.find(({ spec }) => spec === row.topology)
    return topology && hasRate(row) ? [planFleet(goal, row, topology)] : []
  }).sort((a, b) => a.instances - b.instances)
}

/** Returns the fleets that --max and the provider permit. @param {Sizing} sizing */
export const listFleets = sizing => planFleets(sizing).filter(({ why }) => why === null)

/**
 * Simulates the instances of a class behind a balancer: those of the smallest fleet, else of the first class.
 *
 * @param {Sizing} sizing
 * @returns {FleetTails | null} null: no class has two instances, or no CPU time was measured
 */
export function computeSizingTails (sizing) {
  const { goal, table, topologies } = sizing
  const fleet = listFleets(sizing).at(0)
  const row = fleet?.row ?? listNamed(table).at(0)
  const topology = topologies.find(({ spec }) => spec === row?.topology)
  if (!row || !topology || !hasRate(row)) return null
  return computeTails(row, topology, { rate: goal.rate, instances: fleet?.instances ?? row.instances ?? 0 })
}

/**
 * Returns the row of each class that an answer names: the firm ones, or all if none is firm.
 *
 * @param {PriceRow[]} table
 */
function listNamed (table) {
  const rows = listHeadlines(table).map(({ row }) => row)
  const firm = rows.filter(isFirm)
  return firm.length > 0 ? firm : rows
}

/** @type {(row: PriceRow) => row is PriceRow & { perInstance: number }} */
const hasRate = row => row.perInstance !== null && row.perInstance > 0
