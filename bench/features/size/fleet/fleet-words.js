/** Words for a sizing beyond one machine: instances by zone, connections and ports, limits of balancers (pure). */
import { className, offeringName } from '../prices/offering-choice.js'
import { ZONES } from './plan-fleet.js'
import { printSizingWhy } from '../why-words.js'
import { column } from '../../../report/table.js'
import { compact } from '../../../report/wrap.js'
import { count, listing, money, percent } from '../../../shared/format.js'
import { instancesText, priceCell } from '../prices/offering-words.js'

/** @import { BalancerLimit } from './limits.js' */
/** @import { FleetPlan } from './plan-fleet.js' */
/** @import { Section, Sizing, Table } from '../../../types.js' */

/**
 * Names a class whose fleet --max or the provider does not permit.
 * @param {FleetPlan} fleet
 * @returns {string[]} one sentence; empty: the limits permit it
 */
export const refusedSentence = ({ offering, instances, why }) => why === null
  ? []
  : [`Left out as a fleet: ${className(offering)} ${count(instances)} × ${offeringName(offering)} over ` +
      `${ZONES} zones, because ${printSizingWhy(why)}.`]

/**
 * @param {FleetPlan[]} plans empty below 100,000 requests a second
 * @param {Sizing['goal']} goal
 * @returns {Section}
 */
export function fleetSection (plans, { headroom }) {
  const fleets = plans.filter(({ why }) => why === null)
  /** @type {Table<FleetPlan>} */
  const table = {
    rows: fleets,
    columns: [
      column('offering', ({ offering }) => offeringName(offering), { left: true }),
      column('a zone', ({ perZone }) => count(perZone)),
      column('instances', instancesText, { width: 9 }),
      column('in flight', ({ inFlight }) => count(inFlight)),
      column('each', ({ inFlightEach }) => count(inFlightEach)),
      column('a month', fleet => priceCell(fleet, { isRounded: true }), { width: 13 }),
      column('of it traffic', ({ egress, offering: { currency } }) =>
        egress === null ? '?' : money(Math.round(egress), currency))
    ]
  }
  const refused = plans.flatMap(refusedSentence)
  const free = `At least ${percent(headroom)} of the capacity is free, also while a zone is lost.`
  return {
    id: 'fleet',
    title: 'As a fleet: one zone of three may be lost',
    blocks: fleets.length === 0
      ? refused
      : [table, ...refused, ...columnSentences(fleets[0]), free, ...balancerSentences(fleets[0])],
    brief: fleets.length === 0 ? refused : [table, ...refused, IN_FLIGHT, free]
  }
}

const IN_FLIGHT = 'in flight: requests at once, by Little\'s law; each: towards one instance while a zone is lost.'

/**
 * Explains the columns, and the connections and ports towards each hop.
 * @param {FleetPlan} fleet
 */
const columnSentences = ({ instances, ports, addresses, offering }) => [
  `${IN_FLIGHT} There are at least as many connections from the balancers to the instances. A total contains the ` +
  'balancers of a virtual machine where the provider publishes their price; traffic between zones is not included.',
  `A balancer's address has ${count(ports)} ports towards one instance. With a connection for each request a port ` +
  `is occupied for 60 s afterwards, so that balancers in front of ${count(instances)} × ${offeringName(offering)} ` +
  `need ${addresses === 1 ? 'one address' : `${count(addresses)} addresses`}; with kept connections one is enough.`
]

/**
 * Compares the load of the smallest fleet with the published limits of balancers.
 * @param {FleetPlan} fleet
 */
const balancerSentences = ({ balancers }) => balancers.map(({ limit, nodes, fits, monthly }) => {
  const { name, rps, connections, gbits, targets, isMeasured, url, dated } = limit
  const limits = compact([
    !!rps && `${count(rps)} requests a second`,
    !!connections && `${count(connections)} connections`,
    !!gbits && `${count(gbits)} Gbit/s`,
    !!targets && `${count(targets)} targets by default`
  ])
  const per = limit.nodes && limit.nodes > 1 ? ` for each of up to ${count(limit.nodes)} nodes` : ''
  const need = fits ? `${nodes === 1 ? 'one is' : `${count(nodes)} are`} enough by these figures` : 'too small'
  return `${name}: ${listing(limits)}${per}${isMeasured ? ', as its makers measured' : ''}: ${need} ` +
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
