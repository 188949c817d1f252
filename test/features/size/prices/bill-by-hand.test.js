/** Bills of a month that were computed by hand from the figures in bench/features/size/offerings/. */
import t from '../../../support/tap.js'
import { computeBill } from '../../../../bench/features/size/prices/bill.js'
import { billText, listText } from '../../../../bench/features/size/prices/offering-words.js'
import { findOffering, getCores, readOfferings } from '../../../../bench/features/size/prices/offerings.js'
import { makeOffering, measured, OWN_TARGET, price } from '../../../support/offerings.js'

/** @import { Offering } from '../../../../bench/types.js' */

/**
 * Three instances serve 1,000 requests a second all month: 2,628,000,000 requests in 730 hours (2,628,000 s). With
 * 1,000 bytes in each response 2,628 GB are sent. The instances run for 3 × 730 = 2,190 hours = 7,884,000 s. A request
 * uses 0.2 ms of CPU time, an instance 100 MiB.
 */
const LOAD = {
  profile: { name: 'constant', shares: [1] },
  rate: 1000,
  countAt: () => 3,
  cpuSeconds: 0.0002,
  memoryMiB: 100,
  bytes: 1000
}

/**
 * Bills by offering: instances with what is paid once a month, traffic (null: no published price), and the total.
 * @type {Record<string, { monthly: number, egress: number | null, total: number | null }>}
 */
const BILLS = {
  // CPU 2,190 h × $0.064 = 140.16, memory 4,380 GB-hours × $0.007 = 30.66; (2,628 − 100) GB × $0.09 = 227.52.
  'AWS App Runner 1 vCPU 2 GB': { monthly: 170.82, egress: 227.52, total: 398.34 },
  // 2,190 h × $0.0168 = 36.792, load balancer 16.43; (2,628 − 100) GB × $0.098 = 247.744.
  'AWS EC2 t4g.small': { monthly: 53.22, egress: 247.74, total: 300.97 },
  // CPU 2,190 h × $0.04048 = 88.6512, memory 4,380 GB-hours × $0.004445 = 19.4691, load balancer 16.43; as above.
  'AWS Fargate 1 vCPU 2 GB': { monthly: 124.55, egress: 247.74, total: 372.29 },
  // 3 × $13.14 = 39.42; (2,628 − 100) GB × $0.087 = 219.936.
  'Azure App Service B1': { monthly: 39.42, egress: 219.94, total: 259.36 },
  // CPU (7,884,000 − 180,000) s × $0.000034 = 261.936, memory (15,768,000 − 360,000) GiB-seconds × $0.000004 = 61.632,
  // (2,628 − 2) million requests × $0.56 = 1,470.56; traffic as above.
  'Azure Container Apps 1 vCPU 2 GiB': { monthly: 1794.13, egress: 219.94, total: 2014.06 },
  // 2,190 h × EUR 0.02222222 = 48.6666618.
  'Clever Cloud XS': { monthly: 48.67, egress: null, total: null },
  // 3 × $34 = 102; 2,628 GB are 2,447.52 GiB, (2,447.52 − 3 × 200) × $0.02 = 36.95.
  'DigitalOcean Dedicated 1 vCPU 1GB': { monthly: 102, egress: 36.95, total: 138.95 },
  // 2,190 h × $0.0458352 = 100.379088; 2,628 GB × $0.02 = 52.56.
  'Fly.io performance-1x 2GB': { monthly: 100.38, egress: 52.56, total: 152.94 },
  // By instance: CPU (7,884,000 − 240,000) s × $0.000018 = 137.592, memory (3,942,000 − 450,000) GiB-seconds ×
  // $0.000002 = 6.984, together 144.576. By request it would be 184.896 + 8.955 + 2,626 × $0.40 = 1,244.25.
  // Traffic: (2,628 − 1.07) GB × $0.11175871 = 293.582308.
  'Google Cloud Run 1 vCPU 512 MiB': { monthly: 144.58, egress: 293.58, total: 438.16 },
  // 3 × $250.
  'Heroku Performance-M': { monthly: 750, egress: null, total: null },
  // 3 × $80 = 240, Private Space 1,000.
  'Heroku Fir dyno-1c-4gb': { monthly: 1240, egress: null, total: null },
  // 3 × EUR 5.99 = 17.97, load balancer 7.49; 20 TB of the balancer are included.
  'Hetzner Cloud CX23': { monthly: 25.46, egress: 0, total: 25.46 },
  // 2,190 h × $0.0036 = 7.884, which the $10 of the subscription's $29 pay for; (2,628 − 1,000) GB × $0.02 = 32.56.
  'Koyeb eco-micro': { monthly: 29, egress: 32.56, total: 61.56 },
  // 2,190 h × $0.0144 = 31.536, less 10, subscription 29; traffic as above.
  'Koyeb small': { monthly: 50.54, egress: 32.56, total: 83.1 },
  // 3 × $5 = 15, NodeBalancer 10; 3 × 1,000 GB are included.
  'Linode Shared 1GB': { monthly: 25, egress: 0, total: 25 },
  // 2,190 h × $0.025 = 54.75; 2,628 GB × $0.06 = 157.68.
  'Northflank nf-compute-100-1': { monthly: 54.75, egress: 157.68, total: 212.43 },
  // CPU 2,628,000,000 × 0.0002 s × $0.00000771667 = 4.05588, memory 3 × 100 / 1,024 GiB × 2,628,000 s × $0.00000385 =
  // 2.9642, together 7.02. With 2,447.516 GiB × $0.05 = 122.376 they are more than the minimum of $20.
  'Railway 1 vCPU 1 GB': { monthly: 7.02, egress: 122.38, total: 129.4 },
  // 3 × $7 = 21; 2,628 GB × $0.15 = 394.20.
  'Render Starter': { monthly: 21, egress: 394.2, total: 415.2 },
  // CPU (7,884,000 − 200,000) s × EUR 0.00001 = 76.84, memory (3,942,000 − 400,000) GB-seconds × EUR 0.000001 = 3.542.
  'Scaleway 1 vCPU 512 MB': { monthly: 80.38, egress: 0, total: 80.38 }
}

const cents = (/** @type {number | null} */ amount) => amount === null ? null : Math.round(amount * 100) / 100

for (const [name, bill] of Object.entries(BILLS)) {
  t.test(`the bill of ${name} agrees with the one by hand to the cent`, async t => {
    const offering = findOffering(readOfferings(), name)
    const { monthly, egress, total } = computeBill(offering, getCores(offering) ?? 0, LOAD)
    t.same({ monthly: cents(monthly), egress: cents(egress), total: cents(total) }, bill)
  })
}

t.test('every provider has a bill by hand', async t => {
  const billed = Object.keys(BILLS)
  for (const provider of new Set(readOfferings().map(({ provider }) => provider))) {
    t.ok(billed.some(name => name.startsWith(`${provider} `)), provider)
  }
})

t.test('requests of a day follow its profile', async t => {
  const use = { vcpuSecond: 0, gibSecond: 0, millionRequests: 0.4, billed: /** @type {const} */ ('running') }
  const profile = { name: 'test', shares: [1, 0.25] }
  const { monthly } = computeBill(makeOffering({ price: null, use }), 1, { ...LOAD, profile })
  // 0.625 × 2,628 million requests × $0.40.
  t.equal(cents(monthly), 657)
})

t.test('a balancer is paid for from two instances on, a subscription from the first one on', async t => {
  const linode = findOffering(readOfferings(), 'Linode Dedicated 4GB')
  const monthly = (/** @type {Offering} */ offering, /** @type {number} */ instances) =>
    computeBill(offering, 1, { ...LOAD, countAt: () => instances }).monthly
  t.same([monthly(linode, 1), monthly(linode, 2)], [36, 82])
  t.equal(monthly(findOffering(readOfferings(), 'Heroku Fir dyno-1c-4gb'), 1), 1080)
  const topologies = [{ ...measured, bytesPerResponse: 1000 }]
  const [row] = price([linode], { topologies, rate: 100, spare: 0 })
  t.equal(billText(row), '$36 a month: 1 × $36 and traffic included')
  t.match(listText([linode]).replaceAll(/\s+/g, ' '),
    'Linode: $10 a month for a NodeBalancer, from 2 instances on.')
})

t.test('of two ways of billing the cheaper total counts, in which a minimum may be', async t => {
  const billed = /** @type {const} */ ('running')
  // 7,884,000 s × 1 core: at $0.000001 they are 7.884, and $50 at least; at $0.000002 they are 15.768.
  const use = [
    { vcpuSecond: 0.000001, gibSecond: 0, billed, least: 50 },
    { vcpuSecond: 0.000002, gibSecond: 0, billed }
  ]
  const { monthly, total } = computeBill(makeOffering({ price: null, use, egress: { perGb: 0 } }), 1, LOAD)
  t.same([monthly, total].map(cents), [15.77, 15.77])
})

t.test('the price per 1,000 requests a second has the traffic, and not what is paid once', async t => {
  const plusMonthly = { price: 90, why: 'a balancer' }
  const [row] = price([makeOffering({ egress: { perGb: 0.02 }, plusMonthly })], {
    topologies: [{ ...measured, bytesPerResponse: 1000 }], rate: 1000
  })
  // An instance serves 5,000: 5,000 × 1,000 bytes × 2,628,000 s = 13,140 GB, × $0.02 = $262.80; ($10 + $262.80) / 5.
  t.equal(Number(row.perThousand).toFixed(4), '54.5600')
})

t.test('traffic that leaves through a balancer is free by its allowance, not by those of the instances', async t => {
  // 2,628 GB are sent. One instance: its 1,000 GB are free. Three: the 1,500 GB of the balancer, not 3 × 1,000.
  const plusMonthly = { price: 10, from: 2, includedGb: 1500, why: 'a balancer' }
  const offering = makeOffering({ egress: { perGb: 0.01 }, includedGb: 1000, plusMonthly })
  const egressOf = (/** @type {number} */ instances) =>
    computeBill(offering, 1, { ...LOAD, countAt: () => instances }).egress
  t.same([1, 3].map(egressOf).map(cents), [16.28, 11.28])
})

t.test('at any time of a day losing an instance still meets the goal', async t => {
  const [row] = price([makeOffering({ autoscales: OWN_TARGET })], {
    topologies: [{ ...measured, capacity: 1000, usages: [{ rate: 1000, cores: 0.5 }] }],
    rate: 14_000,
    profile: { name: 'test', shares: [1, 0.08] }
  })
  // At the peak ⌈14,000 / 600⌉ = 24 instances of 1,000 each. At 1,120 a second 1 + ⌈1.12⌉ = 3, not ⌈0.08 × 24⌉ = 2.
  t.match(row, { perInstance: 1000, instances: 24, meanInstances: 13.5, monthly: 135 })
})
