/** Instances of autoscaled offerings over a day, limits of offerings, and the texts of both. */
import fc from 'fast-check'
import t from '../../../support/tap.js'
import { PROFILES, readProfile } from '../../../../bench/features/size/capacity/profile.js'
import { computeBill } from '../../../../bench/features/size/prices/bill.js'
import { listText, longOffer } from '../../../../bench/features/size/prices/offering-words.js'
import { findOffering, getCores, readOfferings } from '../../../../bench/features/size/prices/offerings.js'
import { countInstances } from '../../../../bench/features/size/prices/price.js'
import { known, makeOffering, OWN_TARGET, price, priceOne } from '../../../support/offerings.js'
import { sizing, tableOf } from '../../../support/sizing.js'

/** @import { Measured } from '../../../../bench/features/size/types.js' */
/** @import { Autoscaling, Offering } from '../../../../bench/types.js' */

const offerings = readOfferings()
/** @type {Autoscaling['by'][]} */
const BY = ['concurrency', 'cpu', 'requests']
/** A day of which three quarters have a fifth of the peak. */
const profile = { name: 'test', shares: [0.2, 0.2, 0.2, 1] }
/** An app that serves 1,000 requests a second on an instance, each of which takes 10 ms and 0.5 ms of CPU time. */
const app = { ...known, capacity: 1000, usages: [{ rate: 1000, cores: 0.5 }], responseMs: 10 }
/** @type {(autoscales: Autoscaling | null, changes?: Partial<Measured>) => ReturnType<typeof priceOne>} */
const at = (autoscales, changes) =>
  priceOne({ autoscales }, { topologies: [{ ...app, ...changes }], rate: 6000, profile })

/** Mean of an hour at the peak and of three others. @param {number} others */
const meanOf = others => (10 + 3 * others) / 4
/** @type {(by: Autoscaling['by'], target: number) => Autoscaling} */
const ruleOf = (by, target) => ({ by, target, least: 0, most: null })

t.test('instances follow the rule of the autoscaler, and are as many as the goal with its headroom needs', async t => {
  // Needed are 6,000 / 600 = 10 at the peak and 1,200 / 600 = 2, or 1 + 2 = 3 with a spare one, at other times.
  t.match(at(null), { instances: 10, meanInstances: 10, minimum: null })
  t.match(at(OWN_TARGET), { instances: 10, meanInstances: meanOf(3), minimum: null })
  // 6,000 × 10 ms are 60 requests in flight, and 12 at other times: at 4 each 15 and 3 instances, at 2 each 30 and 6.
  // At most 10 run.
  t.match(at(ruleOf('concurrency', 4)), { meanInstances: meanOf(3), minimum: null })
  t.match(at(ruleOf('concurrency', 2)), { meanInstances: meanOf(6), minimum: null })
  // 6,000 × 0.5 ms are 3 cores, and 0.6 at other times: at 10 % of a core 30 and 6 instances, at 30 % 10 and 2.
  t.match(at(ruleOf('cpu', 0.1)), { meanInstances: meanOf(6), minimum: null })
  t.match(at(ruleOf('cpu', 0.3)), { meanInstances: meanOf(3), minimum: 3 })
  t.match(at(ruleOf('requests', 300)), { meanInstances: meanOf(4), minimum: null })
  t.match(at({ ...OWN_TARGET, least: 5 }), { meanInstances: meanOf(5) })
  t.match(at({ ...OWN_TARGET, most: 9 }), { meanInstances: 10 }, 'a fixed number beyond the limit of the autoscaler')
})

t.test('an autoscaler that keeps too few instances is billed with the minimum that the answer names', async t => {
  const scaleway = findOffering(offerings, 'Scaleway 0.56 vCPU 1024 MB')
  const topology = { ...known, capacity: 1000, responseMs: 1, bytesPerResponse: 1000 }
  const [row] = price([scaleway], { topologies: [topology], rate: 2000, profile })
  // 2,000 requests a second of 1 ms are two in flight, for which one instance of 80 is kept.
  t.ok(Number(row.instances) > 1)
  t.match(row, { minimum: row.instances, meanInstances: row.instances })
  const [fixed] = price([{ ...scaleway, autoscales: null }], { topologies: [topology], rate: 2000, profile })
  t.equal(row.monthly, fixed.monthly)
  const text = `set the minimum of its autoscaler to ${row.instances}, because its rule (80 requests in flight each) ` +
    'keeps fewer'
  t.match(longOffer(row), `; ${text};`)
  t.match(tableOf({ ...sizing, table: [row] }, 'offering-facts').rows[0].at(-1), text)
  const { head, rows: [cells] } = tableOf({ ...sizing, table: [row] }, 'offering-limits')
  t.equal(cells[head.findIndex(({ text }) => text === 'instances')], 'by itself, at 80 requests in flight each')
  t.notMatch(longOffer(fixed), 'minimum')
  const own = price([makeOffering({ autoscales: OWN_TARGET })], { rate: 20_000, profile })
  t.notMatch(longOffer(own[0]), 'minimum')
})

t.test('instances for the rate to which the load grows until a new instance serves run before', async t => {
  // The rate rises by 4,800 in six hours: in 1,350 s to 1,500 and in 2,600 s to 1,778, for which 3 instances still
  // suffice, and in 5,000 s to 2,311, for which 4 are needed.
  const after = (/** @type {number} */ startSeconds) => at(OWN_TARGET, { startSeconds }).meanInstances
  t.same([1350, 2600, 5000].map(after), [4.75, 4.75, 5.5])
  t.equal(after(21_600 * 10), 10, 'no more than at the peak')
  const half = priceOne({ autoscales: OWN_TARGET, vcpu: 0.5 }, {
    topologies: [{ ...app, usages: [{ rate: 1000, cores: 0.1 }], startSeconds: 2500 }], rate: 6000, profile
  })
  t.equal(half.meanInstances, 5.5, 'half a core takes twice the time')
})

/** A rule with a random target. */
const RULE = fc.record({
  by: fc.constantFrom(...BY),
  target: fc.double({ min: 0.01, max: 50, noNaN: true }),
  least: fc.integer({ min: 0, max: 2 }),
  most: fc.constant(null)
})
const STORED = fc.constantFrom(...offerings)
/** A load of random rates, costs and start-up times, and an offering with its own rule or a random one. */
const LOAD = fc.record({
  offering: fc.oneof(STORED, fc.tuple(STORED, RULE).map(([offering, autoscales]) => ({ ...offering, autoscales }))),
  profile: fc.constantFrom(...PROFILES).map(readProfile),
  rate: fc.double({ min: 1, max: 5000, noNaN: true }),
  each: fc.double({ min: 20, max: 3000, noNaN: true }),
  responseMs: fc.double({ min: 0.1, max: 200, noNaN: true }),
  startSeconds: fc.double({ min: 0, max: 600, noNaN: true })
})
/** @type {(offering: Offering, load: any) => ReturnType<typeof computeBill>} */
const bill = (offering, { each, rate, ...load }) => {
  const count = (/** @type {number} */ headroom) => (/** @type {number} */ current) =>
    countInstances(each, { rate: current, headroom, spare: 1, fewest: 2 })
  return computeBill(offering, getCores(offering) ?? 1, {
    ...load, rate, countAt: count(0.4), leastAt: count(0), cpuSeconds: 0.5 / each, memoryMiB: 100, bytes: null
  })
}

t.test('the bill with autoscaling is never above the bill of a fixed number', async t => {
  fc.assert(fc.property(LOAD, ({ offering, ...load }) =>
    Number(bill(offering, load).monthly) <= Number(bill({ ...offering, autoscales: null }, load).monthly) + 1e-6))
  t.pass()
})

t.test('the bill of a constant load is that of the instances at its peak at all times', async t => {
  const constant = readProfile('constant')
  fc.assert(fc.property(LOAD, ({ offering, ...load }) => {
    const { meanInstances } = bill(offering, { ...load, profile: constant })
    return meanInstances === countInstances(load.each, { rate: load.rate, headroom: 0.4, spare: 1, fewest: 2 })
  }))
  t.pass()
})

t.test('the bill grows with the rate, unless a higher rate needs no minimum or a lower one', async t => {
  fc.assert(fc.property(LOAD, fc.double({ min: 1, max: 2, noNaN: true }), ({ offering, ...load }, factor) => {
    const [low, high] = [1, factor].map(times => bill(offering, { ...load, rate: times * load.rate }))
    return Number(high.monthly) >= Number(low.monthly) - 1e-6 || Number(high.minimum) < Number(low.minimum)
  }))
  t.pass()
})

t.test('rates that need more instances than a provider permits are refused with its limit', async t => {
  /** @type {[name: string, instances: number, most: number][]} */
  const cases = [
    ['Heroku Standard-1X', 165, 100], ['Heroku Performance-M', 11, 10], ['Heroku Fir dyno-1c-4gb', 256, 255],
    ['Koyeb eco-micro', 193, 10], ['Scaleway 1 vCPU 512 MB', 51, 50]
  ]
  for (const [name, instances, most] of cases) {
    const offering = { ...findOffering(offerings, name), vcpu: 1, mostConcurrency: null, memoryMiB: 1024 }
    const topologies = [{ ...app, capacity: 10, usages: [{ rate: 10, cores: 0.001 }] }]
    const of = (/** @type {number} */ count) =>
      price([offering], { topologies, rate: 10 * (count - 1), headroom: 0, profile })[0]
    const why = { code: 'too-few-instances', params: { most, limit: 'provider' } }
    t.match(of(instances), { instances: null, why }, `${name}: ${instances}`)
    t.equal(of(most).instances, most, `${name}: ${most}`)
  }
})

t.test('the table of facts has the limits of an offering, and the unknown ones', async t => {
  const limitsOf = (/** @type {Partial<Offering>} */ offering) => {
    const { head, rows: [cells] } = tableOf({ ...sizing, table: [priceOne(offering)] }, 'offering-limits')
    return cells[head.findIndex(({ text }) => text === 'limits')]
  }
  t.equal(limitsOf({ most: 42, mostRps: 11_000, mostConnections: 10_000 }),
    'instances: 42; requests a second: 11,000; connections: 10,000; requests in flight of an instance: unknown')
  t.equal(limitsOf({ mostConcurrency: 80 }),
    'instances: unknown; requests a second: unknown; connections: unknown; requests in flight of an instance: 80')
  t.match(listText([makeOffering({ most: 3 })]), '- Acme, limits: instances: 3; requests a second: unknown; ')
})
