import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { usableShare } from '../../bench/studies/sizing/quota.js'
import { concurrencyFor } from '../../bench/studies/sizing/concurrency.js'
import { capacityUnder, growthOf, microsOf, usageOf } from '../../bench/studies/sizing/cost.js'
import { priceTable, withoutRefuted } from '../../bench/studies/sizing/price.js'
import { meanShare, PROFILES, readProfile } from '../../bench/studies/sizing/profile.js'
import { scalingOf } from '../../bench/studies/sizing/scaling.js'
import { canVerify, toVerify } from '../../bench/studies/sizing/verify.js'
import { parse } from '../../bench/plan/word.js'
import { makePlan, measured, USAGES } from '../support/offerings.js'
import { makeSample } from '../support/record.js'

/** @import { Offering } from '../../bench/types.js' */

t.test('a quota allows as many requests as their CPU time fits into it', async t => {
  const half = capacityUnder(0.5, USAGES, 5000)
  t.equal(half.quota, true)
  t.ok(Math.abs(half.rate - 2500) < 1e-6, 'at a measured point')
  t.ok(Math.abs(capacityUnder(0.65, USAGES, 5000).rate - 3750) < 1e-6, 'halfway between two')
  t.ok(Math.abs(capacityUnder(0.1, USAGES, 5000).rate - 500) < 1e-6, 'below the first')
  t.match(capacityUnder(2, USAGES, 5000), { rate: 5000, quota: false }, 'more than is used limits nothing')
})

t.test('a quota that is used unevenly cannot be used to its end; all cores are no quota', async t => {
  const uneven = { cores: 1, burst: 0.0014, pause: 0.02, delay: 0.05 }
  const { rate, quota, usable } = capacityUnder(0.25, USAGES, 5000, uneven)
  t.equal(quota, true)
  t.equal(usable, usableShare({ ...uneven, cpu: 0.25, cost: 0.0002, batch: 0.8 }),
    'by what a request costs there, and how much less it costs with others')
  t.ok(Math.abs(rate - 1250 * usable) < 1e-6, 'as many as that share is good for')
  t.match(capacityUnder(1, USAGES, 5000, uneven), { rate: 5000, quota: false, usable: 1 })
  t.match(capacityUnder(0.25, [{ rate: 1000, cores: 0.24 }], 1050, uneven), { quota: true },
    'what is not used up on average is used up in bursts')
  t.match(capacityUnder(0.25, [{ rate: 1000, cores: 0.05 }], 1050, uneven), { rate: 1050, quota: false },
    'and not where there is room')
  const row = (/** @type {number | null} */ burst) =>
    priceTable({ topologies: [{ ...measured, burst, pause: 0.02 }], plans: [makePlan({ vcpu: 0.25 })], rate: 1000 })[0]
  t.ok(Number(row(0.0014).perInstance) < Number(row(null).perInstance))
  t.match([row(0.0014).usable, row(null).usable], [usable, 1])
})

t.test("a provider's own period counts", async t => {
  const at = (/** @type {Offering['burst']} */ burst) =>
    Number(priceTable({
      topologies: [{ ...measured, burst: 0.0014, pause: 0.02 }],
      plans: [makePlan({ vcpu: 0.25, burst })],
      rate: 1000
    })[0].perInstance)
  t.not(at({ periodMs: 40, rule: 'a short one' }), at({ rule: "the kernel's" }))
})

t.test('a trial that was lucky does not make more requests cost less', async t => {
  const { rate } = capacityUnder(0.5, [{ rate: 1000, cores: 0.6 }, { rate: 2000, cores: 0.4 }, {
    rate: 3000,
    cores: 0.9
  }], 3000)
  t.ok(rate <= 1000)
})

t.test('cost and usage are those of a sample', async t => {
  const sample = makeSample({
    requests: 1000,
    seconds: 2,
    rps: 500,
    cpuSeconds: { load: 0.1, proxy: 0.2, server: 0.3, idle: 0 }
  })
  t.same(usageOf(sample), { rate: 500, cores: 0.25 })
  const { load, proxy, server } = microsOf(sample)
  t.same([load, proxy, server].map(Math.round), [100, 200, 300])
})

t.test('growth is a straight line by least squares', async t => {
  const { base, slope } = growthOf([{ x: 0, micros: 100 }, { x: 10, micros: 118 }, { x: 20, micros: 142 }])
  t.ok(Math.abs(slope - 2.1) < 1e-9 && Math.abs(base - 99) < 1e-9)
})

t.test('processes: as many as memory holds and cores can run, beside the rule of thumb', async t => {
  const process = { processMiB: 80, besideMiB: 20 }
  t.same(concurrencyFor({ vcpu: 0.5, memoryMiB: 512 }, process), { workers: 1, limit: 'cpu', rule: 1 })
  t.same(concurrencyFor({ vcpu: 2, memoryMiB: 2560 }, process), { workers: 2, limit: 'cpu', rule: 5 },
    'the rule sets five on two cores')
  t.same(concurrencyFor({ vcpu: 8, memoryMiB: 512 }, process), { workers: 4, limit: 'memory', rule: 1 })
  t.same(concurrencyFor({ vcpu: 1, memoryMiB: 100 }, process), { workers: 0, limit: 'memory', rule: 1 })
})

t.test('the cheapest comes first, with headroom and two instances at least', async t => {
  const plans = [makePlan(), makePlan({ plan: 'Half', vcpu: 0.5, price: 4 }),
    makePlan({ plan: 'Big', vcpu: 4, price: 40 })]
  const rows = priceTable({ topologies: [measured], plans, rate: 7000, headroom: 0.3 })
  t.same(rows.map(({ plan, instances, monthly }) => [plan.plan, instances, monthly]), [['Half', 4, 16], ['One', 2,
    20], ['Big', 2, 80]])
  const half = rows.find(({ plan }) => plan.plan === 'Half')
  t.match(half, { limit: 'quota', atLeast: false, why: null })
  t.ok(Math.abs(Number(half?.perThousand) - 4 / Number(half?.perInstance) * 1000) < 1e-9)
  t.match(rows.find(({ plan }) => plan.plan === 'Big'), { limit: 'goal', atLeast: true, perInstance: 5000 },
    'more cores than were at hand may do more')
  t.match(priceTable({ topologies: [measured], plans, rate: 1, headroom: 0.3 }).map(({ instances }) => instances), [2,
    2, 2], 'one may fail')
})

t.test('what is verified is the cheapest that has a price and a promise of CPU, on as many cores as it ' +
  'has', async t => {
  const plans = [makePlan({ plan: 'No CPU', vcpu: null, price: 1 }), makePlan({ plan: 'No price', price: null }),
    makePlan(), makePlan({ plan: 'Big', vcpu: 4, price: 40 })]
  const table = (/** @type {Offering[]} */ plans) =>
    priceTable({ topologies: [measured], plans, rate: 1000, headroom: 0.3 })
  t.match(toVerify(table(plans), { rate: 1000, cores: 1 }), { plan: { plan: 'One' } })
  t.throws(() => toVerify(table(plans.slice(0, 2)), { rate: 1000, cores: 1 }), {
    code: 'nothing-to-verify',
    exit: 1,
    message: /Acme No price: its provider publishes no price; Acme No CPU: no CPU is promised\.$/
  })
  t.throws(() => toVerify(table(plans.slice(3)), { rate: 1000, cores: 1 }), {
    code: 'no-limits',
    message: /Acme Big has 4 cores, and this machine has 1/,
    remedy: /more cores/
  })
})

t.test('a plan that did not hold the goal makes room for the next one, and says why', async t => {
  const rows = priceTable({ topologies: [measured], plans: [makePlan(), makePlan({ plan: 'Two', price: 8 })], rate: 1 })
  const [{ topology }] = rows
  const left = withoutRefuted(rows, [{ plan: 'Acme One', topology }])
  t.match(left.map(({ plan, instances }) => [plan.plan, instances]), [['Two', 2], ['One', null]])
  t.match(left[1], { monthly: null, why: /did not hold the goal/ })
  t.ok(canVerify(left, 1))
  t.notOk(canVerify(left, 0.5), 'on fewer cores than it has')
  t.notOk(canVerify(withoutRefuted(left, [{ plan: 'Acme Two', topology }]), 1), 'none is left')
  t.strictSame(withoutRefuted(rows, [{ plan: 'Acme One', topology: 'another' }]), rows)
})

t.test('topologies compete in the same table', async t => {
  const fast = {
    ...measured,
    word: 'nginx:uds/express-json',
    capacity: 9000,
    usages: USAGES.map(({ rate, cores }) => ({ rate: 2 * rate, cores }))
  }
  const [first] = priceTable({ topologies: [measured, fast], plans: [makePlan()], rate: 30_000, headroom: 0.3 })
  t.equal(first.topology, fast.word)
})

t.test('what is inconclusive is not guessed, and comes last', async t => {
  const plans = [makePlan({ plan: 'No CPU', vcpu: null }), makePlan({ plan: 'No room', memoryMiB: 64 }),
    makePlan({ plan: 'No price', price: null }), makePlan()]
  const rows = priceTable({ topologies: [measured], plans, rate: 100, headroom: 0.3 })
  t.same(rows.map(({ plan }) => plan.plan), ['One', 'No price', 'No CPU', 'No room'])
  t.match(rows[1], { instances: 2, monthly: null, why: /no price/ })
  t.match(rows[2], { instances: null, why: 'no CPU is promised' })
  t.match(rows[3], { instances: null, why: /memory is too small for the 100 MiB/ })
})

t.test('a day has its peak and its mean; a list of rates is as good as shares', async t => {
  t.equal(meanShare(readProfile()), 1)
  for (const name of PROFILES) {
    const { shares } = readProfile(name)
    t.equal(Math.max(...shares), 1, name)
    t.ok(Math.min(...shares) > 0)
  }
  const file = join(t.testdir({ 'day.json': '[10, 40, 20, 10]' }), 'day.json')
  t.same(readProfile(file).shares, [0.25, 1, 0.5, 0.25])
  t.equal(meanShare(readProfile(file)), 0.5)
  for (const [text, why] of [['[0, 0]', /no peak/], ['[]', /no peak/], ['{}', /no list/], ['[1, -1]', /no list/],
    ['[', /not JSON/]]) {
    writeFileSync(file, /** @type {string} */ (text))
    t.throws(() => readProfile(file), { code: 'bad-profile', message: why })
  }
  t.throws(() => readProfile('weekend'), { code: 'bad-profile', message: /none of the names/ })
})

/** Half of the day at the peak, half at a quarter of it. */
const PROFILE = { name: 'test', shares: [1, 0.25] }

t.test('instances follow the load where their provider lets them, and never below the fewest', async t => {
  const at = (/** @type {Partial<Offering>} */ plan, fewest = 1) =>
    priceTable({
      topologies: [measured], plans: [makePlan(plan)], rate: 14_000, headroom: 0.3, fewest, profile: PROFILE
    })[0]
  t.match(at({}), { instances: 4, meanInstances: 4, monthly: 40 })
  t.match(at({ autoscales: true }), { instances: 4, meanInstances: 2.5, monthly: 25 })
  t.match(at({ autoscales: true }, 2), { instances: 4, meanInstances: 3, monthly: 30 })
})

t.test('no more instances than there may be', async t => {
  const at = (/** @type {object} */ wish, /** @type {Partial<Offering>} */ plan = {}) =>
    priceTable({ topologies: [measured], plans: [makePlan(plan)], rate: 14_000, headroom: 0.3, ...wish })[0]
  t.match(at({ most: 3 }), { instances: null, why: '--max allows no more than 3 of it' })
  t.match(at({ most: 4 }), { instances: 4 })
  t.match(at({}, { most: 2 }), { instances: null, why: 'there may be no more than 2 of it' })
})

t.test('what is sold by use is a month of it', async t => {
  const use = { vcpuSecond: 0.00001, gibSecond: 0.000002, billed: /** @type {const} */ ('running') }
  const at = (/** @type {Partial<Offering>} */ plan, profile = { name: 'constant', shares: [1] }) =>
    priceTable({
      topologies: [{ ...measured, bytesPerResponse: 1000 }],
      plans: [makePlan({ price: null, ...plan })],
      rate: 5000,
      headroom: 0.3,
      fewest: 2,
      profile
    })[0]
  const month = 730 * 3600
  /** @param {number | null | undefined} found @param {number} wanted @param {string} what */
  const near = (found, wanted, what) =>
    t.ok(Math.abs(Number(found) / wanted - 1) < 1e-9, `${what}: ${found}, ${wanted}`)
  near(at({ use }).monthly, 2 * month * (0.00001 + 0.000002), 'all of an instance while it runs')
  near(at({ use: { ...use, millionRequests: 0.4 } }).monthly, 2 * month * 0.000012 + 5000 * month * 0.4 / 1e6,
    'requests beside it')
  near(at({ use: { ...use, millionRequests: 0.4 } }, PROFILE).monthly,
    2 * month * 0.000012 + 0.625 * 5000 * month * 0.4 / 1e6, 'of a day that is not all peak')
  near(at({ use: { ...use, freeVcpuSeconds: month } }).monthly, month * 0.00001 + 2 * month * 0.000002, 'a free part')
  near(at({ use: { ...use, billed: 'used' } }).monthly,
    5000 * month * 0.0002 * 0.00001 + 2 * month * 100 / 1024 * 0.000002, 'what its processes use')
  t.equal(at({ use: { ...use, least: 1e6 } }).monthly, 1e6, 'and a least price')
  near(at({ use, egress: { perGb: 0.02 } }).egress, 5000 * month * 1000 / 1e9 * 0.02, 'what is sent')
  t.equal(at({ use }).egress, null, 'which not every provider states')
})

t.test('prices of different currencies are put in order by their worth', async t => {
  const rows = priceTable({
    topologies: [measured],
    rate: 1000,
    plans: [makePlan({ plan: 'Euro', currency: 'EUR', price: 9.5 }), makePlan({ plan: 'Dollar', price: 10 })]
  })
  t.same(rows.map(({ plan }) => plan.plan), ['Dollar', 'Euro'])
})

t.test('two processes say what larger plans are worth, and no more than twice as many', async t => {
  const topology = { ...measured, cores: 2, more: [{ processes: 2, rate: 9000 }] }
  const at = (/** @type {number} */ vcpu) =>
    priceTable({ topologies: [topology], plans: [makePlan({ vcpu, memoryMiB: 65536 })], rate: 1000 })[0]
  t.match(at(2), { perInstance: 9000, atLeast: false })
  // 2 do 1.8 times as much: a ninth is serial.
  const four = 5000 * 4 / (1 + 3 / 9)
  t.ok(Math.abs(Number(at(4).perInstance) - four) < 1e-6)
  t.equal(at(4).atLeast, false)
  t.ok(Math.abs(Number(at(16).perInstance) - four) < 1e-6, 'beyond that there is no estimate')
  t.equal(at(16).atLeast, true)
})

t.test('scaling: four topologies that differ in their number of processes only', async t => {
  const sized = (/** @type {string} */ word, /** @type {number} */ rate, atLeast = false, cores = 8) => ({
    word,
    topology: parse(word),
    cores,
    capacity: { rate, atLeast }
  })
  const rateOf = (/** @type {number} */ n) => 1000 * n / (1 + 0.1 * (n - 1))
  const family = [1, 2, 3, 4].map(n => sized(`nginx:uds/express-json@cluster:${n}`, rateOf(n)))
  const [scaling, ...others] = scalingOf([...family, sized('express-json', 900), sized('express-json@cluster:2', 1500)])
  t.same(others, [])
  t.match(scaling, { family: 'nginx:uds/express-json@cluster:N', predicted: { n: 8 }, refused: null })
  t.ok(Math.abs(Number(scaling.usl?.sigma) - 0.1) < 1e-6)
  t.ok(Math.abs(Number(scaling.predicted?.x) - 8000 / 1.7) < 1e-3)
  t.same(scalingOf(family.slice(1)), [], 'three are too few')
  t.same(scalingOf([...family.slice(1), sized('nginx:uds/express-json@cluster:1', 1000, true)]), [],
    'and so is one that the generator held back')
  const [turns] = scalingOf([1, 2, 4, 8].map(n => sized(`http-json@cluster:${n}`, 1000, false, 1)))
  t.match(turns, { usl: null, predicted: null, refused: /^1 of the machine's cores served/ },
    'eight processes on one core say nothing of eight cores')
  const six = [1, 2, 3, 4, 6, 8].map(n => sized(`http-json@cluster:${n}`, n > 4 ? 100 : rateOf(n), false, 4))
  t.match(scalingOf(six), [{ points: { length: 6 }, predicted: { n: 8 } }], 'those with a core each are fitted')
  t.ok(Math.abs(Number(scalingOf(six)[0].usl?.sigma) - 0.1) < 1e-6)
})
