/** A sizing beyond one machine: instances by zone, connections and ports, limits of balancers. */
import { className, offeringName } from '../judge/offering-choice.js'
import { ZONES } from '../judge/fleet/plan-fleet.js'
import { listFleets, planFleets } from '../judge/fleet/size-fleets.js'
import { count, listing, NONE, percent } from '../shared/format.js'
import { printSizingWhy } from './facts/sizing-texts.js'
import { hasWideRange, instancesText, rangeText } from './sizing-ranges.js'
import { column, titledTable } from './table.js'
import { money } from './tables/sizing.js'
import { titled, wrapItems } from './wrap.js'

/** @import { BalancerLimit } from '../judge/fleet/limits.js' */
/** @import { FleetPlan } from '../judge/fleet/plan-fleet.js' */
/** @import { PriceRow, Sizing, Table } from '../types.js' */
/** @import { Style } from './wrap.js' */

const FLEET_TITLE = 'As a fleet: one zone of three may be lost'

/**
 * Names the classes whose fleet --max or the provider does not permit.
 * @param {Sizing} sizing
 * @returns {string[]} sentences
 */
export const refusedFleetSentences = sizing => planFleets(sizing).flatMap(({ row, instances, why }) => why === null
  ? []
  : [`Left out as a fleet: ${className(row.offering)} ${count(instances)} × ${offeringName(row.offering)} over ` +
      `${ZONES} zones, because ${printSizingWhy(why)}.`])

/**
 * Prints the fleet of each class with the limits of balancers.
 * @param {Sizing} sizing
 * @param {Style} style
 * @returns {string[]} lines, none below 100,000 requests a second
 */
export function fleetLines (sizing, style) {
  const fleets = listFleets(sizing)
  const refused = refusedFleetSentences(sizing)
  if (fleets.length === 0) return titled(FLEET_TITLE, wrapItems(refused, style), style)
  return [
    ...titledTable(FLEET_TITLE, fleetTable(fleets), style),
    ...wrapItems([...refused, ...fleetSentences(fleets), ...balancerSentences(fleets)], style)
  ]
}

/**
 * Prints the fleet of each class with a short note.
 * @param {Sizing} sizing
 * @param {Style} style
 * @returns {string[]} lines, none below 100,000 requests a second
 */
export function fleetBrief (sizing, style) {
  const fleets = listFleets(sizing)
  const refused = refusedFleetSentences(sizing)
  if (fleets.length === 0) return titled(FLEET_TITLE, wrapItems(refused, style), style)
  return [
    ...titledTable(FLEET_TITLE, fleetTable(fleets), style),
    ...wrapItems([...refused, 'in flight: requests at once; each: towards one instance while a zone is lost.',
      headroomSentence(fleets)], style)
  ]
}

/**
 * @param {FleetPlan[]} fleets
 * @returns {Table<FleetPlan>}
 */
export const fleetTable = fleets => ({
  rows: fleets,
  columns: [
    column('offering', ({ row }) => offeringName(row.offering), { left: true }),
    column('a zone', ({ perZone }) => count(perZone)),
    column('instances', fleet => instancesText(fleet, '>'), { width: 9 }),
    column('in flight', ({ inFlight }) => count(inFlight)),
    column('each', ({ inFlightEach }) => count(inFlightEach)),
    column('a month', printFleetTotal, { width: 13 }),
    column('of it traffic', ({ egress, row }) => egress === null ? '?' : moneyText(egress, row.offering))
  ]
})

/**
 * Prints the total of a fleet: "$13,787", "$13,787 to $15,120" where the range of instances is wide, "$13,659 + ?" if
 * the price of traffic is unknown.
 * @param {FleetPlan} fleet
 */
export function printFleetTotal (fleet) {
  const { monthly, egress, range, row: { offering } } = fleet
  if (monthly === null) return NONE
  if (egress === null) return `${moneyText(monthly, offering)} + ?`
  return range?.total && hasWideRange(fleet)
    ? rangeText(range.total, total => moneyText(total, offering))
    : moneyText(monthly + egress, offering)
}

/** @type {(price: number, offering: PriceRow['offering']) => string} */
const moneyText = (price, { currency }) => money(Math.round(price), currency)

/**
 * Names the headroom that the numbers of instances contain.
 * @param {FleetPlan[]} fleets
 */
const headroomSentence = ([{ headroom }]) =>
  `At least ${percent(headroom)} of the capacity is free, also while a zone is lost.`

/**
 * Explains the columns, and the connections and ports towards each hop.
 * @param {FleetPlan[]} fleets
 */
export function fleetSentences (fleets) {
  const [{ instances, ports, addresses, row }] = fleets
  const needed = addresses === 1 ? 'one address' : `${count(addresses)} addresses`
  return [
    'in flight: requests at once by Little\'s law, and at least as many connections from the balancers to the ' +
    'instances; each: towards one instance while a zone is lost. A total contains the balancers of a virtual machine ' +
    'where the provider publishes their price; traffic between zones is not included.',
    headroomSentence(fleets),
    `A balancer's address has ${count(ports)} ports towards one instance. With a connection for each request a port ` +
    `is occupied for 60 s afterwards, so that balancers in front of ${count(instances)} × ` +
    `${offeringName(row.offering)} need ${needed}; with kept connections one is enough.`
  ]
}

/**
 * Compares the load of the smallest fleet with the published limits of balancers.
 * @param {FleetPlan[]} fleets
 * @returns {string[]}
 */
export const balancerSentences = fleets => fleets[0].balancers.map(({ limit, nodes, fits, monthly }) => {
  const { name, rps, connections, gbits, targets, isMeasured, url, dated } = limit
  const limits = [
    rps && `${count(rps)} requests a second`,
    connections && `${count(connections)} connections`,
    gbits && `${count(gbits)} Gbit/s`,
    targets && `${count(targets)} targets by default`
  ].filter(Boolean)
  const per = limit.nodes && limit.nodes > 1 ? ` for each of up to ${count(limit.nodes)} nodes` : ''
  const need = fits ? `${nodes === 1 ? 'one is' : `${count(nodes)} are`} enough by these figures` : 'too small'
  return `${name}: ${listing(limits.map(String))}${per}${isMeasured ? ', as its makers measured' : ''}: ${need} ` +
    `(${url}, ${dated ?? 'without a day'})${fits && !isMeasured ? balancerPrice(limit, monthly) : ''}.`
})

/**
 * @param {BalancerLimit} limit
 * @param {{ total: number } | null} monthly
 */
function balancerPrice ({ price }, monthly) {
  if (!price || !monthly) return '; no price of today could be read'
  const units = price.unit ? ', by hours and by connections or data, whichever costs more' : ''
  const quoted = price.secondary ? ', quoted by a third party' : ''
  return `; $${count(Math.round(monthly.total))} a month${units} (${price.url}, ${price.read}${quoted})`
}
