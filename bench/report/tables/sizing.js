/** Tables of a sizing: capacities, offerings with their prices, and the trials of the search. */
import { className, offeringName } from '../../judge/offering-choice.js'
import { count, isNumber, micros, NONE, percent, rate } from '../../shared/format.js'
import { printSizingWhy } from '../facts/sizing-texts.js'
import { hasOpenRange, instancesText } from '../sizing-ranges.js'
import { column } from '../table.js'

/** @import { Column, CurvePoint, Offering, PriceRow, SizedTopology, Sizing, Table } from '../../types.js' */

const cents = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** Returns the sign of a currency before a price: "$", "EUR ". @param {string} currency */
export const currencySign = currency => currency === 'USD' ? '$' : `${currency} `

/**
 * Prints a price: "$50", "EUR 1,012.50".
 * @param {number | null | undefined} price
 * @param {string} currency
 */
export function money (price, currency) {
  if (!isNumber(price)) return NONE
  return `${currencySign(currency)}${Number.isInteger(price) ? count(price) : cents.format(price)}`
}

/**
 * Prints the requests per second that an instance serves at the goal.
 * @param {PriceRow} row
 */
export const perInstance = ({ perInstance, atLeast }) =>
  perInstance === null ? NONE : `${atLeast ? '≥ ' : ''}${rate(perInstance)}`

/**
 * Prints the vCPU for which an offering is calculated: "0.5", "0.07 to 0.64 (assumed)".
 * @param {Offering} offering
 */
export function vcpuText ({ vcpu, assumed }) {
  if (vcpu !== null) return String(vcpu)
  return assumed ? `${assumedText(assumed)} (assumed)` : NONE
}

/** Prints the vCPU for a terminal: "0.5", "0.07 to 0.64 †". @param {Offering} offering */
const shortVcpuText = ({ vcpu, assumed }) =>
  vcpu === null && assumed ? `${assumedText(assumed)} †` : String(vcpu ?? NONE)

/** Prints the marks of a row beside the name of its offering, for a terminal. @param {PriceRow} row */
const marksText = ({ offering: { secondary, closed }, withoutTls }) =>
  `${secondary ? ' ‡' : ''}${closed ? ' §' : ''}${withoutTls ? ' ¶' : ''}`

/** Share of a core up to which estimates under a quota are often wrong by a quarter (docs/sizing-method.md). */
export const SMALL_CORES = 0.125

/**
 * Returns whether a row is estimated for so small a share of a core that only a measurement there is reliable.
 * @param {Pick<PriceRow, 'offering'>} row
 */
export const isUncertain = ({ offering: { vcpu, assumed } }) => (vcpu ?? assumed?.low ?? Infinity) <= SMALL_CORES

/**
 * Prints an assumed CPU: "0.07 to 0.64".
 * @param {NonNullable<Offering['assumed']>} assumed
 */
export const assumedText = ({ low, high }) => low === high ? String(low) : `${low} to ${high}`

/**
 * Prints the recommended number of processes: "1, not 4" if the rule of thumb gives another number.
 * @param {PriceRow} row
 */
function processesText ({ workers }) {
  if (workers === null) return NONE
  return `${workers.workers}${workers.rule === workers.workers ? '' : `, not ${workers.rule}`}`
}

/** Returns the letter of a topology, for a table without room for its spec. */
const letterAt = (/** @type {number} */ i) => String.fromCharCode(65 + i % 26)

/**
 * @param {Sizing} sizing
 * @returns {Table<SizedTopology>}
 */
export const capacityTable = ({ topologies }) => ({
  rows: topologies,
  columns: [
    column({ text: 'topology' }, ({ spec }, i) => topologies.length > 1 ? `${letterAt(i)} ${spec}` : spec,
      { left: true }),
    column({ page: 'topology' }, ({ spec }) => spec, { left: true }),
    column({ text: 'req/s', page: 'req/s at the goal' }, ({ capacity }) =>
      `${capacity.atLeast ? '≥ ' : ''}${rate(capacity.rate)}`, { width: 7 }),
    column({ text: 'over searches' }, ({ capacity }) => `${rate(capacity.low)} to ${rate(capacity.high)}`,
      { width: 16 }),
    column({ page: 'trials' }, ({ trials }) => count(trials.length)),
    column({ text: 'p50 idle' }, ({ floor }) => `${micros(floor.p50Ms)} ms`, { width: 8 }),
    column({ text: 'p99 idle' }, ({ floor }) => `${micros(floor.p99Ms)} ms`, { width: 8 }),
    column({ page: 'p50 unloaded, ms' }, ({ floor }) => micros(floor.p50Ms)),
    column({ page: 'p99 unloaded, ms' }, ({ floor }) => micros(floor.p99Ms)),
    column({ text: 'peak', page: 'closed loop, req/s' }, ({ peak }) => rate(peak), { width: 7 }),
    column('MiB', ({ memoryMiB }) => count(Math.round(memoryMiB)), { width: 6 }),
    column({ page: 'MiB a process' }, ({ processMiB }) => count(Math.round(processMiB))),
    column({ page: 'µs a connection' }, ({ growth }) => micros(growth.perConnection)),
    column({ page: 'µs a KiB' }, ({ growth }) => micros(growth.perKiB))
  ]
})

/**
 * Prints the day on which the figures of an offering were read: "read on 2026-08-04".
 * @param {Pick<Offering, 'read'>} offering
 */
export const readOn = ({ read }) => read === null ? 'of an unknown day' : `read on ${read}`

/** Mark of a virtual machine whose TLS was not measured. */
export const WITHOUT_TLS = 'TLS not included'

/**
 * Prints the price that is paid once a month: "$10 a month for a NodeBalancer, from 2 instances on".
 * @param {Pick<Offering, 'plusMonthly' | 'currency'>} offering
 * @returns {string | null} null: there is no such price
 */
export function onceText ({ plusMonthly, currency }) {
  if (!plusMonthly) return null
  const { price, why, from = 1 } = plusMonthly
  return `${money(price, currency)} a month for ${why}${from > 1 ? `, from ${from} instances on` : ''}`
}

/**
 * Lists the conditions of an offering. Conditions that do not apply are falsy.
 * @param {Offering} offering
 */
const listRemarks = ({ assumed, burst, sleeps, most, ...offering }) => [
  offering.closed && `closed to new customers since ${offering.closed}`,
  offering.secondary && 'a third party quotes a figure',
  onceText(offering),
  assumed && `vCPU assumed: ${assumed.why}`,
  burst?.rule,
  sleeps && `sleeps ${sleeps}`,
  most !== undefined && `${most} at most`,
  offering.purpose && `in its provider's words ${offering.purpose}`,
  offering.note
]

/**
 * Prints the resource that limits an instance.
 * @param {PriceRow} row
 */
function limitText (row) {
  const { limit, usable, offering } = row
  if (limit === 'concurrency') return `${count(offering.mostConcurrency)} requests in flight`
  if (limit !== 'quota') return limit ?? NONE
  return `${usable == null ? '' : `${percent(usable)} of `}the offering's CPU` +
    `${isUncertain(row) || hasOpenRange(row) ? '; measure it there' : ''}`
}

/** Prints the total, or the price without traffic where that has no published price. @param {PriceRow} row */
const totalText = ({ total, monthly, offering: { currency } }) =>
  typeof total === 'number' || monthly === null ? money(total, currency) : `${money(monthly, currency)} + ?`

/** @type {Column<PriceRow>} */
const OFFERING = column({ page: 'offering' }, ({ offering }) => offeringName(offering), { left: true })

/**
 * Returns the page's column of topologies, which is hidden if all rows have the same one.
 * @param {Pick<Sizing, 'topologies'>} sizing
 * @returns {Column<PriceRow>}
 */
const topologyColumn = ({ topologies }) =>
  column({ ...topologies.length > 1 && { page: 'topology' } }, ({ topology }) => topology, { left: true })

/**
 * @param {Sizing} sizing
 * @returns {Table<PriceRow>}
 */
export const pricesTable = ({ table, topologies }) => ({
  rows: table,
  columns: [
    OFFERING,
    column({ text: 'offering' }, row => `${offeringName(row.offering)}${marksText(row)}`, { left: true }),
    // Letters of topologies, under an empty heading.
    column({ ...topologies.length > 1 && { text: '' } }, ({ topology }) =>
      letterAt(topologies.findIndex(({ spec }) => spec === topology)), { left: true, width: 1 }),
    topologyColumn({ topologies }),
    column({ page: 'vCPU' }, row => `${vcpuText(row.offering)}${isUncertain(row) ? ' *' : ''}`),
    column({ text: 'vCPU' }, row => `${shortVcpuText(row.offering)}${isUncertain(row) ? ' *' : ''}`),
    column({ page: 'MiB' }, ({ offering }) => count(offering.memoryMiB)),
    column({ text: 'each', page: 'each, req/s' }, perInstance, { width: 8 }),
    column({ page: 'limited by' }, limitText, { left: true }),
    column('instances', row => instancesText(row, '>'), { width: 9 }),
    column('a month', totalText),
    column({ text: 'processes' }, processesText, { width: 9 })
  ]
})

/**
 * Returns the further figures of the offerings, for the page.
 * @param {Sizing} sizing
 * @returns {Table<PriceRow>}
 */
export const furtherPricesTable = ({ table, topologies }) => ({
  rows: table,
  columns: [
    OFFERING,
    topologyColumn({ topologies }),
    column({ page: 'instances on average' }, ({ meanInstances }) => rate(meanInstances)),
    column({ page: 'without traffic' }, ({ monthly, offering }) => money(monthly, offering.currency)),
    column({ page: 'sent to the internet' }, ({ egress, offering }) => money(egress, offering.currency)),
    column({ page: 'per 1,000 req/s' }, ({ perThousand, offering }) => money(perThousand, offering.currency)),
    column({ page: 'processes' }, ({ workers }) => count(workers?.workers)),
    column({ page: 'rule of thumb' }, ({ workers }) => count(workers?.rule))
  ]
})

/**
 * Returns where the figures of the offerings come from, and their conditions, for the page.
 * @param {Sizing} sizing
 * @returns {Table<PriceRow>}
 */
export const offeringFactsTable = ({ table }) => ({
  rows: table,
  columns: [
    OFFERING,
    column({ page: 'class' }, ({ offering }) => className(offering), { left: true }),
    column({ page: 'region' }, ({ offering }) => offering.region, { left: true }),
    // The whole address is in the record.
    column({ page: 'source' }, ({ offering }) => `${offering.url.split('/')[2] ?? offering.url}, ${readOn(offering)}`,
      { left: true }),
    column({ page: 'remarks' }, ({ why, withoutTls, offering }) =>
      [printSizingWhy(why), withoutTls && WITHOUT_TLS, ...listRemarks(offering)].filter(Boolean).join('; '),
    { left: true })
  ]
})

/**
 * Returns response times at shares of the capacity.
 * @param {Sizing} sizing
 * @returns {Table<CurvePoint & { spec: string }>}
 */
export const curveTable = ({ topologies }) => ({
  rows: topologies.flatMap(({ spec, curve }) => curve.map(point => ({ ...point, spec }))),
  columns: [
    column({ page: 'topology' }, ({ spec }) => spec, { left: true }),
    column({ page: 'of the capacity' }, ({ share }) => percent(share)),
    column({ page: 'req/s' }, point => rate(point.rate)),
    column({ page: 'p50, ms' }, ({ latencyMs }) => micros(latencyMs?.p50)),
    column({ page: 'p99, ms' }, ({ latencyMs }) => micros(latencyMs?.p99)),
    column({ page: 'p99 over trials' }, ({ p99Range, trials = 1 }) =>
      p99Range && trials > 1 ? `${micros(p99Range.low)} to ${micros(p99Range.high)} in ${trials}` : NONE),
    column({ page: 'remarks' }, ({ disturbed }) => disturbed ? 'disturbed: a higher load was faster' : '',
      { left: true })
  ]
})

/**
 * @param {{ topologies: Pick<SizedTopology, 'spec' | 'trials'>[] }} sizing
 * @returns {Table<SizedTopology['trials'][number] & { spec: string }>}
 */
export const trialsTable = ({ topologies }) => ({
  rows: topologies.flatMap(({ spec, trials }) => trials.map(trial => ({ ...trial, spec }))),
  columns: [
    column({ page: 'topology' }, ({ spec }) => spec, { left: true }),
    column({ page: 'req/s' }, trial => rate(trial.rate)),
    column({ page: 'p99, ms' }, ({ p99Ms }) => micros(p99Ms)),
    column({ page: 'lag p99, ms' }, ({ lagMs }) => micros(lagMs)),
    column({ page: 'the goal' }, ({ holds, why }) =>
      holds ? 'holds' : `does not hold: ${printSizingWhy(why)}`, { left: true })
  ]
})
