/** `hopbench size --url` without a network: permitted load, the search, the address, and the report. */
import { parseHTML } from 'linkedom'
import t from '../../../support/tap.js'
import { toPeer } from '../../../../bench/load/generators/peer.js'
import { toStagedUrl } from '../../../../bench/measure/url-arm.js'
import { createArm } from '../../../../bench/plan/plan.js'
import { parse } from '../../../../bench/plan/spec.js'
import { findFault } from '../../../../bench/store/record-format.js'
import { measureUrl, toDeployed } from '../../../../bench/features/size/url/study.js'
import { findBody, toUrlRig } from '../../../../bench/features/size/url/rig.js'
import { getLeast, getSeconds, hasP99, limitOfWindow } from '../../../../bench/features/size/url/windows.js'
import { pinAddress } from '../../../../bench/request/urls.js'
import { makePlan, makeRecord, makeSample } from '../../../support/record.js'
import { atRates } from '../../../support/sizing.js'
import { renderBrief, renderText, toAnswer } from '../../../support/rendered.js'
import { renderPage } from '../../../support/rendered-page.js'

/** @import { Arm, Deployed, Sample } from '../../../../bench/types.js' */
/** @import { Caps } from '../../../../bench/features/size/url/study.js' */

const arm = {
  ...createArm(parse('https://shop.example'), { engine: 'paced', path: '/api' }), name: 'https://shop.example/api'
}
const latency = (/** @type {number} */ p99) =>
  ({ p50: p99 / 4, p90: p99 / 2, p95: p99 / 2, p99, max: 2 * p99, rate: 100, source: 'paced, open loop' })

/**
 * Measures a scripted instance that meets the goal up to a rate.
 * @param {number} limit requests per second
 * @param {Caps} caps
 * @param {{ p99Ms?: number, sample?: Partial<Sample> }} [options] p99Ms: the goal; sample: fields of each window
 */
async function measure (limit, caps, { p99Ms = 50, sample = {} } = {}) {
  /** @type {number[]} */
  const rates = []
  let requests = 0
  let seconds = 0
  const found = await measureUrl({
    paced: async order => {
      rates.push(order.rate)
      requests += limitOfWindow(order.rate, order.seconds)
      seconds += order.seconds + 1.5
      const latencyMs = latency(order.rate <= limit ? 20 : 4000)
      return makeSample({ rps: order.rate, requests: 100, latencyMs, ...sample })
    },
    fits: () => true,
    sent: () => requests,
    elapsed: () => seconds
  }, {
    name: arm.name,
    p99Ms,
    caps,
    confidence: 0.5,
    quick: false,
    seed: 1,
    printProgress: () => {},
    interrupted: () => false
  })
  return { ...found, rates, requests, seconds }
}

t.test('finds the capacity within 4 %, from a tenth of the permitted rate upwards', async t => {
  const { capacity, rates, curve, trials } = await measure(700, { mostRps: 1000, mostRequests: 1e6, seconds: 1e6 })
  t.ok(Math.abs(capacity.rate / 700 - 1) < 0.04, `${capacity.rate}`)
  t.equal(capacity.searches.length, 6)
  t.notOk(capacity.atLeast)
  t.equal(rates[0], 100)
  t.ok(rates.slice(0, 9).every((rate, i) => i === 0 || rate <= rates[i - 1] * 1.25 + 1e-9), 'in small steps')
  t.equal(rates.length, trials.length + curve.length)
})

t.test('sends nothing above the permitted rate, and reports a lower bound', async t => {
  const { capacity, rates } = await measure(5000, { mostRps: 400, mostRequests: 1e6, seconds: 1e6 })
  t.ok(rates.every(rate => rate <= 400), `${Math.max(...rates)}`)
  t.ok(capacity.atLeast)
  t.ok(capacity.rate <= 400 && capacity.rate > 350, `${capacity.rate}`)
})

t.test('windows last many times the goal, because a queue grows slowly', async t => {
  t.ok(getLeast(100, { p99Ms: 900, quick: false }).seconds > 14 * 20 * 0.9)
  const { seconds, rates } = await measure(300, { mostRps: 400, mostRequests: 1e6, seconds: 1e6 }, { p99Ms: 900 })
  t.ok(seconds >= rates.length * 20 * 0.9 - 1e-6, `${seconds}`)
})

t.test('a lost packet does not decide about the goal of a window with few requests', async t => {
  const order = { p99Ms: 50, quick: true }
  for (const rate of [10, 12.5, 40, 100, 1000]) {
    const times = rate * (getSeconds('trial', rate, order) - 0.5)
    t.ok(times - 4 * Math.sqrt(times) > 100, `${rate} a second: ${times} response times`)
  }
  t.equal(getSeconds('trial', 1000, order), 1.5)
  t.notOk(hasP99(5, order))
  t.ok(hasP99(10, order))
})

t.test('a first search ends at the lowest rate with enough requests', async t => {
  await t.rejects(measure(6, { mostRps: 60, mostRequests: 1e6, seconds: 1e6 }), {
    code: 'goal-out-of-reach', message: /shop\.example\/api does not meet a p99 of 50 ms .* at 10 requests a second/
  })
  const { capacity, curve, rates } = await measure(11, { mostRps: 60, mostRequests: 1e6, seconds: 1e6 })
  t.ok(Math.abs(capacity.rate / 11 - 1) < 0.04, `${capacity.rate}`)
  t.equal(rates[0], 10)
  t.ok(curve.filter(({ rate }) => rate < 6).every(({ p50Ms, p99Ms }) => p50Ms !== null && p99Ms === null))
  t.equal(curve.at(-1)?.p99Ms, 20)
})

t.test('a search takes no longer than what must be permitted', async t => {
  for (const mostRps of [50, 100, 400, 5000]) {
    for (const limit of [17, 30, 300, 10_000]) {
      const least = getLeast(mostRps, { p99Ms: 50, quick: false })
      const { requests, seconds } = await measure(limit, { mostRps, mostRequests: least.requests, seconds: 1e6 })
      t.ok(requests <= least.requests, `${limit} of ${mostRps}: ${requests} requests`)
      const short = await measure(limit, { mostRps, mostRequests: 1e7, seconds: least.seconds })
      t.ok(short.seconds <= least.seconds, `${limit} of ${mostRps}: ${seconds} s`)
    }
  }
})

t.test('a search that fails because of a late generator blames the generator', async t => {
  const late = {
    latencyMs: latency(400),
    lagMs: { p50: 300, p99: 390, max: 400 },
    invalid: /** @type {const} */ ({ code: 'behind-schedule', params: { p99Ms: 390, limitMs: 10 } })
  }
  await t.rejects(measure(0, { mostRps: 400, mostRequests: 1e6, seconds: 1e6 }, { sample: late }), {
    code: 'generator-late', message: /load generator on this machine was late: at \d+ requests a second .* 390\.00 ms/
  })
  await t.rejects(measure(0, { mostRps: 400, mostRequests: 1e6, seconds: 1e6 }, {
    sample: { ...late, latencyMs: latency(4000) }
  }), { code: 'goal-out-of-reach', message: /could not keep the offered rate\. The shortest p99 .* 4000\.00 ms/ },
  'both were too slow')
})

/**
 * Makes a rig whose windows send a scripted number of requests.
 * @param {Caps} caps
 * @param {object} [options]
 * @param {(most: number) => number} [options.send]
 * @param {boolean} [options.isInterrupted]
 */
function openRig (caps, { send = most => most, isInterrupted = false } = {}) {
  /** @type {number[]} */
  const limits = []
  const rig = toUrlRig(arm, {
    staged: toStagedUrl(arm, '/nowhere', '192.0.2.1'),
    engine: /** @type {any} */ ({ name: 'paced', version: '1' }),
    cores: { load: [0], served: [0], split: false },
    caps,
    roundTrip: { p50Ms: 1, maxMs: 2 },
    startedAt: 0,
    now: () => 0,
    interrupted: () => isInterrupted,
    measure: async ({ arm }) => {
      const most = Number(arm.load.mostRequests)
      limits.push(most)
      return makeSample({ requests: send(most), latencyMs: latency(20) })
    }
  })
  return { rig, limits }
}

t.test('no window begins that may exceed the permitted requests', async t => {
  const { rig, limits } = openRig({ mostRps: 100, mostRequests: 1000, seconds: 100 })
  const window = { rate: 100, seconds: 3, seed: 1 }
  await rig.paced(window)
  await rig.paced(window)
  t.same(limits, [392, 392], 'the generator of each window has a limit')
  t.equal(rig.sent(), 9 + 2 * 392)
  await t.rejects(rig.paced(window), { code: 'load-cap', message: /may exceed 1000 requests/ })
  t.equal(limits.length, 2, 'nothing was sent')
})

t.test('counts the requests that were sent, errors included', async t => {
  const { rig } = openRig({ mostRps: 100, mostRequests: 1000, seconds: 100 }, { send: () => 250 })
  await rig.paced({ rate: 100, seconds: 3, seed: 1 })
  t.equal(rig.sent(), 259)
})

t.test('no window begins after the permitted time, or after an interruption', async t => {
  const window = { rate: 10, seconds: 3, seed: 1 }
  const caps = { mostRps: 100, mostRequests: 1000, seconds: 7 }
  await t.rejects(openRig(caps).rig.paced(window), { code: 'load-cap', message: /may exceed 7 s/ })
  const { rig } = openRig({ ...caps, seconds: 60 }, { isInterrupted: true })
  await t.rejects(rig.paced(window), { code: 'load-cap', message: /it was interrupted/ })
})

t.test('connections go to the pinned address, with the server name of the URL', async t => {
  t.same(toPeer(new URL('https://shop.example/a'), '192.0.2.1'), {
    host: '192.0.2.1', port: 443, servername: 'shop.example'
  })
  t.same(toPeer(new URL('http://[::1]:8080/')), { host: '::1', port: 8080, servername: '' })
  t.same(toPeer(new URL('http://shop.example')), { host: 'shop.example', port: 80, servername: 'shop.example' })
})

t.test('a host without permission is refused, also one that --allow-host does not name', async t => {
  /** @type {(...args: any[]) => Promise<any>} */
  const resolve = async () => [{ address: '192.0.2.1', family: 4 }]
  await t.rejects(pinAddress(arm, [], resolve), { code: 'url-host', message: /^shop\.example is another machine/ })
  await t.rejects(pinAddress(arm, ['other.example'], resolve), { code: 'url-host' })
  /** @type {(...args: any[]) => Promise<any>} */
  const mixed = async () => [{ address: '127.0.0.1' }, { address: '192.0.2.1' }]
  await t.rejects(pinAddress(arm, [], mixed), { code: 'url-host' }, 'one address of several is another machine')
})

t.test('bodies are compared under load if all of the first responses have the same one', async t => {
  const findings = (/** @type {Partial<{ sha256: string, status: number }>} */ answer) => ({
    answers: [{ answer: /** @type {any} */ ({ status: 200, sha256: 'a', bytes: 1, ...answer }), times: 4 }],
    failures: [],
    body: 'eA=='
  })
  t.same(findBody(arm, [findings({}), findings({})]), { base64: 'eA==', sha256: 'a', bytes: 1 })
  t.equal(findBody(arm, [findings({}), findings({ sha256: 'b' })]), null)
  t.equal(findBody({ ...arm, load: { ...arm.load, compare: ['status'] } }, [findings({})]), null)
  t.throws(() => findBody(arm, [findings({ status: 503 })]), { code: 'gate-refused', message: /status 503/ })
  t.throws(() => findBody(arm, [findings({ status: 302 })]), { code: 'gate-refused' }, 'a later redirect')
})

/** @type {Deployed} */
const deployed = toDeployed({
  arm: /** @type {Arm} */ (arm),
  goal: { rate: 2000, p99Ms: 80, headroom: 0.4, confidence: 0.95, spare: 1, fewest: 2 },
  caps: { mostRps: 400, mostRequests: 240_000, seconds: 600 },
  estimates: [{ run: '2026-11-25T00-00-00Z-size', offering: 'Acme One', topology: 'express-json', perInstance: 250 }]
}, {
  capacity: { rate: 200, low: 190, high: 210, searches: [190, 200, 210], atLeast: false },
  trials: [{ rate: 200, holds: true, p99Ms: 40, lagMs: 0.2, why: null }],
  curve: [{ share: 0.1, rate: 20, p50Ms: 24, p99Ms: 30 }, { share: 0.9, rate: 180, p50Ms: 30, p99Ms: 60 }],
  roundTrip: { p50Ms: 20, maxMs: 41 },
  sent: 31_000
})

t.test('the server time is what the round trip leaves of the latency, and the estimate is compared', async t => {
  t.equal(deployed.serverP50Ms, 4)
  t.equal(deployed.instances, 17, '2,000 ÷ (200 × 0.6)')
  t.equal(deployed.estimates[0].ratio, 0.8)
})

t.test('a measured or an estimated lower bound is printed as such', async t => {
  const [estimate] = deployed.estimates
  /** @type {(isMeasuredBound: boolean, isEstimatedBound: boolean) => string} */
  const compare = (isMeasuredBound, isEstimatedBound) => renderBrief(makeRecord({
    deployed: {
      ...deployed,
      capacity: { ...deployed.capacity, atLeast: isMeasuredBound },
      estimates: [{ ...estimate, atLeast: isEstimatedBound }]
    }
  })).replaceAll(/\s+/g, ' ')
  t.match(compare(false, false), /One: 250 requests .* Measured here: 80 % of it/)
  t.match(compare(true, false), /One: 250 requests .* At least 80 % of it were measured here/)
  t.match(compare(false, true), /One: at least 250 requests .* At most 80 % of it were measured here/)
  t.match(compare(true, true), /One: at least 250 requests .* Both rates are lower bounds/)
})

t.test('the page shows the response times and the windows', async t => {
  const record = makeRecord({ experiment: 'size-url', deployed })
  const { document } = parseHTML(renderPage({ record, samples: [], configs: [], check: null }))
  t.equal(document.querySelectorAll('#capacity-steps tbody tr').length, 2)
  t.equal(document.querySelectorAll('#trials tbody tr').length, 1)
})

t.test('the report is stored, answered and printed within 80 columns', async t => {
  const record = makeRecord({ experiment: 'size-url', deployed })
  t.equal(findFault('record', record), null)
  t.match(toAnswer(record),
    /200 requests a second \(190 to 210\) at a p99 of 80\.0 ms, measured there, .*\. 2,000 requests .* need 17 /)
  const atLeast = { ...deployed, capacity: { ...deployed.capacity, atLeast: true } }
  t.match(toAnswer({ ...record, deployed: atLeast }), /at least 200 requests .* 2,000 .* need 17 instances or fewer/)
  const text = renderBrief(record, { columns: 80 })
  const flat = text.replaceAll(/\s+/g, ' ')
  t.match(flat, /a round trip takes 20\.0 ms/)
  t.match(flat, /half of the responses take 24\.0 ms or less, of which 4\.00 ms are not the round trip/)
  t.match(flat, /Acme One: 250 requests a second were estimated for express-json .* Measured here: 80 % of it/)
  for (const line of text.split('\n')) t.ok([...line].length <= 80, line)
  const withArms = { ...record, arms: atRates, plan: makePlan({ result: 'latency' }) }
  t.match(renderText(withArms, { columns: 80 }), /of capacity/)
})
