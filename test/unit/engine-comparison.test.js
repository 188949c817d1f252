import t from '../support/tap.js'
import { compareEngines } from '../../bench/judge/engine-agreement.js'
import { enginesText } from '../../bench/report/engine-table.js'

/** @import { EngineWindow } from '../../bench/judge/engine-agreement.js' */
/** @import { EngineResult } from '../../bench/types.js' */

const names = ['ab', 'h2load', 'wrk']
const engines = names.map(name => ({ name, title: name, version: '1', latencyNote: `says of ${name} what it says` }))
/** @type {Parameters<typeof compareEngines>[2]} */
const context = {
  engines, cores: { load: [0], served: [1] }, load: { mode: 'closed', maxCores: { proxy: 1, server: 1 } }
}
const none = { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }
/** Relative rates of six blocks with a median of 1. */
const NOISE = [0.99, 1.01, 1, 0.995, 1.005, 1]

/**
 * Returns a window in each of six blocks.
 * @param {string} engine
 * @param {number} rps
 * @param {Partial<EngineWindow>} [more]
 * @returns {EngineWindow[]}
 */
const windows = (engine, rps, more = {}) => NOISE.map((noise, block) => ({
  engine,
  block,
  requests: rps * noise * 2,
  seconds: 2,
  own: { requests: rps * noise * 2.1, seconds: 2.1 },
  cpuSeconds: { load: 0.4, proxy: 0.2, server: 1.9 },
  errors: none,
  latencyMs: { p50: 10, p90: 11, p95: 12, p99: 13 + block, max: 20, rate: null, source: `${engine}, closed loop` },
  disagreement: null,
  ...more
}))
const busy = { cpuSeconds: { load: 1.98, proxy: 1, server: 0 } }

t.test('engines with equal rates agree, compared within blocks', async t => {
  const results = compareEngines([...windows('ab', 1000), ...windows('h2load', 1010), ...windows('wrk', 1020)], [],
    context)
  t.strictSame(results.map(({ agrees }) => agrees), ['yes', 'yes', 'yes'])
  t.match(results[0], { windows: 6, rps: { median: 1000 }, bound: 'server' })
  t.equal(Number(results[0].share).toFixed(3), '0.200')
  t.equal(Math.round(Number(results[0].cpuMicrosPerRequest)), 200)
  t.equal(Math.round(Number(results[0].ownRps)), 1000)
  t.equal(results[2].latencyMs?.p99, 15.5, 'the median of each figure')
  t.equal(Math.round(1000 * Number(results[2].toMiddle?.ratio)), 1010, 'relative to the median engine')
})

t.test('reports an engine that differs by more than 5 % and one that may', async t => {
  const uneven = windows('h2load', 1000).map((window, i) => ({
    ...window,
    requests: window.requests * [0.9, 1.1, 1, 0.92, 1.08, 1][i]
  })
  )
  const agrees = (/** @type {EngineWindow[]} */ middle, ab = 1000) =>
    compareEngines([...windows('ab', ab), ...middle, ...windows('wrk', 1000)], [], context).map(({ agrees }) => agrees)
  t.strictSame(agrees(uneven), ['yes', 'open', 'yes'])
  t.strictSame(agrees(windows('h2load', 1000), 900), ['no', 'yes', 'yes'])
})

t.test('excludes an engine that was the bottleneck from the comparison', async t => {
  const results = compareEngines([...windows('ab', 500, busy), ...windows('h2load', 1000), ...windows('wrk', 1010)],
    [], context)
  t.match(results[0], { bound: 'load', agrees: null, toMiddle: null })
  t.strictSame(results.slice(1).map(({ agrees }) => agrees), ['yes', 'yes'],
    'the other engines are compared without it')
  const busyAb = compareEngines([...windows('ab', 500, busy), ...windows('h2load', 500, busy), ...windows('wrk', 1010)],
    [], context)
  t.strictSame(busyAb.map(({ agrees }) => agrees), [null, null, null], 'a single engine is not compared')
})

t.test('excludes a block in which an engine has no window', async t => {
  const missing = windows('wrk', 1000).slice(0, 5)
  const results = compareEngines([...windows('ab', 1000), ...windows('h2load', 1000), ...missing], [{
    engine: 'wrk',
    block: 5,
    failure: 'it died'
  }], context)
  t.match(results[2], { windows: 5, failures: ['it died'] })
  t.strictSame(results.map(({ agrees }) => agrees), ['yes', 'yes', 'yes'])
})

t.test('returns no figures for an engine without a window', async t => {
  const [ab] = compareEngines([...windows('h2load', 1000), ...windows('wrk', 1000)], [{
    engine: 'ab',
    block: 0,
    failure: 'no report'
  }], context)
  t.match(ab, { rps: null, ownRps: null, share: null, cpuMicrosPerRequest: null, latencyMs: null, agrees: null })
})

/**
 * @param {EngineResult[]} results
 * @param {object} [more]
 */
const text = (results, more = {}, columns = 80) => enginesText({
  topology: 'nginx/files',
  path: '/1kb.json',
  connections: 100,
  windowSeconds: 2,
  blocks: 6,
  complete: true,
  cores: { load: [0], served: [1], split: true },
  engines: results,
  leftOut: [],
  tools: {},
  ...more
}, { columns })
const flat = (/** @type {string} */ page) => page.replace(/\s+/g, ' ')

t.test('reports which engines agree', async t => {
  const page = text(
    compareEngines([...windows('ab', 1000), ...windows('h2load', 1000), ...windows('wrk', 1010)], [], context)
  )
  t.match(page, /^3 engines against their median: all within 5 %\.\n/)
  t.match(page, /^wrk +1,010 +\S+ to 1,020 +1,010 +19[78] +20 % +yes$/m)
  t.match(flat(page), /against their median: ab .*: all within 5 %\. - No engine was the bottleneck\./)
  t.match(flat(page), /\(100 ÷ 1,010 = 99\.0 ms at wrk's rate\)/)
  t.match(flat(page), /says of h2load what it says\./)
  t.notMatch(page, /NaN|undefined|null|Infinity/)
})

t.test('names engines that differ, were the bottleneck, or waited', async t => {
  const differs = text(
    compareEngines([...windows('ab', 800), ...windows('h2load', 1000), ...windows('wrk', 1000)], [], context)
  )
  t.match(flat(differs), /ab differs by more than 5 %/)
  const bound = text(
    compareEngines([...windows('ab', 500, busy),
      ...windows('h2load', 1000, { cpuSeconds: { load: 0.2, proxy: 0.1, server: 0.2 } }), ...windows('wrk', 1000)],
    [], context)
  )
  t.match(flat(bound), /ab \(99 % of a core\) was the bottleneck/)
  t.match(flat(bound), /With h2load \(10 % of a core\) neither side was saturated/)
  t.match(flat(bound), /Nothing to compare/)
  t.match(bound, /^ab .* bottleneck$/m)
  t.match(bound, /^h2load .* waited$/m)
})

t.test('reports errors, differing counts, failures and excluded engines', async t => {
  const results = compareEngines([
    ...windows('ab', 1000, { errors: { ...none, resets: 2 } }),
    ...windows('h2load', 1000, {
      disagreement: 'the generator counted 1 answers and the served side 2 requests',
      latencyMs: null
    })
  ], [{ engine: 'wrk', block: 0, failure: 'its report cannot be read' }, {
    engine: 'ab',
    block: 0,
    failure: 'it ended early'
  }], context)
  const page = text(results, {
    leftOut: [{ name: 'oha', why: 'oha is not on PATH.' }, { name: 's-time', why: 'it cannot speak HTTP' }],
    complete: false
  })
  t.match(flat(page), /ab saw errors: 12 reset\./)
  t.match(flat(page), /counts disagree in 6 windows of h2load: the generator counted 1 answers/)
  t.match(flat(page), /wrk not measured: its report cannot be read/)
  t.match(flat(page), /1 window of ab gave no figure: it ended early/)
  t.match(flat(page), /Not compared - oha: oha is not on PATH\. - s-time: it cannot speak HTTP\./)
  t.match(flat(page), /in random order; interrupted\./)
  t.notMatch(page, /NaN|undefined|null|Infinity/)
})

t.test('fits the page into the width of the terminal', async t => {
  const results = compareEngines([...windows('ab', 123456), ...windows('h2load', 223456), ...windows('wrk', 100000)],
    [], context)
  for (const columns of [72, 80, 120]) {
    for (const line of text(results, {}, columns).split('\n')) t.ok(line.length <= columns, line)
  }
})
