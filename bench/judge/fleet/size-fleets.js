/** Fleets of a sizing beyond one zone (pure). */
import { isFirm, listHeadlines } from '../offering-choice.js'
import { FLEET_RATE, planFleet } from './plan-fleet.js'

/** @import { PriceRow, Sizing } from '../../types.js' */
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
