/** Offerings that are dearer and less certain than others are not printed. */
import fc from 'fast-check'
import t from '../../../support/tap.js'
import {
  RESERVATIONS, findBest, isFirm, listHeadlines, listUndominated
} from '../../../../bench/features/size/prices/offering-choice.js'
import { answerSizing } from '../../../../bench/features/size/kind.js'
import { firm, price } from '../../../support/offerings.js'
import { findTable, sentencesOf, sizing } from '../../../support/sizing.js'

/** @import { Offering, PriceRow } from '../../../../bench/types.js' */

const assumed = { low: 1, high: 1, why: 'a test' }
/** Changes of an offering by reservation. @type {Partial<Offering>[]} */
const RESERVED = [
  { vcpu: null, assumed }, { secondary: true }, { closed: '2026-04-30' }, { egress: null }, { vcpu: 0.1 }
]
const CLASSES = /** @type {const} */ (['function', 'shared', 'dedicated', 'vm'])

const offerings = fc.array(fc.record({
  price: fc.integer({ min: 1, max: 9 }),
  class: fc.constantFrom(...CLASSES),
  currency: fc.constantFrom('USD', 'EUR', 'AUD'),
  reserved: fc.subarray(RESERVED, { maxLength: 3 })
}), { minLength: 1, maxLength: 12 }).map(list => list.map(({ reserved, ...offering }, i) =>
  firm({ ...offering, name: `N${i}`, ...Object.assign({}, ...reserved) })))

const toNames = (/** @type {PriceRow[]} */ rows) => rows.map(({ offering }) => offering.name).sort()
const toDollars = (/** @type {PriceRow} */ { total, monthly, offering: { currency } }) =>
  Number(total ?? monthly) * (currency === 'EUR' ? 1.1637 : 1)
/** @type {(a: PriceRow, b: PriceRow) => boolean} */
const isDominatedBy = (a, b) => {
  const [ofA, ofB] = [a, b].map(row => Object.values(RESERVATIONS).map(applies => applies(row)))
  const isAUD = [a, b].map(({ offering }) => offering.currency === 'AUD')
  return b.total !== null && isAUD[0] === isAUD[1] && toDollars(a) > toDollars(b) &&
    ofB.every((has, i) => !has || ofA[i]) && ofA.some((has, i) => has && !ofB[i])
}

t.test('a row is printed exactly if no row is both cheaper and more certain', async t => {
  let left = 0
  fc.assert(fc.property(offerings, offerings => {
    const table = price(offerings)
    const printed = listUndominated(table)
    left += table.length - printed.length
    // The row that is cheaper and more certain is printed itself.
    return table.every(row => printed.includes(row)
      ? !table.some(other => isDominatedBy(row, other))
      : printed.some(other => isDominatedBy(row, other)))
  }), { numRuns: 100 })
  t.ok(left > 10, `${left} rows were left out`)
})

t.test('the cheapest firm row is printed, is recommended, and is the headline of its class', async t => {
  fc.assert(fc.property(offerings, offerings => {
    const table = price(offerings)
    const cheapest = table.find(isFirm)
    const headlines = listHeadlines(table).map(({ row }) => row)
    if (!cheapest) return headlines.length > 0
    return listUndominated(table).includes(cheapest) && findBest(table) === cheapest && headlines.includes(cheapest)
  }), { numRuns: 100 })
  t.pass()
})

t.test('the order of the rows does not change the ones that are printed', async t => {
  fc.assert(fc.property(offerings.chain(list => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, {
    minLength: list.length
  }))), ([offerings, shuffled]) => {
    t.strictSame(toNames(listUndominated(price(shuffled))), toNames(listUndominated(price(offerings))))
    t.strictSame(toNames(listUndominated(price(offerings).reverse())), toNames(listUndominated(price(offerings))))
  }), { numRuns: 30 })
})

t.test('a class is not printed beside a cheaper and more certain offering of another class', async t => {
  const shared = firm({ name: 'Small', class: 'shared', vcpu: 0.0625, price: 50 })
  const machine = firm({ name: 'Large', class: 'dedicated', price: 30 })
  const found = { ...sizing, table: price([shared, machine]) }
  t.strictSame(listHeadlines(found.table).map(({ row }) => row.offering.name), ['Large'])
  t.match(answerSizing(found), /^Buy 2 × Acme Large /)
  t.notMatch(sentencesOf(found, 'classes').join(), /Small/)
  for (const isBrief of [true, false]) t.strictSame(toNames(findTable(found, 'plans', { isBrief }).rows), ['Large'])
  t.match(sentencesOf(found, 'plans').join('\n'), /^Left out: 1 row dearer and less certain than another one\. /m)
  const cheaper = { ...sizing, table: price([firm({ ...shared, price: 1 }), machine]) }
  t.strictSame(listHeadlines(cheaper.table).map(({ row }) => row.offering.name), ['Small', 'Large'])
  t.notMatch(sentencesOf(cheaper, 'plans').join('\n'), /Left out/)
})
