/** Stored sizings with the prices of today, for docs/answers.md and docs/sizing.md (pure). */
import { CONSTANT } from './bill.js'
import { median } from '../../../judge/stats/quantile.js'
import { listEmulated } from './emulated-rows.js'
import { CONFIDENCE, HEADROOM, NEW_CONNECTIONS, SPARE } from '../../../shared/thresholds.js'
import { lowerToConfidence } from '../capacity/confidence.js'
import { computeSizing } from '../record.js'
import { toMachine } from './instance.js'

/** @import { Offering, RunRecord, SizedTopology } from '../../../types.js' */

/**
 * Returns a record of a sizing with the offerings and the margins of today. Emulations stay as they were measured.
 *
 * @param {RunRecord} record
 * @param {Offering[]} offerings
 * @returns {RunRecord}
 */
export function withTodaysPrices (record, offerings) {
  const { sizing, endedAt } = record
  if (!sizing) return record
  const topologies = sizing.topologies.map(topology => ({ ...topology, capacity: toTodaysCapacity(topology) }))
  const margins = {
    headroom: HEADROOM,
    spare: SPARE,
    confidence: CONFIDENCE,
    newConnections: NEW_CONNECTIONS,
    memoryExtra: null,
    min: 1,
    max: null
  }
  const { rate, p99Ms, profile = CONSTANT } = sizing.goal
  const priced = computeSizing({ rate, p99Ms, profile, ...margins, offerings }, {
    topologies,
    emulated: listEmulated(sizing),
    emulation: sizing.emulation,
    machine: toMachine(record.environment)
  }, endedAt ?? record.startedAt)
  return { ...record, sizing: priced }
}

/**
 * Returns the capacity at the confidence of today. The stored capacity was lowered to the confidence of its sizing, and
 * its searches were not: their median is the rate that half of the windows hold.
 *
 * @param {SizedTopology} topology
 */
function toTodaysCapacity ({ capacity, trials }) {
  const { rate, low, high, searches } = capacity
  const half = median(searches)
  const raised = { ...capacity, rate: half, low: half / rate * low, high: half / rate * high }
  return lowerToConfidence(raised, trials, CONFIDENCE)
}
