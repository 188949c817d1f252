import t from '../support/tap.js'
import {
  computeBlockFactor, findBound, judgeInterval, judgeSample, widenUnboundedEnd
} from '../../bench/judge/verdict.js'
import { powerFactor } from '../../bench/plan/sample-size.js'
import { printReason } from '../../bench/report/facts/reason-texts.js'
import { armOf, sampleOf } from '../support/samples.js'

/** @import { Bound, Reason, Sample } from '../../bench/types.js' */

/**
 * Returns an interval with a ratio in its middle.
 * @param {number} low
 * @param {number} high
 */
const between = (low, high) => ({ ratio: Math.sqrt(low * high), low, high })

/** @type {(arm: Bound, baseline: Bound) => ReturnType<typeof findBound>} */
const boundOf = (arm, baseline) =>
  findBound(between(0.8, 0.9), { name: 'arm', bound: arm }, { name: 'baseline', bound: baseline })

const FLOOR = { noiseFloor: between(0.95, 0.99) }
const [AT_LEAST, AT_MOST] = [{ bound: boundOf('load', 'server') }, { bound: boundOf('proxy', 'load') }]

/**
 * Ends of an interval, what else is known, the verdict and the code of its reason.
 *
 * @type {[low: number, high: number, known: Parameters<typeof judgeInterval>[1], verdict: string, why?: string][]}
 */
const CASES = [
  [1.01, 1.05, {}, 'faster'],
  [0.95, 0.99, {}, 'slower'],
  [0.98, 1.02, {}, 'no-difference'],
  // A significant difference within the margin is no difference.
  [1.001, 1.02, {}, 'no-difference'],
  [0.98, 0.999, {}, 'no-difference'],
  [0.99, 1.05, {}, 'inconclusive', 'interval-too-wide'],
  // A noise floor that contains 1 has no effect.
  [1.01, 1.05, { noiseFloor: between(0.9, 1.1) }, 'faster'],
  [1.01, 1.05, FLOOR, 'inconclusive', 'below-noise-floor'],
  [1.1, 1.15, FLOOR, 'faster'],
  [0.85, 0.9, FLOOR, 'slower'],
  [1.1, 1.2, AT_LEAST, 'faster'],
  [0.8, 0.9, AT_LEAST, 'inconclusive', 'generator-bound-arm'],
  [0.99, 1.01, AT_LEAST, 'inconclusive', 'generator-bound-arm'],
  [0.99, 1.1, AT_LEAST, 'inconclusive', 'generator-bound-arm'],
  [0.8, 0.9, AT_MOST, 'slower'],
  [1.1, 1.2, AT_MOST, 'inconclusive', 'generator-bound-baseline'],
  [1.1, 1.2, { bound: boundOf('load', 'load') }, 'inconclusive', 'generator-bound-both'],
  [0.8, 0.9, { bound: boundOf('none', 'load') }, 'inconclusive', 'bounds-both'],
  [1.1, 1.2, { bound: boundOf('load', 'none') }, 'inconclusive', 'bounds-both']
]

t.test('judges an interval by its position, the margin, the noise floor and the bottleneck', async t => {
  for (const [low, high, known, verdict, why = null] of CASES) {
    const found = judgeInterval(between(low, high), known)
    t.strictSame([found.verdict, found.why?.code ?? null], [verdict, why], JSON.stringify([low, high, known]))
  }
  t.equal(judgeInterval(between(0.99, 1.05)).moreBlocksHelp, true)
  t.equal(judgeInterval(between(1.01, 1.05), FLOOR).moreBlocksHelp, false)
  for (const none of [{ ratio: 1.2, low: 0, high: Infinity }, { ratio: NaN, low: NaN, high: NaN }]) {
    t.equal(judgeInterval(none).verdict, 'inconclusive')
  }
})

t.test('finds the end of an interval that the load generator leaves open', async t => {
  t.strictSame(AT_LEAST.bound, { side: 'at-least', arm: 'arm', limit: 'load' })
  t.strictSame(AT_MOST.bound, { side: 'at-most', arm: 'baseline', limit: 'load' })
  t.equal(boundOf('load', 'load')?.side, 'nothing')
  t.equal(boundOf('server', 'proxy'), null)
  t.strictSame(widenUnboundedEnd({ low: 1, high: 2 }, 'nothing'), { low: 0, high: Infinity })
})

t.test('exchanging arm and baseline inverts the verdict', async t => {
  const other = { faster: 'slower', slower: 'faster', 'no-difference': 'no-difference', inconclusive: 'inconclusive' }
  for (const low of [0.9, 0.965, 0.971, 0.98, 0.999, 1.001, 1.02]) {
    for (const width of [1.005, 1.02, 1.03, 1.06]) {
      const interval = between(low, low * width)
      const turned = between(1 / interval.high, 1 / interval.low)
      t.equal(judgeInterval(turned).verdict, other[judgeInterval(interval).verdict], `${low} × ${width}`)
    }
  }
})

t.test('half the width requires four times the blocks, scaled to 80 % power', async t => {
  // Estimate 1.04 with a half-width of 0.08: settled when 1 lies outside.
  const half = Math.log(1.04) * 2
  const contrast = { ratio: 1.04, low: Math.exp(Math.log(1.04) - half), high: Math.exp(Math.log(1.04) + half) }
  t.ok(Math.abs(computeBlockFactor(contrast, 0.95) - 4 * powerFactor(0.95) ** 2) < 1e-9)
})

t.test('computes the blocks until an interval around 1 fits the margin', async t => {
  const factor = computeBlockFactor({ ratio: 1, low: 1 / 1.06, high: 1.06 }, 0.95)
  t.ok(Math.abs(factor - (powerFactor(0.95) * Math.log(1.06) / Math.log(1.03)) ** 2) < 1e-9)
})

const NO_PROOF = /** @type {const} */ ({
  upstreamConnectionsPerRequest: null, cacheHitRatio: null, cacheExpiries: null, socketType: 'tcp'
})

/**
 * Proofs of a topology, and the code of the reason for which they make a trial invalid.
 * @type {[spec: string, proof: Partial<Sample['proof']>, code?: string][]}
 */
const PROOFS = [
  ['express-json', {}],
  ['nginx:tcp/express-json', { upstreamConnectionsPerRequest: 1 }],
  ['nginx:tcp/express-json', { upstreamConnectionsPerRequest: 0.89 }, 'not-fresh'],
  ['nginx:tcp/express-json', { upstreamConnectionsPerRequest: 1, socketType: 'unix' }, 'wrong-socket'],
  ['nginx:tcp/express-json', {}, 'no-proof'],
  ['nginx:keepalive/express-json', { upstreamConnectionsPerRequest: 0.001 }],
  ['nginx:keepalive/express-json', { upstreamConnectionsPerRequest: 0.05 }, 'not-pooled'],
  // A pool smaller than the number of clients.
  ['nginx:keepalive+pool=2/express-json', { upstreamConnectionsPerRequest: 0.3 }],
  ['nginx:keepalive+pool=2/express-json', { upstreamConnectionsPerRequest: 0.95 }, 'not-pooled'],
  ['nginx:uds/express-json', { upstreamConnectionsPerRequest: 1.02, socketType: 'unix' }],
  ['nginx:uds/express-json', { upstreamConnectionsPerRequest: 1 }, 'wrong-socket'],
  ['nginx:uds-keepalive/express-json', { upstreamConnectionsPerRequest: 0, socketType: 'unix' }],
  ['nginx:tcp+cache=5s/express-json', { cacheHitRatio: 0.9999, cacheExpiries: 0 }],
  ['nginx:tcp+cache=5s/express-json', { cacheHitRatio: 0.98, cacheExpiries: 0 }, 'cache-missed'],
  ['nginx:tcp+cache=5s/express-json', { cacheExpiries: 0 }, 'no-proof'],
  ['nginx:tcp+cache=off/express-json', { cacheHitRatio: 0.9999, cacheExpiries: 0 }, 'no-proof']
]

t.test('judges the connections, the sockets and the cache hits by which a topology is proven', async t => {
  for (const [spec, proof, code] of PROOFS) {
    const reason = judgeSample(sampleOf({ proof: { ...NO_PROOF, ...proof } }), armOf(spec))
    t.equal(reason?.code, code, `${spec}, ${JSON.stringify(proof)}`)
  }
})

t.test('keeps the reason that the protocol has found', async t => {
  const invalid = /** @type {const} */ ({ code: 'process-died', params: { message: 'nginx ended' } })
  t.equal(judgeSample(sampleOf({ invalid, requests: 0, rps: 0 }), armOf('express-json')), invalid)
})

t.test('a trial without a response is invalid', async t => {
  for (const overrides of [{ requests: 0, rps: 0 }, { seconds: 0, rps: Infinity }, { requests: 5, rps: NaN }]) {
    t.match(judgeSample(sampleOf(overrides), armOf('express-json')), { code: 'nothing-served' })
  }
})

t.test('errors above one in a thousand make a trial invalid and are listed by kind', async t => {
  const errors = { non2xx: 3, timeouts: 2, resets: 0, mismatches: 1 }
  const found = judgeSample(sampleOf({ requests: 5000, errors }), armOf('nginx:tcp/express-json'))
  t.strictSame(found, { code: 'errors', params: { errors, requests: 5000 } })
  t.equal(found && printReason(found), '6 errors on 5000 requests: 3 not 2xx, 2 timed out, 1 with another body')
  t.equal(judgeSample(sampleOf({ requests: 6000, errors }), armOf('nginx:tcp/express-json')), null)
})

t.test('CPU time of idle arms makes a trial invalid', async t => {
  const busy = (/** @type {number} */ idle) =>
    judgeSample(sampleOf({ cpuSeconds: { load: 0.2, proxy: 0.1, server: 0.3, idle } }),
      armOf('nginx:tcp/express-json'))
  t.equal(busy(0.014), null)
  t.match(busy(0.016), { code: 'idle-arms-busy', params: { cores: 1 } })
  const shared = sampleOf({ cpuSeconds: { load: 0.2, proxy: 0.1, server: 0.3, idle: 0.029 } })
  t.equal(judgeSample(shared, armOf('express-json'), { servedCores: 2 }), null,
    'relative to all cores of the served side')
  t.match(
    judgeSample({ ...shared, cpuSeconds: { ...shared.cpuSeconds, idle: 0.031 } }, armOf('express-json'), {
      servedCores: 2
    }),
    { code: 'idle-arms-busy', params: { cores: 2 } }
  )
})

t.test('requires a client connection per request where the load is fresh', async t => {
  const arm = { ...armOf('nginx/files'), load: { ...armOf('nginx/files').load, fresh: true } }
  const sample = (/** @type {number | null} */ clientConnectionsPerRequest) =>
    sampleOf({ proof: { ...sampleOf().proof, clientConnectionsPerRequest } })
  t.match(judgeSample(sample(0.01), arm), { code: 'client-not-fresh', params: { perRequest: 0.01 } })
  t.equal(judgeSample(sample(0.99), arm), null)
  t.equal(judgeSample(sample(null), arm), null, 'a front that does not count connections')
  t.equal(judgeSample(sample(0.01), armOf('nginx/files')), null, 'persistent connections')
})

t.test('accepts errors where errors are the result, but not a wrong proof', async t => {
  const sample = sampleOf({ errors: { non2xx: 4000, timeouts: 0, resets: 0, mismatches: 0 } })
  t.match(judgeSample(sample, armOf('nginx:tcp/express-json')), { code: 'errors' })
  t.equal(judgeSample(sample, armOf('nginx:tcp/express-json'), { errorsAreResults: true }), null)
  t.match(judgeSample(sample, armOf('nginx:keepalive/express-json'), { errorsAreResults: true }), {
    code: 'not-pooled'
  })
  const missed = sampleOf({ proof: { ...sampleOf().proof, cacheHitRatio: 0.5 } })
  t.match(judgeSample(missed, armOf('nginx:tcp+cache=5s/express-json')), { code: 'cache-missed' })
  t.equal(judgeSample(missed, armOf('nginx:tcp+cache=5s/express-json'), { errorsAreResults: true }), null)
  const { topology: { proxy, ...hops }, ...own } = armOf('nginx:tcp+upstream_defaults+cache=5s/express-json')
  const config = { path: './nginx.conf', port: 80, apps: [3000], script: null }
  t.equal(judgeSample(missed, { ...own, topology: { ...hops, proxy: proxy && { ...proxy, config } } }), null,
    'a configuration of your own can keep responses out of its cache')
})

t.test('rejects a trial whose generator sent requests late', async t => {
  const latencyMs = { p50: 2, p90: 5, p95: 8, p99: 40, max: 60, rate: 100, source: 'paced, open loop' }
  const arm = armOf('nginx:tcp/express-json')
  const late = (/** @type {number} */ p99, /** @type {number} */ latency) =>
    judgeSample(sampleOf({ latencyMs: { ...latencyMs, p99: latency }, lagMs: { p50: 0.1, p99, max: 99 } }), arm)
  t.equal(late(5, 40), null)
  t.match(late(5.1, 40), { code: 'behind-schedule', params: { p99Ms: 5.1, limitMs: 5 } })
  t.equal(late(8, 90), null, 'a lag below a tenth of the latency is accepted')
  t.match(late(12, 800), { params: { limitMs: 10 } }, 'the limit does not grow with long latencies')
  t.equal(judgeSample(sampleOf({ latencyMs }), arm), null, 'a closed loop has no schedule')
})
