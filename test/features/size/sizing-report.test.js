import t from '../../support/tap.js'
import { parse } from '../../../bench/plan/spec.js'
import { textTable } from '../../../bench/report/table.js'
import { toStyle } from '../../../bench/report/wrap.js'
import { answerSizing } from '../../../bench/features/size/kind.js'
import { listText } from '../../../bench/features/size/prices/offering-words.js'
import { makePlan, makeRecord } from '../../support/record.js'
import { renderPage } from '../../support/rendered-page.js'
import { findTable, sentencesOf, sizing, tableOf } from '../../support/sizing.js'

/** @import { PriceRow, Sizing } from '../../../bench/types.js' */

const [topology] = sizing.topologies
const [row] = sizing.table
const assumed = { ...row.offering, vcpu: null, assumed: { low: 0.07, high: 0.64, why: 'a documented share' } }
/** Returns the cell of the only offering. @type {(found: Sizing, heading: string) => string} */
const cellOf = (found, heading) => {
  const { head, rows: [cells] } = tableOf(found, 'plans')
  return cells[head.findIndex(({ text }) => text === heading)]
}

t.test('marks an assumed vCPU in the answer and in every table, with the reason on the page', async t => {
  const found = { ...sizing, table: [{ ...row, offering: assumed }] }
  t.match(answerSizing(found), ', CPU assumed, measure there.')
  t.equal(cellOf(found, 'vCPU'), '0.07 to 0.64 † *')
  const [signs] = sentencesOf(found, 'plans')
  t.match(signs, '†: CPU assumed, because the provider promises none: --assume-vcpu sets it; *: measure there, because')
  t.match(listText([assumed]), '0.07 to 0.64 (assumed)')
  t.equal(tableOf(found, 'offering-facts').rows[0].at(-1),
    'CPU assumed; measure there; vCPU assumed: a documented share')
})

t.test('the list of offerings has their prices by use and of traffic, and the source of each figure', async t => {
  const sources = [
    { of: 'price', url: 'https://acme.example/plans', read: '2026-09-01' },
    { of: 'traffic', url: 'https://acme.example/traffic', read: null, secondary: true }
  ]
  const billed = /** @type {const} */ ('running')
  const use = { vcpuSecond: 2.4e-6, gibSecond: 0.00001, millionRequests: 0.4, billed, freeVcpuSeconds: 180_000 }
  const more = {
    sources, use, egress: { perGb: 0.005, freeGb: 100 }, includedGb: 50, plusMonthly: { price: 10, why: 'a balancer' }
  }
  const text = listText([{ ...row.offering, ...more }], { isOld: ({ read }) => read === null })
    .replaceAll(/\s+/g, ' ')
  t.match(text, '- Acme: $0.0000024 a vCPU-second, $0.00001 a GiB-second and $0.40 a million requests. ' +
    'Free of charge in a month: 180,000 vCPU-seconds.')
  t.match(text, '- Acme: $0.005 a GB of traffic beyond what an instance includes after 100 GB an account.')
  t.match(text, '- Acme: $10 a month for a balancer.')
  t.match(text, '- Acme, price: https://acme.example/plans, read on 2026-09-01 - Acme, traffic: ' +
    'https://acme.example/traffic, of an unknown day, quoted by a third party – look it up before you buy')
})

t.test('the page of a sizing has each anchor once, and the command of its kit', async t => {
  const spec = 'nginx:uds/./shop.js'
  const topologies = [{ ...topology, spec, topology: parse(spec) }]
  const own = { ...sizing, topologies, table: [{ ...row, topology: spec }] }
  const plan = makePlan({ result: 'latency' })
  const page = renderPage({ record: makeRecord({ sizing: own, plan }), samples: [], configs: [], check: null })
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  t.strictSame(ids, [...new Set(ids)])
  t.match(page, `hopbench config ${spec} --from `)
  const { head } = tableOf(own, 'plans')
  t.notOk(head.some(({ text }) => text === 'topology'), 'all rows have the same one')
})

t.test('names old prices under the table', async t => {
  const words = (/** @type {boolean} */ old) => sentencesOf({ ...sizing, table: [{ ...row, old }] }, 'plans').join(' ')
  t.match(words(true), /the figures of Acme \(read on 2026-01-01\) are older than 180 days/)
  t.notMatch(words(false), /older than/)
})

t.test('names a provider of which all offerings are excluded for one reason', async t => {
  const why = { code: /** @type {const} */ ('no-cpu-promised'), params: {} }
  const table = [['Acme', 'A'], ['Acme', 'B'], ['Bond', 'C'], ['Bond', 'D']].map(([provider, name]) =>
    ({ ...row, offering: { ...row.offering, provider, name }, ...name === 'C' ? {} : { instances: null, why } }))
  t.match(sentencesOf({ ...sizing, table }, 'plans').join(' '),
    'Excluded: all of Acme and Bond D, because no CPU is promised.')
})

t.test('a terminal shows the cheapest offering of each provider when there are many, the page shows all', async t => {
  const rows = Array.from({ length: 40 }, (_, i) =>
    ({ ...row, offering: { ...row.offering, provider: i % 2 ? 'Acme' : 'Bond', name: `P${i}` }, monthly: 10 + i }))
  const table = findTable({ ...sizing, table: rows }, 'plans')
  t.strictSame(table.shown?.map(({ offering }) => offering.name), ['P0', 'P1'])
  t.strictSame(table.rows, rows)
  t.match(sentencesOf({ ...sizing, table: rows }, 'plans').join(' '),
    'A terminal shows those of the answer and the cheapest of each provider; the report page shows all.')
})

t.test('the short report has the offerings of the answer, with marks, within 80 columns', async t => {
  const cheap = Array.from({ length: 12 }, (_, i) => ({
    ...row,
    offering: { ...assumed, provider: `P${i}`, secondary: true, class: /** @type {const} */ ('vm') },
    monthly: i,
    total: i
  }))
  const named = {
    ...row, offering: { ...row.offering, name: 'Named', class: /** @type {const} */ ('vm') }, monthly: 99, total: 99
  }
  /** @type {Parameters<typeof findTable>} */
  const place = [{ ...sizing, table: [...cheap, named] }, 'plans', { isBrief: true }]
  const lines = textTable(findTable(...place), toStyle(80))
  t.equal(lines.filter(line => / ‡ +0\.07 to 0\.64 † \*/.test(line)).length, 7)
  t.ok(lines.some(line => line.startsWith('Acme Named ')))
  t.match(sentencesOf(...place).join(' '), '‡: a figure quoted by a third party')
  for (const line of lines) t.ok([...line].length <= 80, line)
})

t.test('explains the capacity, a leak, a disturbed share and a load profile', async t => {
  const words = (/** @type {Partial<Sizing['topologies'][0]>} */ more, goal = sizing.goal) =>
    sentencesOf({ ...sizing, goal, topologies: [{ ...topology, ...more }] }, 'capacity').join(' ')
  t.match(words({}), /half of the 3 s windows meet the goal/)
  t.match(words({}, { ...sizing.goal, confidence: 0.95 }), /95 % of the 3 s windows meet the goal\./)
  const soak = { seconds: 600, rate: 1500, points: [], slope: 900, low: 850, high: 960, leaks: true }
  t.match(words({ soak }), /in 10 min at half its capacity memory grew by 900 MiB an hour \(850 to 960\): it leaks/)
  const micros = { load: 0, proxy: 0, server: 1 }
  const point = { share: 0.9, rate: 900, latencyMs: null, cores: 1, micros, invalid: null }
  const curve = [{ ...point, disturbed: true, trials: 3, p99Range: { low: 40, high: 394 } }]
  t.match(words({ curve }), /at 90 % of its capacity the machine was disturbed/)
  t.match(words({ curve }), /at its capacity 150 requests are in flight if each takes as long as the goal\. Kits/)
  const latencyMs = { p50: 8, p90: 20, p95: 30, p99: 40, max: 60, rate: 900, source: 'paced' }
  t.match(words({ curve: [{ ...point, latencyMs }] }), /, and 18 at 90 % of it by the p90 there\./)
  t.match(tableOf({ ...sizing, topologies: [{ ...topology, curve }] }, 'capacity-steps').rows[0].join('|'),
    /40\.0 to 394 in 3\|disturbed/)
  const profile = { name: 'office', shares: [1, 0.5] }
  t.match(answerSizing({ ...sizing, goal: { ...sizing.goal, profile } }), /at the peak of the day "office"/)
})

t.test('prints what a proxy in front costs or saves, in instances and in money', async t => {
  const alone = { ...topology, spec: 'express-json', topology: parse('express-json') }
  const compare = (/** @type {number} */ monthly, /** @type {number} */ instances) => {
    /** @type {PriceRow[]} */
    const table = [{ ...row, total: monthly, instances }, {
      ...row, topology: 'express-json', total: 21, instances: 3
    }]
    return sentencesOf({ ...sizing, topologies: [topology, alone], table }, 'capacity').join(' ')
  }
  t.match(compare(14, 2),
    /nginx:uds in front of express-json saves \$7 a month on Acme .*: 2 instead of 3 instances\./)
  t.match(compare(28, 4), /costs \$7 a month/)
  t.match(compare(21, 3), /costs as much/)
  t.notMatch(sentencesOf(sizing, 'capacity').join(' '), / in front of /, 'a comparison requires both')
})
