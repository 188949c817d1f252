import t from '../../../support/tap.js'
import { findBest, listHeadlines } from '../../../../bench/features/size/prices/offering-choice.js'
import { printSizingWhy } from '../../../../bench/features/size/why-words.js'
import { estimateRange, getExtraMiB, toMeasured, withTlsCost } from '../../../../bench/features/size/prices/instance.js'
import { answerSizing } from '../../../../bench/features/size/kind.js'
import { billText, headline, splitText, trafficText } from '../../../../bench/features/size/prices/offering-words.js'
import { findOffering, readOfferings } from '../../../../bench/features/size/prices/offerings.js'
import { findNext } from '../../../../bench/features/size/emulate.js'
import { parse } from '../../../../bench/plan/spec.js'
import { firm, known, makeOffering, measured, OWN_TARGET, price } from '../../../support/offerings.js'
import { sentencesOf, sizing, tableOf } from '../../../support/sizing.js'

/** @import { Measured } from '../../../../bench/features/size/types.js' */
/** @import { Offering, PriceRow, Sizing } from '../../../../bench/types.js' */

const names = (/** @type {PriceRow[]} */ rows) => rows.map(({ offering }) => offering.name)

const buy = (/** @type {PriceRow} */ row) => headline(row, { load: '2,000 req/s', certainty: 'estimated' })

t.test('at 2,000 requests a second Scaleway, whose traffic is free, is before Render', async t => {
  const all = readOfferings()
  const rows = price([findOffering(all, 'Render Starter'), findOffering(all, 'Scaleway 0.56 vCPU 1024 MB')])
  t.same(rows.map(({ offering }) => offering.provider), ['Scaleway', 'Render'])
  const [scaleway, render] = rows
  t.ok(Number(render.monthly) < Number(scaleway.monthly), 'without traffic Render is cheaper')
  t.ok(Number(render.total) > 20 * Number(scaleway.total))
})

t.test('an offering whose traffic has no published price is after all totals', async t => {
  const rows = price([makeOffering({ name: 'Open', price: 1 }), firm({ name: 'Known', price: 90 })])
  t.same(names(rows), ['Known', 'Open'])
})

t.test('without the spare instance the others still serve the rate at the goal', async t => {
  const count = (/** @type {number} */ rate, spare = 1) => price([firm({})], { rate, spare })[0].instances
  t.equal(count(2999), 2)
  t.equal(count(5001), 3, 'two serve 10,000, and losing one of them would leave too few')
  t.equal(count(5001, 0), 2)
  t.equal(count(2999, 0), 1)
  t.equal(count(5001, 2), 4)
  for (const rate of [1, 500, 4999, 5000, 5001, 12_345]) {
    t.ok((Number(count(rate)) - 1) * measured.capacity >= rate, `${rate} requests a second`)
  }
})

t.test('refuses offerings whose published limits are exceeded, with the reason', async t => {
  const why = (/** @type {Partial<Offering>} */ limits, rate = 6000) => {
    const [{ instances, why }] = price([firm(limits)], { rate })
    return instances === null ? printSizingWhy(why) : null
  }
  t.equal(why({ mostRps: 5000 }), 'its provider accepts at most 5,000 requests a second')
  t.equal(why({ mostRps: 6000 }), null)
  t.equal(why({ mostConnections: 200 }),
    'its provider accepts at most 200 connections, and 300 requests would be in flight')
  t.equal(why({ mostConnections: 300 }), null)
  t.equal(why({ most: 2 }), 'its provider allows at most 2 instances')
  const scaleway = findOffering(readOfferings(), 'Scaleway 1 vCPU 512 MB')
  t.match(price([scaleway], { rate: 10_000 })[0].why, { code: 'too-many-requests', params: { most: 5000 } })
  // 6,000 a second at the goal of 50 ms are 300, of which 20 ms leave 120 while they wait for CPU time.
  const [{ why: connections }] = price([firm({ mostConnections: 250 })], {
    rate: 6000, topologies: [{ ...measured, delay: 0.02, goalSeconds: 0.05 }]
  })
  t.match(connections, { code: 'too-many-connections', params: { most: 250, needed: 300 } })
})

t.test('names the cheapest firm offering of each class', async t => {
  const rows = price([
    firm({ name: 'Assumed', class: 'shared', vcpu: null, assumed: { low: 1, high: 2, why: 'a test' }, price: 1 }),
    firm({ name: 'Shared', class: 'shared', price: 5 }),
    firm({ name: 'Closed', class: 'dedicated', closed: '2026-04-30', price: 1 }),
    firm({ name: 'Quoted', class: 'dedicated', secondary: true, price: 2 }),
    firm({ name: 'Dedicated', class: 'dedicated', price: 30 }),
    makeOffering({ name: 'No traffic', class: 'vm', price: 1 }),
    firm({ name: 'Machine', class: 'vm', price: 20, plusMonthly: { price: 10, why: 'a balancer' } }),
    firm({ name: 'Function', class: 'function', closed: '2026-04-30', price: 3 })
  ], { topologies: [{ ...known, endsTls: true }] })
  t.same(listHeadlines(rows).map(({ name, row }) => `${name}: ${row.offering.name}`),
    ['shared PaaS: Shared', 'dedicated PaaS: Dedicated', 'VM: Machine'])
  t.equal(findBest(rows)?.offering.name, 'Shared')
  t.equal(rows.find(({ offering }) => offering.name === 'Machine')?.total, 50, 'the balancer is paid once')
  t.equal(answerSizing({ ...sizing, table: rows }), 'Buy 2 × Acme Shared for 2,000 req/s at constant load, $10 a ' +
    'month; estimated, cores assumed 0.41 to 1.4 × these.')
  const answer = sentencesOf({ ...sizing, table: rows }, 'classes').join('\n')
  t.match(answer, /VM: 2 × Acme Machine \(\$50 a month: 2 × \$20, \$10 for a balancer and free traffic\), each /)
  // 5,000 requests a second of 50 ms each.
  t.match(answer, /, each serves 5,000 req\/s with 250 requests in flight at most\.$/m)
  t.notMatch(answer, /with reservations/)
  t.match(sentencesOf({ ...sizing, table: rows }, 'plans').join('\n'), /in the class function-like\.$/m)
})

/** Marks of offerings that no answer may name where their class has another.
 * @type {Record<string, Partial<Offering>>} */
const RESERVED = {
  'a figure quoted by a third party': { secondary: true },
  'closed to new customers': { closed: '2026-04-30' },
  'without traffic': { egress: null },
  'CPU assumed': { vcpu: null, assumed: { low: 1, high: 1, why: 'a test' } }
}
for (const [mark, overrides] of Object.entries(RESERVED)) {
  t.test(`an offering "${mark}" is in no headline, and is marked where its class has no other`, async t => {
    const reserved = firm({ name: 'Reserved', class: 'vm', price: 1, ...overrides })
    const beside = price([reserved, firm({ name: 'Firm', class: 'vm', price: 90 })])
    t.same(listHeadlines(beside).map(({ row }) => row.offering.name), ['Firm'])
    t.equal(findBest(beside)?.offering.name, 'Firm')
    t.notMatch(sentencesOf({ ...sizing, table: beside }, 'classes').join(), /Reserved|with reservations/)
    const other = firm({ name: 'Shared', class: 'shared', price: 5 })
    t.match(answerSizing({ ...sizing, table: price([reserved, other]) }), /^Buy 2 × Acme Shared /)
    const alone = { ...sizing, table: price([reserved]) }
    t.match(answerSizing(alone), new RegExp(`^Buy 2 × Acme Reserved .*, ${mark}, TLS not included\\.$`))
    t.match(sentencesOf(alone, 'classes')[0], /^VM, with reservations: /)
  })
}

t.test('the bill names its parts, and the traffic behind it', async t => {
  const text = (/** @type {Partial<Offering>} */ overrides) => billText(price([firm(overrides)])[0])
  // 2,000 × 1,254 bytes × 2,628,000 s are 6,591.02 GB.
  t.equal(text({ price: 7, egress: { perGb: 0.02 } }), '$145.82 a month: 2 × $7 and $131.82 of traffic')
  t.equal(text({ price: 7, egress: { perGb: 0.02 }, includedGb: 4000 }), '$14 a month: 2 × $7 and traffic included')
  t.equal(text({ price: null, hourly: 0.01 }), '$14.60 a month: 2 × $7.30 and free traffic')
  t.equal(text({ price: 7, egress: null }), '$14 a month: 2 × $7 and traffic at an unpublished price')
  const use = { vcpuSecond: 0, gibSecond: 0, billed: /** @type {const} */ ('used'), least: 20 }
  t.equal(text({ price: null, use }), '$20 a month: $0 by use, free traffic and $20 at least')
  const profile = { name: 'office', shares: [1, 0.5] }
  const [row] = price([firm({ price: 10, autoscales: OWN_TARGET })], { profile, rate: 12_000 })
  t.match(billText(row), /^\$[\d.]+ a month: [\d.]+ on average × \$10 and free traffic$/)
  t.equal(trafficText({ bytesPerResponse: 1254 }, { ...sizing.goal, rate: 10_000 }),
    '1,254 bytes a response, 32,955 GB a month')
  t.match(trafficText({ bytesPerResponse: 1254 }, { ...sizing.goal, rate: 10_000, profile }), / 24,716 GB/)
  t.equal(trafficText({ bytesPerResponse: null }, sizing.goal), null)
})

t.test('emulates the offerings of the answer, then the cheapest of each provider', async t => {
  const rows = price([
    firm({ name: 'A', class: 'shared', price: 5 }), firm({ name: 'B', class: 'shared', price: 6 }),
    firm({ name: 'C', class: 'vm', price: 7 }), firm({ name: 'D', provider: 'Bcme', class: 'vm', price: 8 })
  ], { topologies: [{ ...known, endsTls: true }] })
  /** @type {{ offering: string, topology: string }[]} */
  const emulated = []
  for (let row = findNext(rows, { rate: 1, cores: 1 }); row; row = findNext(rows, { rate: 1, cores: 1 }, emulated)) {
    emulated.push({ offering: `${row.offering.provider} ${row.offering.name}`, topology: row.topology })
  }
  t.same(emulated.map(({ offering }) => offering), ['Acme A', 'Acme C', 'Bcme D'])
})

t.test('the answer has the range where another sizing may differ by more than one instance and 15 %', async t => {
  const usages = [{ rate: 2500, cores: 0.5 }, { rate: 5000, cores: 0.8 }]
  const topology = {
    ...measured,
    usages,
    burst: 0.002,
    pause: 0.01,
    bytesPerResponse: 1000,
    range: { low: 4800, high: 5200, burst: { low: 0.001, high: 0.006 }, pause: { low: 0.005, high: 0.03 } }
  }
  const [small] = price([firm({ vcpu: 0.0625, egress: { perGb: 0.02 } })], { topologies: [topology] })
  const { low = 0, high = 0 } = small.range?.instances ?? {}
  t.ok(low < Number(small.instances) && high > Number(small.instances), `${low} to ${high}`)
  t.match(answerSizing({ ...sizing, table: [small] }), new RegExp(
    `^Buy ${small.instances} \\(${low} to ${high.toLocaleString('en-US')}\\) × Acme One ` +
    '.*, \\$[\\d,]+ \\([\\d,]+ to [\\d,]+\\) a month; .*, measure there\\.$'))
  t.match(sentencesOf({ ...sizing, table: [small] }, 'classes').join(' '),
    new RegExp(`${low} to ${high.toLocaleString('en-US')} × Acme One \\(\\$[\\d,]+ to \\$[\\d,]+ a month: as ` +
      'estimated \\d+ × \\$\\d+ and \\$[\\d.]+ of traffic; measure there'))
  const score = { value: 1, from: 'a test', read: '2026-11-28' }
  const [whole] = price([firm({ score })], { topologies: [{ ...topology, score: 1 }] })
  t.match(answerSizing({ ...sizing, table: [whole] }), /^Buy 2 × Acme One/, 'a whole core is no estimate of a share')
  t.equal(estimateRange(makeOffering({}), measured), null, 'older measurements have no range')
})

t.test('the range of an assumed CPU is from its low to its high end', async t => {
  const topology = { ...measured, range: { low: 5000, high: 5000 } }
  const assumed = { low: 0.25, high: 1, why: 'a test' }
  const at = (/** @type {Partial<Offering>} */ cpu) =>
    price([firm(cpu)], { topologies: [topology], rate: 10_000 })[0]
  const row = at({ vcpu: null, assumed })
  const [low, high] = [1, 0.25].map(vcpu => at({ vcpu }).instances)
  t.equal(row.instances, high, 'ranked by the low end')
  t.ok(Number(row.range?.instances.low) <= Number(low))
})

t.test('adds memory for drivers and agents to examples, not to an app of the user', async t => {
  const extra = (/** @type {string} */ spec, typed = null) => getExtraMiB({ topology: parse(spec) }, typed)
  t.equal(extra('nginx:uds/express-json'), 128)
  t.equal(extra('nginx:uds/./shop.js'), 0)
  t.equal(getExtraMiB({ topology: parse('nginx:uds/./shop.js') }, 200), 200)
})

t.test('a virtual machine ends TLS itself, at a share of new connections', async t => {
  const topology = { ...measured, tls: { requestMicros: 20, handshakeMicros: 200 } }
  // At the top a request costs 160 µs, and with 20 + 0.1 × 200 µs of TLS 200 µs.
  const { capacity, usages } = withTlsCost(topology, 0.1)
  t.equal(Math.round(capacity), 4000)
  t.equal(usages[1].cores.toFixed(6), '1.000000')
  const each = (/** @type {Offering['class']} */ kind) =>
    Math.round(Number(price([firm({ class: kind })], { topologies: [topology] })[0].perInstance))
  t.same([each('vm'), each('dedicated')], [4000, 5000])
})

t.test('a virtual machine whose TLS was not measured is marked in every row', async t => {
  const vm = firm({ class: 'vm' })
  const isMarked = (/** @type {Partial<Measured>} */ more, offering = vm) =>
    / TLS not included\./.test(buy(price([offering], { topologies: [{ ...known, ...more }] })[0]))
  t.equal(isMarked({}), true)
  t.equal(isMarked({ tls: { requestMicros: 20, handshakeMicros: 200 } }), false)
  t.equal(isMarked({ endsTls: true }), false, 'the hop in front ends TLS in all measurements')
  t.equal(isMarked({}, firm({ class: 'dedicated' })), false, 'a platform ends it at its router')
  const [topology] = sizing.topologies
  const spec = 'nginx:uds+tls=ecdsa-p256/express-json'
  t.equal(toMeasured({ ...topology, spec, topology: parse(spec) }, 50).endsTls, true)
  t.equal(toMeasured(topology, 50).endsTls, false)
  const found = { ...sizing, table: price([vm]) }
  for (const isBrief of [true, false]) {
    t.equal(tableOf(found, 'plans', { isBrief }).rows[0][0], 'Acme One ¶')
    t.match(sentencesOf(found, 'plans', { isBrief }).join(' '), '¶: TLS not included, because ')
  }
  t.match(tableOf(found, 'offering-facts').rows[0].at(-1), /^TLS not included/)
})

t.test('the answer prints the memory of the app and the memory that is added', async t => {
  const goal = { ...sizing.goal, memoryExtraMiB: { 'nginx:uds/express-json': 128 } }
  const text = (/** @type {Sizing} */ sized) => sentencesOf(sized, 'classes').join('\n')
  t.match(text({ ...sizing, goal }),
    /^nginx:uds\/express-json: 100 \+ 128 MiB under load and for drivers and agents\.$/m)
  t.match(text(sizing), /^nginx:uds\/express-json: 100 MiB under load\.$/m)
})

t.test('the answer prints compute and traffic apart, and reports an order that follows from traffic', async t => {
  const split = (/** @type {Partial<Offering>} */ overrides) => splitText(price([firm(overrides)])[0])
  t.equal(split({ egress: { perGb: 0.02 } }),
    'Compute $20 + traffic $131.82: a CDN or compression changes this part.')
  t.equal(split({}), false, 'free traffic')
  t.equal(split({ egress: null }), false)
  const text = (/** @type {Offering[]} */ ...offerings) =>
    sentencesOf({ ...sizing, table: price(offerings) }, 'classes').join('\n')
  const heavy = { egress: { perGb: 0.02 } }
  const [dear, cheap] = [firm({ class: 'dedicated', ...heavy }), firm({ class: 'shared', price: 900, ...heavy })]
  t.match(text(dear), /^Traffic is more than half of 1 of 1 bills here, so the order /m)
  t.notMatch(text(dear, cheap), /Traffic is more than half/)
  t.match(text(dear), /^A month is 730 hours of 2,000 req\/s at constant load; --profile /m)
})

t.test('a range beyond the instances that can be had ends at ">" and their number', async t => {
  // At 7,000 a second three instances are enough with 40 % free. By the low end of the search, 2,500 / 1.24 × 0.41 =
  // 827, ⌈7,000 / (827 × 0.6)⌉ = 15 are needed; by 1.38 times the high one, two. Four cost $40.
  const topologies = [{ ...measured, bytesPerResponse: 1254, range: { low: 2500, high: 5200 } }]
  const [row] = price([firm({ most: 4 })], { topologies, rate: 7000 })
  t.match(row, { instances: 3, range: { instances: { low: 2, high: 15 }, most: 4, total: { low: 20, high: 40 } } })
  t.match(buy(row), /^Buy 3 \(2 to >4\) × Acme One .*, \$30 \(20 to 40\) a month; .*, measure there\.$/)
  const found = { ...sizing, table: [row] }
  t.match(sentencesOf(found, 'classes')[0], /: 2 to >4 × Acme One \(\$20 to \$40 a month/)
  t.match(tableOf(found, 'plans').rows[0].join('|'), /\|2 to >4\|/)
  t.match(sentencesOf(found, 'plans').join(' '), / >N: /)
  t.match(price([firm({})], { topologies, rate: 7000, most: 4 })[0].range, { most: 4 }, 'with --max 4')
  const [enough] = price([firm({ most: 15 })], { topologies, rate: 7000 })
  t.match(buy(enough), /^Buy 3 \(2 to 15\) × Acme One .*, \$30 \(20 to 150\) a month; estimated, [^,]+\.$/)
  t.notMatch(sentencesOf({ ...sizing, table: [enough] }, 'plans').join(' '), />N/)
})
