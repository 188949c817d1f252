/** Sections of a sizing about several instances: the fleet by zones, and the tail behind a balancer. */
import { listFleets } from '../../judge/fleet/size-fleets.js'
import {
  balancerSentences, fleetSentences, fleetTable, refusedFleetSentences, tailSentences, tailsTable
} from '../fleet-text.js'
import { section } from './study-sections.js'

/** @import { RunRecord } from '../../types.js' */

/** @param {RunRecord} record */
export function fleetSections ({ sizing }) {
  if (!sizing) return []
  const fleets = listFleets(sizing)
  const refused = refusedFleetSentences(sizing)
  const { tails } = sizing
  const lines = (tails?.lines ?? []).map(line => ({ ...line, end: null }))
  return [
    ...fleets.length + refused.length > 0
      ? [section('fleet', 'As a fleet: one zone of three may be lost', fleets.length > 0
          ? { words: [...refused, ...fleetSentences(fleets), ...balancerSentences(fleets)], table: fleetTable(fleets) }
          : { words: refused })]
      : [],
    ...tails
      ? [section('balancer', 'Simulated response times behind a balancer', {
          words: tailSentences(tails),
          chart: { chart: 'lines', lines, axes: { x: 'time in use, %', y: 'p99, ms', isLogY: true } },
          table: tailsTable(tails)
        })]
      : []
  ]
}
