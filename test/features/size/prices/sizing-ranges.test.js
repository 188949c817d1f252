import t from '../../../support/tap.js'
import { comparePairs, judgeModel, judgeOverlap, judgePairs, listEstimates } from '../../../perf/sizing-ranges.js'
import { readOfferings } from '../../../../bench/features/size/prices/offerings.js'
import { estimateHeldOut, heldOutGoals, heldOutTable, ratesBeyond } from '../../../perf/quota-cells.js'
import { makeRecord } from '../../../support/record.js'
import { sizing } from '../../../support/sizing.js'

/** @import { Estimate } from '../../../perf/sizing-ranges.js' */

const [{ offering, ...row }] = sizing.table

/**
 * @param {number} instances
 * @param {{ low: number, high: number }} range
 * @param {number} [vcpu]
 * @returns {Estimate[]} of one offering; an instance serves a hundredth of 10,000 requests a second for each instance
 */
const estimate = (instances, range, vcpu = 1) => [{
  key: `${vcpu}`,
  row: {
    ...row,
    offering: { ...offering, vcpu },
    perInstance: 10_000 / instances,
    instances,
    range: { instances: range, total: null }
  }
}]

const micros = { load: 0, proxy: 50, server: 250 }
const curve = [0.25, 0.5, 0.9].map(share =>
  ({ share, rate: 3000 * share, latencyMs: null, cores: 0.9 * share, micros, invalid: null }))

t.test('compares each sizing with each other one in both directions', t => {
  const pairs = comparePairs([
    estimate(10, { low: 8, high: 12 }), estimate(11, { low: 9, high: 13 }), estimate(20, { low: 15, high: 25 })
  ])
  t.equal(pairs.length, 6)
  t.same(pairs.map(({ isCovered }) => isCovered), [true, false, true, false, false, false])
  t.same(pairs.map(({ isSilent }) => isSilent), [false, false, false, false, false, false],
    'each prints its range, because the range is wide')
  t.same(pairs.map(({ factor }) => Number(factor.toFixed(2))), [1.1, 2, 1.1, 1.82, 2, 1.82])
  const silent = comparePairs([estimate(10, { low: 10, high: 11 }), estimate(20, { low: 20, high: 20 })])
  t.same(silent.map(({ isSilent }) => isSilent), [true, true])
  t.same(comparePairs([estimate(10, { low: 8, high: 12 }), []]), [], 'the other sizing refuses the offering')
  t.end()
})

t.test('judges whether ranges of sizings in different hours overlap', t => {
  const at = (/** @type {string} */ time, /** @type {Estimate[]} */ estimates) =>
    ({ startedAt: `2026-11-29T${time}:00.000Z`, estimates })
  const first = at('10:00', estimate(10, { low: 8, high: 12 }))
  const wider = at('11:00', estimate(14, { low: 12, high: 16 }))
  const apart = at('12:00', estimate(15, { low: 13, high: 17 }))
  t.match(judgeOverlap([first, wider]), [{ measured: '1 of 1', met: true }])
  t.match(judgeOverlap([first, wider, apart]), [{ measured: '2 of 3', met: false }])
  t.same(judgeOverlap([first, at('10:59', estimate(15, { low: 13, high: 17 }))]), [], 'the same hour is no comparison')
  t.match(judgeOverlap([first, at('11:00', [])]), [{ measured: '1 of 1' }], 'an offering that only one has')
  t.end()
})

t.test('judges small shares of a core by the larger weight of the range', t => {
  const judge = (/** @type {number} */ vcpu) => judgePairs(comparePairs([
    estimate(10, { low: 8, high: 15 }, vcpu), estimate(15, { low: 10, high: 20 }, vcpu)
  ]))
  t.match(judge(0.0625), [
    { what: /^an eighth of a core or less: .* in the range, of 2$/, measured: '100.0 %', met: true },
    { measured: '0.0 %', met: true },
    { measured: '1.50', goal: /^≤ 1\.93/, met: true }
  ])
  t.match(judge(1)[2], { what: /^more than an eighth of a core/, goal: /^≤ 1\.43/, met: false })
  t.match(judge(0.125)[0], { what: /^an eighth of a core or less/ })
  t.same(judgePairs([]), [])
  t.end()
})

t.test('judges the model by the rates that were measured under real quotas', t => {
  const cell = (/** @type {number} */ cpu, /** @type {number} */ estimated) => ({ cpu, estimated, measured: 100 })
  t.match(judgeModel([cell(0.5, 114), cell(0.125, 135), cell(0.0625, 150)], 0.125), { measured: '100.0 %', met: true })
  t.match(judgeModel([cell(0.5, 120), cell(0.5, 80), cell(0.0625, 160), cell(0.5, 100)], 0.125),
    { what: /of 4$/, measured: '25.0 %', met: false })
  t.end()
})

t.test('estimates from a stored sizing for other rates', t => {
  const offerings = readOfferings().filter(({ provider }) => provider === 'Linode')
  const [topology] = sizing.topologies
  const record = makeRecord({ sizing: { ...sizing, topologies: [{ ...topology, curve }] } })
  const estimates = listEstimates(record, { rates: [500, 50_000], offerings })
  t.ok(estimates.length > 0)
  const [few, many] = [500, 50_000].map(rate => estimates.filter(({ key }) => key.startsWith(`${rate} `)))
  t.equal(few.length, many.length)
  t.ok(few.every(({ row }, i) => row.instances < many[i].row.instances))
  t.same(listEstimates(makeRecord(), { rates: [500], offerings }), [])
  t.end()
})

t.test('rates beyond the highest one so far end at the wanted one, four at most', t => {
  t.same(ratesBeyond(100, 90), [])
  t.same(ratesBeyond(100, 110).map(Math.round), [110])
  t.same(ratesBeyond(100, 1600).map(Math.round), [200, 400, 800, 1600])
  t.end()
})

t.test('judges held-out cells by the printed range, and leaves out those without one and those of a late load', t => {
  const [topology] = sizing.topologies
  const { p99Ms } = sizing.goal
  const app = { app: 'held out', p99Ms, otherShare: null, sizing: topology, cells: [] }
  const { estimated, low, high } = estimateHeldOut(app, 0.5)
  t.ok(low < estimated && estimated < high, `${low} < ${estimated} < ${high}`)
  const cell = { cpu: 0.5, atLeast: false, searches: [1], windows: 9, seconds: 60 }
  const cells = [{ ...cell, measured: estimated }, { ...cell, measured: low / 2 }]
  const [covered, above] = heldOutGoals([{ ...app, cells }])
  t.same([covered.measured, covered.met], ['1 of 2', false])
  t.same([above.measured, above.met], [`a factor of ${(estimated / low * 2).toFixed(2)}`, false])
  const late = { ...cell, measured: low / 2, atLeast: true }
  t.same(heldOutGoals([{ ...app, cells: [cells[0], late] }]).map(({ measured, met }) => [measured, met]),
    [['1 of 1', true], ['a factor of 1.00', true]])
  // Below the response time of an idle app, no rate meets the goal under a quota.
  const hurried = { ...app, p99Ms: 0.1, sizing: { ...topology, curve }, cells: [{ ...cell, measured: 3 }] }
  t.equal(estimateHeldOut(hurried, 0.5).estimated, 0)
  t.match(heldOutGoals([{ ...app, cells: [cells[0]] }, hurried])[0],
    { what: /, 1 left out without a range \(3 req\/s\)$/, measured: '1 of 1' })
  t.match(heldOutTable([{ ...app, cells: [...cells, { ...cells[0], measured: 0 }] }]),
    /\| yes \| 1\.00 \|\n.*\| no \| \d\.\d\d \|\n.*\| no \| not served \|$/)
  t.end()
})
