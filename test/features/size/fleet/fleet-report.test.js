import t from '../../../support/tap.js'
import { fitBalancer, planFleet, planFleets } from '../../../../bench/features/size/fleet/plan-fleet.js'
import { answerSizing } from '../../../../bench/features/size/kind.js'
import { findOffering, readOfferings } from '../../../../bench/features/size/prices/offerings.js'
import { OWN_TARGET } from '../../../support/offerings.js'
import { sentencesOf, sizing, tableOf } from '../../../support/sizing.js'

/** @import { Offering, PriceRow, SizedTopology, Sizing } from '../../../../bench/types.js' */

const [topology] = sizing.topologies
const offering = { ...sizing.table[0].offering, price: 10, egress: { perGb: 0.02 } }
const row = { ...sizing.table[0], offering, perInstance: 2000, instances: 100, monthly: 1000, egress: 53, total: 1053 }
const goal = { ...sizing.goal, rate: 100_000, headroom: 0.5 }
/** @type {SizedTopology} */
const measured = {
  ...topology,
  bytesPerResponse: 10,
  curve: [{
    share: 0.95,
    rate: 2000,
    latencyMs: { p50: 1, p90: 4, p95: 8, p99: 20, max: 30, rate: 2000, source: 'paced' },
    cores: 0.8,
    micros: { load: 0, proxy: 0, server: 400 },
    invalid: null
  }]
}
const large = { ...sizing, goal, table: [row], topologies: [measured] }

/** Returns the cells of the fleets. @param {Sizing} sized */
const cellsOf = sized => tableOf(sized, 'fleet').rows
/** @param {Sizing} sized */
const textOf = sized => sentencesOf(sized, 'fleet').join('\n')

const cents = (/** @type {number | null} */ price) => Math.round(100 * Number(price)) / 100

t.test('two zones of three carry the rate with the headroom', async t => {
  const plan = planFleet(goal, row, measured)
  t.equal(plan.perZone, 50, '100,000 / (2,000 × 0.5) instances in two zones')
  t.equal(plan.instances, 150)
  t.equal(plan.monthly, 1500)
  t.equal(plan.addresses, 3, '1,000 connections a second to an instance, each port for 60 s, of 28,232 ports')
  t.equal(plan.inFlight, 400, 'by the p90 of 4 ms near the capacity')
  t.equal(plan.inFlightEach, 4)
  const machine = { ...row.offering, provider: 'Linode', plusMonthly: { price: 10, why: 'a balancer' } }
  const linode = planFleet({ ...goal, rate: 1_000_000 }, { ...row, offering: machine, monthly: 1010 }, measured)
  t.equal(linode.instances, 1500)
  t.equal(linode.monthly, 15_000 + 20, 'two NodeBalancers have 1,000 targets each')
  // 100,000 × 10 bytes × 2,628,000 s are 2,628 GB; at $0.02 they cost $52.56.
  t.equal(cents(plan.egress), 52.56)
  const including = (/** @type {number} */ includedGb) =>
    planFleet(goal, { ...row, offering: { ...row.offering, includedGb } }, measured).egress
  t.equal(cents(including(10)), 22.56, '150 instances include 1,500 GB, and 1,128 are paid for')
  t.equal(including(100), 0)
})

t.test('the price of requests does not grow with the instances of a fleet', async t => {
  const azure = findOffering(readOfferings(), 'Azure Container Apps 1 vCPU 2 GiB')
  // 150 instances all month: (394,200,000 − 180,000) s × $0.000034 = 13,396.68, and (788,400,000 − 360,000) GiB-seconds
  // × $0.000004 = 3,152.16. Requests: (262,800 − 2) million × $0.56 = 147,166.88.
  t.equal(cents(planFleet(goal, { ...row, offering: azure }, measured).monthly), 163_715.72)
})

t.test('the instances of a fleet follow the rate of the day where the provider starts and ends them', async t => {
  const profile = { name: 'half', shares: [1, 0.5] }
  const monthly = (/** @type {Offering['autoscales']} */ autoscales) =>
    planFleet({ ...goal, profile }, { ...row, offering: { ...row.offering, autoscales } }, measured).monthly
  t.equal(monthly(null), 1500)
  t.equal(monthly(OWN_TARGET), 1125, '150 and 75 instances')
  t.equal(monthly({ ...OWN_TARGET, target: 0.6 }), 1500, 'a rule whose instances are not estimated for a fleet')
})

t.test('compares a load with the requests, connections, nodes and targets of a balancer', async t => {
  const load = { rate: 25_000, inFlight: 100, instances: 20, newConnections: 2500, gbPerHour: 90 }
  const limit = { name: 'B', url: 'https://example.com', dated: '2026-01-01' }
  t.match(fitBalancer({ ...limit, rps: 10_000, nodes: 3 }, load), { nodes: 3, fits: true })
  t.match(fitBalancer({ ...limit, rps: 10_000, nodes: 2 }, load), { nodes: 3, fits: false })
  t.match(fitBalancer({ ...limit, connections: 40 }, load), { nodes: 3, fits: true })
  t.match(fitBalancer({ ...limit, targets: 10 }, load), { nodes: 1, fits: false, monthly: null })
  t.match(fitBalancer({ ...limit, targets: 10, isSideBySide: true }, load), { nodes: 2, fits: true })
  const narrow = { ...limit, gbits: 0.1, nodes: 1 }
  t.match(fitBalancer(narrow, load), { nodes: 2, fits: false }, '90 GB an hour are 0.2 Gbit/s')
  const price = { node: 10, url: 'https://example.com', read: '2026-01-01' }
  t.match(fitBalancer({ ...limit, connections: 40, price }, load), { monthly: { total: 30, ofData: 0 } })
  const unit = { monthly: 5, newConnections: 25, connections: 3000, gbPerHour: 1 }
  t.match(fitBalancer({ ...limit, price: { ...price, unit } }, load), { monthly: { total: 510, ofData: 450 } },
    '2,500 new connections a second are 100 units, 90 GB an hour 90')
})

t.test('a fleet is answered from 100,000 requests a second', async t => {
  const small = { ...large, goal: { ...goal, rate: 99_999 } }
  t.strictSame(planFleets(small), [])
  t.strictSame(sentencesOf(small, 'fleet'), [])
  t.strictSame(cellsOf(large), [['Acme <b>One</b>', '50', '150', '400', '4', '$1,553', '$53']])
  t.match(textOf(large), 'At least 50 % of the capacity is free, also while a zone is lost.')
  t.match(textOf(large), 'need 3 addresses')
  t.match(textOf(large), /DigitalOcean Regional Load Balancer: .* 10 are enough by these figures/)
  const unknown = { ...row, offering: { ...row.offering, egress: null } }
  t.strictSame(cellsOf({ ...large, table: [unknown] })[0].slice(-2), ['$1,500 + ?', '?'])
  t.equal(answerSizing({ ...large, table: [row] }), 'Buy 150 × Acme <b>One</b> over 3 zones for 100,000 req/s at ' +
    'constant load, $1,553 a month; estimated, cores assumed as fast as here.')
  t.notMatch(answerSizing(small), /zones/)
  const secondary = { ...row, offering: { ...row.offering, secondary: true } }
  t.match(answerSizing({ ...large, table: [secondary] }),
    /^Buy 150 × Acme .*, \$1,553 a month; .*, a figure quoted by a third party\.$/)
})

t.test('leaves out offerings that no answer names, such as closed ones, unless there is no other', async t => {
  const kind = /** @type {const} */ ('function')
  const closed = { ...row, offering: { ...row.offering, name: 'Old', class: kind, closed: '2026-04-30' } }
  const names = (/** @type {PriceRow[]} */ table) =>
    planFleets({ ...large, table }).map(({ offering }) => offering.name)
  t.strictSame(names([closed, row]), [row.offering.name])
  t.strictSame(names([closed]), ['Old'])
})

t.test('the short report of a fleet has its table, and neither ports nor balancers', async t => {
  t.strictSame(tableOf(large, 'fleet', { isBrief: true }), tableOf(large, 'fleet'))
  t.strictSame(sentencesOf(large, 'fleet', { isBrief: true }), [
    'in flight: requests at once, by Little\'s law; each: towards one instance while a zone is lost.',
    'At least 50 % of the capacity is free, also while a zone is lost.'
  ])
})

t.test('leaves out a class of which the provider sells fewer instances', async t => {
  const few = { ...large, table: [{ ...row, offering: { ...row.offering, most: 149 } }] }
  const sentence = 'Left out as a fleet: without a class 150 × Acme <b>One</b> over 3 zones, because its provider ' +
    'allows at most 149 instances.'
  t.match(answerSizing(few), sentence, 'beside the offering in one zone')
  t.strictSame(sentencesOf(few, 'fleet'), [sentence])
  t.strictSame(sentencesOf(few, 'fleet', { isBrief: true }), [sentence])
})

t.test('the limits of the goal apply to a fleet', async t => {
  const plan = (/** @type {object} */ limits) => planFleet({ ...goal, ...limits }, row, measured)
  t.equal(plan({ fewestInstances: 400 }).instances, 402, 'whole zones')
  t.equal(plan({ spare: 120 }).instances, 171, '50 serve the rate at the goal')
  t.match(plan({ mostInstances: 149 }).why, { code: 'too-few-instances', params: { most: 149, limit: '--max' } })
  t.equal(plan({ mostInstances: 150 }).why, null)
  t.equal(plan({ headroom: 0 }).instances, 75)
})

t.test('a fleet has a range where its row has one', async t => {
  const find = (/** @type {PriceRow['range']} */ range, limits = {}) =>
    answerSizing({ ...large, goal: { ...goal, ...limits }, table: [{ ...row, range }] })
  const total = null
  // 80 and 160 instances in one zone are 120 and 240 in three, for $10 each and $52.56 of traffic.
  const wide = { instances: { low: 80, high: 160 }, total }
  t.match(planFleet(goal, { ...row, range: wide }, measured).range?.instances, { low: 120, high: 240 })
  t.match(find(wide), /^Buy 150 \(120 to 240\) × .*, \$1,553 \(1,253 to 2,453\) a month; /)
  t.match(find(wide, { mostInstances: 200 }), /^Buy 150 \(120 to >200\) × .*, \$1,553 \(1,253 or more\) a month; /)
  t.match(find({ instances: { low: 80 }, total }),
    /^Buy 150 \(120 or more\) × .* \(1,253 or more\) .*, measure there\.$/)
  t.match(find({ instances: { low: 99, high: 104 }, total }),
    /^Buy 150 \(150 to 156\) × .*, \$1,553 \(1,553 to 1,613\) /)
  const narrow = planFleet({ ...goal, fewestInstances: 100 }, { ...row, range: wide }, measured).range
  t.equal(narrow?.instances.low, 150, 'the fewest instances decide')
})
