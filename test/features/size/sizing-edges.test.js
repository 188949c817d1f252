/** Tests the edges of a price table: no rate at the low end, limits that reject all rows, unknown currencies. */
import t from '../../support/tap.js'
import { findBest } from '../../../bench/features/size/prices/offering-choice.js'
import { printSizingWhy } from '../../../bench/features/size/why-words.js'
import { findFault } from '../../../bench/store/record-format.js'
import { withTlsCost } from '../../../bench/features/size/prices/instance.js'
import { answerSizing } from '../../../bench/features/size/kind.js'
import { billText, headline } from '../../../bench/features/size/prices/offering-words.js'
import { firm, known, makeOffering, measured, price } from '../../support/offerings.js'
import { makeRecord } from '../../support/record.js'
import { sentencesOf, sizing } from '../../support/sizing.js'

/** @import { Offering, PriceRow } from '../../../bench/types.js' */

t.test('a range has no upper end where the largest bursts leave no rate at the goal', async t => {
  // Requests use 2 ms of CPU time, on half a core. With bursts of 100 ms nearly two requests in a hundred wait for a
  // garbage collection of 140 ms, at any rate.
  const topology = {
    ...known,
    capacity: 500,
    usages: [{ rate: 250, cores: 0.5 }, { rate: 500, cores: 0.9 }],
    burst: 0.02,
    range: { low: 480, high: 520, burst: { low: 0.02, high: 0.1 } }
  }
  const at = (/** @type {Partial<Offering>} */ offering) =>
    price([firm({ vcpu: 0.5, ...offering })], { topologies: [topology], rate: 200 })[0]
  const row = at({})
  t.ok(Number(row.instances) > 1)
  t.same(Object.keys(row.range?.instances ?? {}), ['low'])
  t.same(Object.keys(row.range?.total ?? {}), ['low'])
  const stored = JSON.parse(JSON.stringify(makeRecord({ sizing: { ...sizing, table: [row] } })))
  t.equal(findFault('record', stored), null, 'the stored run is readable')
  const buy = (/** @type {PriceRow} */ row) => headline(row, { load: '2,000 req/s', certainty: 'estimated' })
  t.match(buy(row), /^Buy [\d,]+ \([\d,]+ or more\) × Acme One .*, \$[\d,.]+ \([\d,]+ or more\) .*, measure there\.$/)
  t.match(sentencesOf({ ...sizing, table: [row] }, 'classes')[0],
    /: [\d,]+ or more × Acme One \(\$[\d,]+ or more a month: .*; measure there/)
  t.match(sentencesOf({ ...sizing, table: [row] }, 'plans').join(' '), / N or more: /)
  const limited = at({ most: 1000 })
  t.equal(limited.range?.most, 1000)
  t.match(buy(limited), /^Buy [\d,]+ \([\d,]+ to >1,000\) × Acme One /)
})

t.test('the answer names the limits that refuse all offerings', async t => {
  const table = price([firm({ mostRps: 11_000 }), firm({ name: 'Two', mostRps: 5000 }), firm({ mostRps: 5000 })],
    { rate: 20_000 })
  t.equal(answerSizing({ ...sizing, table }), 'No offering can be recommended: its provider accepts at most 11,000 ' +
    'requests a second; its provider accepts at most 5,000 requests a second.')
})

t.test('the memory that an offering lacks is that of one process with a quarter free', async t => {
  const four = { ...known, memoryMiB: 340, processMiB: 80, processes: 4 }
  const why = (/** @type {number} */ memoryMiB) => price([firm({ memoryMiB })], { topologies: [four] })[0].why
  t.equal(printSizingWhy(why(133)),
    'its memory is too small: one process needs 134 MiB, 100 MiB under load and a quarter free')
  t.equal(why(134), null)
})

t.test('prices in a currency without an exchange rate follow the others, in the order of their totals', async t => {
  const rows = price([
    firm({ name: 'Nine pounds', currency: 'GBP', price: 9 }),
    makeOffering({ name: 'No price', price: null }),
    firm({ name: 'Yen', currency: 'JPY', price: 1 }),
    firm({ name: 'Eight pounds', currency: 'GBP', price: 8 }),
    firm({ name: 'Dollars', price: 90 })
  ])
  t.same(rows.map(({ offering }) => offering.name), ['Dollars', 'Eight pounds', 'Nine pounds', 'Yen', 'No price'])
  t.equal(findBest(rows)?.offering.name, 'Dollars')
})

t.test('free traffic has a price although the size of a response is unknown', async t => {
  const row = (/** @type {Partial<Offering>} */ overrides) =>
    price([firm({ price: 7, ...overrides })], { topologies: [measured] })[0]
  t.match(row({}), { egress: 0, total: 14 })
  t.equal(billText(row({})), '$14 a month: 2 × $7 and free traffic')
  t.match(row({ egress: { perGb: 0.02 } }), { egress: null, total: null })
  t.equal(billText(row({ egress: { perGb: 0.02 } })),
    '$14 a month: 2 × $7 and no traffic, because the size of a response is unknown')
})

t.test('a limit of requests in flight is no lower bound', async t => {
  const topology = { ...known, atLeast: true, busySeconds: 0.04 }
  const at = (/** @type {number} */ mostConcurrency) =>
    price([firm({ mostConcurrency })], { topologies: [topology] })[0]
  t.match(at(80), { perInstance: 2000, limit: 'concurrency', atLeast: false })
  t.match(at(8000), { perInstance: 5000, limit: 'goal', atLeast: true })
})

t.test('computes with a headroom of 0 and with no or only new connections', async t => {
  t.match(price([firm()], { rate: 10_000, headroom: 0, spare: 0 }), [{ instances: 2 }])
  const topology = { ...known, tls: { requestMicros: 20, handshakeMicros: 200 } }
  // A request costs 160 µs at the top, with TLS 180 and 380 µs.
  t.same([0, 1].map(share => Math.round(withTlsCost(topology, share).capacity)), [4444, 2105])
  const more = [{ processes: 2, rate: 9000, low: 8000, high: 10_000 }]
  const slower = withTlsCost({ ...topology, more }, 0).more ?? []
  t.same(slower.map(({ rate, low = 0, high = 0 }) => [rate, low, high].map(Math.round)),
    [[8000, 7111, 8889]])
})
