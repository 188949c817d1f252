/**
 * Chooses the offerings that an answer names: one for each class, because classes are bought for different reasons.
 * Judges how certain the estimate for an offering is (pure).
 */
import { toUnit, toUnits } from './currency.js'

/** @import { Offering, PriceRow } from '../../../types.js' */

/** Names of the classes, in the order of an answer. Offerings of a file of the user's own may have no class.
 * @type {[Offering['class'], string][]} */
const CLASSES = [
  ['function', 'function-like'],
  ['shared', 'shared PaaS'],
  ['dedicated', 'dedicated PaaS'],
  ['vm', 'VM'],
  [undefined, 'without a class']
]

/**
 * Prints the name of an offering: "Render Standard".
 * @param {Pick<Offering, 'provider' | 'name'>} offering
 */
export const offeringName = ({ provider, name }) => `${provider} ${name}`

/** Share of a core up to which estimates under a quota are often wrong by a quarter (docs/sizing-method.md). */
export const SMALL_CORES = 0.125

/** Share by which a number of instances may differ from one sizing to the next before a range is printed. */
export const TOLERANCE = 0.15

/**
 * Returns whether a row is estimated for so small a share of a core that only a measurement there is reliable.
 * @param {Pick<PriceRow, 'offering'>} row
 */
export const isUncertain = ({ offering: { vcpu, assumed } }) => (vcpu ?? assumed?.low ?? Infinity) <= SMALL_CORES

/**
 * Returns whether another sizing may differ by more than one instance and by more than 15 %.
 * @param {Pick<PriceRow, 'instances' | 'range'>} row
 */
export function hasWideRange ({ instances, range }) {
  if (!range || instances === null) return false
  const { low, high = Infinity } = range.instances
  const tolerated = Math.max(1, TOLERANCE * instances)
  return high - instances > tolerated || instances - low > tolerated
}

/**
 * Returns whether another sizing may find no rate that meets the goal, so that the instances have no upper end.
 * @param {Pick<PriceRow, 'instances' | 'range'>} row
 */
export const hasOpenRange = ({ instances, range }) =>
  instances !== null && range != null && range.instances.high === undefined

/** Returns the name of the class of an offering. @param {Offering} offering */
export const className = offering => CLASSES.find(([kind]) => kind === offering.class)?.[1] ?? String(offering.class)

/**
 * Reservations about a row. A row is less certain than another one if it has all reservations of the other, and more.
 * @type {Record<'traffic' | 'assumed' | 'small' | 'open' | 'quoted' | 'closed' | 'tls', (row: PriceRow) => boolean>}
 */
export const RESERVATIONS = {
  traffic: ({ monthly, total = null }) => monthly !== null && total === null,
  assumed: ({ offering: { vcpu } }) => vcpu === null,
  small: isUncertain,
  open: row => hasOpenRange(row) || row.range?.most !== undefined,
  quoted: ({ offering }) => Boolean(offering.secondary),
  closed: ({ offering }) => Boolean(offering.closed),
  tls: ({ withoutTls }) => Boolean(withoutTls)
}

/** Reservations of a row that an answer may name without a mark before its name. */
const MINOR = ['small', 'tls']

/** @param {PriceRow} row */
const listReservations = row =>
  Object.entries(RESERVATIONS).flatMap(([name, applies]) => applies(row) ? [name] : [])

/**
 * Returns whether an answer may name a row without a mark: its CPU is promised, its total is known, its range has an
 * upper end, new customers are accepted, and the provider publishes the figures itself.
 *
 * @param {PriceRow} row
 */
export const isFirm = row =>
  row.instances !== null && row.monthly !== null && listReservations(row).every(name => MINOR.includes(name))

/**
 * Leaves out each row that is dearer and less certain than another one of the rows. Rows without a price are kept.
 *
 * @param {PriceRow[]} rows
 */
export function listUndominated (rows) {
  const judged = rows.map(row => ({ row, reservations: listReservations(row) }))
  const priced = judged.filter(({ row: { instances, total } }) => instances !== null && total !== null)
  return judged
    .filter(a => a.row.monthly === null || !priced.some(b => isDearer(a.row, b.row) && isLessCertain(a, b)))
    .map(({ row }) => row)
}

/**
 * Returns whether a row has all reservations of another one, and more.
 * @param {{ reservations: string[] }} a
 * @param {{ reservations: string[] }} b
 */
const isLessCertain = (a, b) => a.reservations.length > b.reservations.length &&
  b.reservations.every(name => a.reservations.includes(name))

/**
 * Returns whether a row costs more than another one. Prices without an exchange rate are not comparable.
 * @param {PriceRow} a
 * @param {PriceRow} b
 */
const isDearer = (a, b) =>
  toUnit(a.offering.currency) === toUnit(b.offering.currency) && toUnits(a) > toUnits(b)

/**
 * Returns the rows with instances and a price. Rows that are closed to new customers are left out unless all are.
 *
 * @param {PriceRow[]} table
 */
function listPriced (table) {
  const priced = table.filter(({ instances, monthly }) => instances !== null && monthly !== null)
  const open = priced.filter(({ offering }) => !offering.closed)
  return open.length > 0 ? open : priced
}

/**
 * Returns the recommended row: the cheapest firm one, else the cheapest with a price.
 *
 * @param {PriceRow[]} table the cheapest first
 */
export const findBest = table => table.find(isFirm) ?? listPriced(table)[0]

/**
 * Returns the row that an answer names for each class: the cheapest firm one, else the cheapest with a price. A class
 * whose rows are all dearer and less certain than others has none.
 *
 * @param {PriceRow[]} table the cheapest first
 * @returns {{ name: string, row: PriceRow }[]}
 */
export function listHeadlines (table) {
  const priced = listPriced(listUndominated(table))
  return CLASSES.flatMap(([kind, name]) => {
    const row = findBest(priced.filter(({ offering }) => offering.class === kind))
    return row ? [{ name, row }] : []
  })
}

/**
 * Returns the rows of the classes that an answer names: the firm ones, or all if none is firm.
 *
 * @param {PriceRow[]} table the cheapest first
 */
export function listNamed (table) {
  const rows = listHeadlines(table).map(({ row }) => row)
  const firm = rows.filter(isFirm)
  return firm.length > 0 ? firm : rows
}

/**
 * Returns the names of the classes that have offerings for the rate, and no firm one.
 *
 * @param {PriceRow[]} table
 */
export const listOpenClasses = table => CLASSES.flatMap(([kind, name]) => {
  const rows = table.filter(({ instances, offering }) => instances !== null && offering.class === kind)
  return rows.length > 0 && !rows.some(isFirm) ? [name] : []
})

/**
 * Keeps the first row of each provider.
 * @param {PriceRow[]} rows the cheapest first
 */
export const cheapestOfEach = rows =>
  rows.filter(({ offering: { provider } }, i) => rows.findIndex(row => row.offering.provider === provider) === i)
