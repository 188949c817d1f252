import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { capacityUnder, fitSlope, toMicros, toUsage, usableShare } from '../../../bench/features/size/capacity/cost.js'
import { adviseFor } from '../../../bench/features/size/prices/instance.js'
import { withoutRefuted } from '../../../bench/features/size/prices/price.js'
import { PROFILES, readProfile } from '../../../bench/features/size/capacity/profile.js'
import { fitScaling } from '../../../bench/features/size/capacity/scaling.js'
import { findNext } from '../../../bench/features/size/emulate.js'
import { PROJECT } from '../../../bench/plan/plugins.js'
import { parse } from '../../../bench/plan/spec.js'
import { makeOffering, measured, price, priceOne, USAGES } from '../../support/offerings.js'
import { makeSample } from '../../support/record.js'

/** @import { Offering } from '../../../bench/types.js' */

const common = { topologies: [measured], headroom: 0.3, rate: 1000 }
/** @type {(offerings: Offering[], more?: Parameters<typeof price>[1]) => ReturnType<typeof price>} */
const table = (offerings, more) => price(offerings, { ...common, ...more })
/** @type {(offering: Partial<Offering>, more?: Parameters<typeof price>[1]) => ReturnType<typeof priceOne>} */
const at = (offering, more) => priceOne(offering, { ...common, ...more })

t.test('a quota limits the rate to the requests whose CPU time fits into it', async t => {
  const half = capacityUnder(0.5, USAGES, 5000)
  t.equal(half.quota, true)
  t.ok(Math.abs(half.rate - 2500) < 1e-6, 'at a measured point')
  t.ok(Math.abs(capacityUnder(0.65, USAGES, 5000).rate - 3750) < 1e-6, 'halfway between two')
  t.ok(Math.abs(capacityUnder(0.1, USAGES, 5000).rate - 500) < 1e-6, 'below the first')
  t.match(capacityUnder(2, USAGES, 5000), { rate: 5000, quota: false }, 'above the measured usage there is no limit')
})

t.test('uneven use makes a part of a quota unusable, and a quota of all cores is no limit', async t => {
  const uneven = { cores: 1, burst: 0.0014, pause: 0.02, delay: 0.05 }
  const { rate, quota, usable } = capacityUnder(0.25, USAGES, 5000, uneven)
  t.equal(quota, true)
  t.equal(usable, usableShare({ ...uneven, cpu: 0.25, cost: 0.0002, batch: 0.8 }),
    'computed from the cost of a request there and from its cost in a batch')
  t.ok(Math.abs(rate - 1250 * usable) < 1e-6, 'the rate that the usable share serves')
  t.match(capacityUnder(1, USAGES, 5000, uneven), { rate: 5000, quota: false, usable: 1 })
  t.match(capacityUnder(0.25, [{ rate: 1000, cores: 0.24 }], 1050, uneven), { quota: true },
    'bursts use up a quota that the mean does not use up')
  t.match(capacityUnder(0.25, [{ rate: 1000, cores: 0.05 }], 1050, uneven), { rate: 1050, quota: false },
    'unless the quota is far above the mean')
  const row = (/** @type {number | null} */ burst) =>
    at({ vcpu: 0.25 }, { topologies: [{ ...measured, burst, pause: 0.02 }] })
  t.ok(Number(row(0.0014).perInstance) < Number(row(null).perInstance))
  t.match([row(0.0014).usable, row(null).usable], [usable, 1])
})

t.test("the length of a provider's quota period changes the estimate", async t => {
  const [short, usual] = [{ periodMs: 40, rule: 'a short one' }, { rule: "the kernel's" }].map(burst =>
    at({ vcpu: 0.25, burst }, { topologies: [{ ...measured, burst: 0.0014, pause: 0.02 }] }).perInstance)
  t.not(short, usual)
})

t.test('an outlier does not make more requests use fewer cores', async t => {
  const { rate } = capacityUnder(0.5, [{ rate: 1000, cores: 0.6 }, { rate: 2000, cores: 0.4 }, {
    rate: 3000,
    cores: 0.9
  }], 3000)
  t.ok(rate <= 1000)
})

t.test('computes CPU usage and CPU time per request of a sample', async t => {
  const sample = makeSample({
    requests: 1000,
    seconds: 2,
    rps: 500,
    cpuSeconds: { load: 0.1, proxy: 0.2, server: 0.3, idle: 0 }
  })
  t.same(toUsage(sample), { rate: 500, cores: 0.25 })
  const { load, proxy, server } = toMicros(sample)
  t.same([load, proxy, server].map(Math.round), [100, 200, 300])
})

t.test('fits the slope of a straight line by least squares', async t => {
  const slope = fitSlope([{ x: 0, micros: 100 }, { x: 10, micros: 118 }, { x: 20, micros: 142 }])
  t.ok(Math.abs(slope - 2.1) < 1e-9)
})

t.test('advises as many processes as fit into the memory and have a core, beside the rule of thumb', async t => {
  const measured = { processMiB: 80, memoryMiB: 100 }
  t.same(adviseFor({ memoryMiB: 512 }, 0.5, measured), { workers: 1, limit: 'cpu', rule: 1 })
  t.same(adviseFor({ memoryMiB: 2560 }, 2, measured), { workers: 2, limit: 'cpu', rule: 5 },
    'the rule of thumb starts five on two cores')
  t.same(adviseFor({ memoryMiB: 512 }, 8, measured), { workers: 4, limit: 'memory', rule: 1 })
  t.same(adviseFor({ memoryMiB: 100 }, 1, measured), { workers: 0, limit: 'memory', rule: 1 })
})

t.test('sorts the table by price, with headroom and with one instance more than the load needs', async t => {
  const offerings = [makeOffering(), makeOffering({ name: 'Half', vcpu: 0.5, price: 4 }),
    makeOffering({ name: 'Big', vcpu: 4, price: 40 })]
  const rows = table(offerings, { rate: 7000 })
  const figures = rows.map(({ offering, instances, monthly }) => [offering.name, instances, monthly])
  t.same(figures, [['Half', 4, 16], ['One', 3, 30], ['Big', 2, 80]])
  const half = rows.find(({ offering }) => offering.name === 'Half')
  t.match(half, { limit: 'quota', atLeast: false, why: null })
  t.equal(half?.perThousand, null, 'the price of traffic is unknown')
  const big = rows.find(({ offering }) => offering.name === 'Big')
  t.match(big, { limit: 'goal', atLeast: false, scaling: 'law', portability: 'assumed' })
  t.equal(Math.round(Number(big?.perInstance)), 13972)
  const few = table(offerings, { rate: 1 })
  t.match(few.map(({ instances }) => instances), [2, 2, 2], 'one may fail')
  const none = table(offerings, { rate: 7000, spare: 0 })
  t.match(none.map(({ instances }) => instances), [4, 2, 1], 'without a spare one')
})

t.test('emulates the cheapest offering with a price and a promised CPU, if the machine has its cores', async t => {
  const all = [makeOffering({ name: 'No CPU', vcpu: null, price: 1 }), makeOffering({ name: 'No price', price: null }),
    makeOffering(), makeOffering({ name: 'Big', vcpu: 4, price: 40 })]
  t.match(findNext(table(all), { rate: 1000, cores: 1 }), { offering: { name: 'One' } })
  t.throws(() => findNext(table(all.slice(0, 2)), { rate: 1000, cores: 1 }), {
    code: 'nothing-to-emulate',
    exit: 1,
    message: /Acme No price: its provider publishes no price; Acme No CPU: no CPU is promised\.$/
  })
  t.throws(() => findNext(table(all.slice(3)), { rate: 1000, cores: 1 }), {
    code: 'no-limits',
    message: /Acme Big has 4 cores, and this machine has 1/,
    remedy: /more cores/
  })
})

t.test('an offering that did not hold the goal moves to the end of the table with a reason', async t => {
  const offerings = [makeOffering(), makeOffering({ name: 'Two', price: 8 })]
  const rows = table(offerings, { rate: 1 })
  const [{ topology }] = rows
  const left = withoutRefuted(rows, [{ offering: 'Acme One', topology }])
  t.match(left.map(({ offering, instances }) => [offering.name, instances]), [['Two', 2], ['One', null]])
  t.match(left[1], { monthly: null, why: { code: 'goal-missed' } })
  const before = [{ offering: 'Acme One', topology }]
  t.match(findNext(left, { rate: 1, cores: 1 }, before), { offering: { name: 'Two' } })
  t.equal(findNext(left, { rate: 1, cores: 0.5 }, before), null, 'the machine has fewer cores than the offering')
  const all = [...before, { offering: 'Acme Two', topology }]
  t.equal(findNext(left, { rate: 1, cores: 1 }, all), null, 'all offerings are emulated')
  t.strictSame(withoutRefuted(rows, [{ offering: 'Acme One', topology: 'another' }]), rows)
})

t.test('sorts the rows of several topologies in one table', async t => {
  const fast = {
    ...measured,
    spec: 'nginx:uds/express-json',
    capacity: 9000,
    usages: USAGES.map(({ rate, cores }) => ({ rate: 2 * rate, cores }))
  }
  const [first] = table([makeOffering()], { topologies: [measured, fast], rate: 30_000 })
  t.equal(first.topology, fast.spec)
})

t.test('rows without an estimate come last with a reason', async t => {
  const offerings = [makeOffering({ name: 'No CPU', vcpu: null }), makeOffering({ name: 'No room', memoryMiB: 64 }),
    makeOffering({ name: 'No price', price: null }), makeOffering()]
  const rows = table(offerings, { rate: 100 })
  t.same(rows.map(({ offering }) => offering.name), ['One', 'No price', 'No CPU', 'No room'])
  t.match(rows[1], { instances: 2, monthly: null, why: { code: 'no-price' } })
  t.match(rows[2], { instances: null, why: { code: 'no-cpu-promised' } })
  t.match(rows[3], { instances: null, why: { code: 'memory-too-small', params: { usedMiB: 100, neededMiB: 134 } } })
})

t.test('reads load profiles by name and from a file of rates, as shares of the peak', async t => {
  t.same(readProfile().shares, [1])
  t.same(PROFILES, ['constant', 'office', 'shop'])
  const [office, shop] = [readProfile('office'), readProfile('shop')].map(({ shares }) => shares.indexOf(1))
  t.ok(office >= 9 && office < 17 && shop >= 19, 'a peak in working hours, and one in the evening')
  const stored = JSON.parse(readFileSync(join(PROJECT, 'bench/features/size/capacity/profiles.json'), 'utf8'))
  for (const name of PROFILES) {
    const { shares } = readProfile(name)
    t.equal(Math.max(...shares), 1, name)
    t.ok(Math.min(...shares) > 0)
    t.equal(shares.length, name === 'constant' ? 1 : 24, name)
    const { about, source = '' } = stored[name]
    const isAssumed = name === 'constant' || about.includes('assumed')
    t.equal(URL.canParse(source), !isAssumed, `${name} has a source, or is called assumed`)
  }
  const file = join(t.testdir({ 'day.json': '[10, 40, 20, 10]' }), 'day.json')
  t.same(readProfile(file).shares, [0.25, 1, 0.5, 0.25])
  const faults = [['[0, 0]', /all of its rates are 0/], ['[]', /all of its rates are 0/], ['{}', /not a list/],
    ['[1, -1]', /not a list/], ['[', /not JSON/]]
  for (const [text, why] of faults) {
    writeFileSync(file, /** @type {string} */ (text))
    t.throws(() => readProfile(file), { code: 'bad-profile', message: why })
  }
  t.throws(() => readProfile('weekend'), { code: 'bad-profile', message: /neither the name of a profile/ })
})

t.test('use is billed for the memory of all processes', async t => {
  const use = { vcpuSecond: 0.00001, gibSecond: 0.000002, billed: /** @type {const} */ ('used') }
  const { monthly } = at({ vcpu: 2, price: null, use }, { rate: 5000, fewest: 2 })
  // 5,000 requests a second of 0.2 ms each, and two instances with two processes of 80 MiB and 20 MiB.
  const month = 730 * 3600
  const expected = 5000 * month * 0.0002 * 0.00001 + 2 * month * 180 / 1024 * 0.000002
  t.ok(Math.abs(Number(monthly) / expected - 1) < 1e-9, `${monthly}, ${expected}`)
})

t.test('limits the instances by --max and by the provider', async t => {
  const rate = 14_000
  t.match(at({}, { rate, most: 3 }),
    { instances: null, why: { code: 'too-few-instances', params: { most: 3, limit: '--max' } } })
  t.match(at({}, { rate, most: 4 }), { instances: 4 })
  t.match(at({ most: 2 }, { rate }),
    { instances: null, why: { code: 'too-few-instances', params: { most: 2, limit: 'provider' } } })
})

t.test('sorts prices of different currencies by exchange rate', async t => {
  const rows = table([makeOffering({ name: 'Euro', currency: 'EUR', price: 9.5 }), makeOffering({ name: 'Dollar' })])
  t.same(rows.map(({ offering }) => offering.name), ['Dollar', 'Euro'])
})

t.test('extrapolates from two processes to at most twice as many', async t => {
  const topology = { ...measured, cores: 2, more: [{ processes: 2, rate: 9000 }] }
  const on = (/** @type {number} */ vcpu) => at({ vcpu, memoryMiB: 65536 }, { topologies: [topology] })
  t.match(on(2), { perInstance: 9000, atLeast: false })
  // Two processes serve 1.8 times the rate of one, so the serial share is 1/9.
  const four = 5000 * 4 / (1 + 3 / 9)
  t.ok(Math.abs(Number(on(4).perInstance) - four) < 1e-6)
  t.equal(on(4).atLeast, false)
  t.ok(Math.abs(Number(on(16).perInstance) - four) < 1e-6, 'larger offerings get a lower bound')
  t.equal(on(16).atLeast, true)
})

t.test('fits the scaling of at least four topologies that differ in their number of processes only', async t => {
  const sized = (/** @type {string} */ spec, /** @type {number} */ rate, atLeast = false, cores = 8) => ({
    spec,
    topology: parse(spec),
    cores,
    capacity: { rate, atLeast }
  })
  const rateOf = (/** @type {number} */ n) => 1000 * n / (1 + 0.1 * (n - 1))
  const family = [1, 2, 3, 4].map(n => sized(`nginx:uds/express-json@cluster:${n}`, rateOf(n)))
  const smaller = [sized('express-json', 900), sized('express-json@cluster:2', 1500)]
  const [scaling, ...others] = fitScaling([...family, ...smaller])
  t.same(others, [])
  t.match(scaling, { family: 'nginx:uds/express-json@cluster:N', predicted: { n: 8 }, refused: null })
  t.ok(Math.abs(Number(scaling.usl?.sigma) - 0.1) < 1e-6)
  t.ok(Math.abs(Number(scaling.predicted?.x) - 8000 / 1.7) < 1e-3)
  t.same(fitScaling(family.slice(1)), [], 'three topologies are too few')
  t.same(fitScaling([...family.slice(1), sized('nginx:uds/express-json@cluster:1', 1000, true)]), [],
    'a capacity limited by the generator is skipped')
  const [turns] = fitScaling([1, 2, 4, 8].map(n => sized(`http-json@cluster:${n}`, 1000, false, 1)))
  t.match(turns, { usl: null, predicted: null, refused: { code: 'too-few-cores', params: { cores: 1 } } },
    'processes that share a core are not fitted')
  const six = [1, 2, 3, 4, 6, 8].map(n => sized(`http-json@cluster:${n}`, n > 4 ? 100 : rateOf(n), false, 4))
  t.match(fitScaling(six), [{ points: { length: 6 }, predicted: { n: 8 } }], 'processes with a core each are fitted')
  t.ok(Math.abs(Number(fitScaling(six)[0].usl?.sigma) - 0.1) < 1e-6)
})
