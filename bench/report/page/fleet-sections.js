/** Section of a sizing about several instances: the fleet by zones. */
import { listFleets } from '../../judge/fleet/size-fleets.js'
import { balancerSentences, fleetSentences, fleetTable, refusedFleetSentences } from '../fleet-text.js'
import { section } from './section.js'

/** @import { RunRecord } from '../../types.js' */

/** @param {RunRecord} record */
export function fleetSections ({ sizing }) {
  if (!sizing) return []
  const fleets = listFleets(sizing)
  const refused = refusedFleetSentences(sizing)
  if (fleets.length + refused.length === 0) return []
  return [section('fleet', 'As a fleet: one zone of three may be lost', fleets.length > 0
    ? { words: [...refused, ...fleetSentences(fleets), ...balancerSentences(fleets)], table: fleetTable(fleets) }
    : { words: refused })]
}
