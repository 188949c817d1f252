/** @import { Claim, ClaimResult, ClaimTest, Reason, Sample } from '../../../bench/types.js' */
import t from '../../support/tap.js'
import { judgeClaims } from '../../../bench/judge/claims/claims.js'
import { printClaimWhy } from '../../../bench/report/facts/facts.js'
import { summarize } from '../../../bench/judge/summary.js'
import { cores, planFor, samplesFor } from '../../support/samples.js'
import { normal, seriesOf } from '../../support/simulate.js'

/**
 * Prints the reasons of a claim.
 * @template {Pick<ClaimResult, 'why'>} Judged
 * @param {Judged} judged
 */
const inWords = judged => ({ ...judged, why: printClaimWhy(judged) })

const source = { title: 'Nginx + Express, measured', author: 'rysk001', year: 2020, machine: 'Core i5' }
const arms = { slow: 'express-json', middle: 'express-json', fast: 'express-json' }
const speed =
  /** @type {Record<string, number>} */ ({ slow: 10_000, middle: 12_000, fast: 15_000, 'slow (twin)': 10_000 })

/**
 * Judges one claim when slow : middle : fast is 10 : 12 : 15.
 * @param {Pick<Claim, 'test' | 'published'> & Partial<Claim>} claim
 * @param {{ of?: (arm: string, block: number) => Partial<Sample>, sd?: number, armFailures?: Record<string, Reason>,
 *   blocks?: number }} [run]
 */
function judged (claim, { of = () => ({}), sd = 0.005, armFailures = {}, blocks = 12 } = {}) {
  const plan = planFor({ arms, claims: [{ id: 'c', source, statement: 's', ...claim }] })
  const random = seriesOf('claims')
  const samples = samplesFor(plan, blocks,
    (arm, block) => ({ rps: speed[arm] * Math.exp(sd * normal(random)), ...of(arm, block) }))
  const { arms: results, contrasts } = summarize({ plan, samples, armFailures, cores })
  return inWords(judgeClaims(plan, results, contrasts, samples)[0])
}

/** @type {ClaimTest} */
const middleOverSlow = { kind: 'ratio', arm: 'middle', baseline: 'slow' }

t.test('confirms a ratio whose interval lies within the tolerance', async t => {
  const found = judged({ published: 1.22, test: middleOverSlow })
  t.match(found, {
    id: 'c',
    source,
    statement: 's',
    published: 1.22,
    status: 'confirmed',
    why: /within a factor of 1\.1 of the published ratio$/
  })
  t.ok(typeof found.measured === 'number' && Math.abs(found.measured - 1.2) < 0.01)
  t.ok(found.low && found.low < 1.2 && found.high && found.high > 1.2)
})

t.test('judges a ratio by its interval and its tolerance', async t => {
  /** @type {[published: number, test: object, expected: object, sd?: number][]} */
  const cases = [
    [3.55, {}, { status: 'refuted', why: /wholly outside/ }],
    [0.9, {}, { status: 'refuted' }],
    [1.2 * 1.1, {}, { status: 'inconclusive', why: /partly outside/ }],
    [1.2, {}, { status: 'inconclusive' }, 0.2],
    [1.5, { tolerance: 1.4 }, { status: 'confirmed' }],
    [1.3, { tolerance: 1.02 }, { status: 'refuted' }],
    [1.25, { arm: 'fast', baseline: 'middle' }, {
      status: 'confirmed',
      why: /fast against middle is not a listed contrast: its 95 % interval is not adjusted for it/
    }],
    // The listed contrast, with arm and baseline exchanged.
    [1 / 1.2, { arm: 'slow', baseline: 'middle' }, { status: 'confirmed', why: /^(?!.*listed)/ }]
  ]
  for (const [published, test, expected, sd] of cases) {
    t.match(judged({ published, test: { ...middleOverSlow, ...test } }, { sd }), expected, `${published}`)
  }
})

t.test('uses the interval over starts, as the contrast does', async t => {
  const claims = [{ id: 'c', source, statement: 's', published: 1.2, test: middleOverSlow }]
  const plan = { ...planFor({ protocol: 'gang', arms, claims }), startBlocks: 4 }
  const random = seriesOf('claims over starts')
  const luck = Array.from({ length: 5 }, () => 0.05 * normal(random))
  const samples = samplesFor(plan, 20, (arm, block) => {
    const start = Math.floor(block / 4)
    const offset = arm === 'middle' ? luck[start] : 0
    return { start, rps: speed[arm] * Math.exp(offset + 0.005 * normal(random)) }
  })
  const { arms: results, contrasts } = summarize({ plan, samples, cores })
  const [{ low, high }] = judgeClaims(plan, results, contrasts, samples)
  const contrast = contrasts.find(({ arm, baseline }) => arm === 'middle' && baseline === 'slow')
  t.equal(contrast?.starts, 5)
  t.strictSame([low, high], [contrast?.low, contrast?.high])
})

t.test('a lower bound caused by the load generator can refute a claim but not confirm it', async t => {
  const of = (/** @type {string} */ arm) =>
    arm === 'middle' ? { cpuSeconds: { load: 0.49, proxy: 0, server: 0.4, idle: 0 } } : {}
  t.match(judged({ published: 1.2, test: middleOverSlow }, { of }), {
    status: 'inconclusive',
    high: null,
    why: /only a bound \(at least\)/
  })
  t.equal(judged({ published: 1.05, test: middleOverSlow }, { of }).status, 'refuted')
  t.equal(judged({ published: 1.5, test: middleOverSlow }, { of }).status, 'inconclusive')
})

t.test('a ratio that is no bound on either side confirms and refutes nothing', async t => {
  const of = (/** @type {string} */ arm) => ({
    cpuSeconds: arm === 'middle'
      ? { load: 0.49, proxy: 0, server: 0.4, idle: 0 }
      : { load: 0.1, proxy: 0, server: 0.1, idle: 0.3 }
  })
  for (const published of [1.05, 1.2, 1.5]) {
    t.match(judged({ published, test: middleOverSlow }, { of }), {
      status: 'inconclusive',
      low: 0,
      high: null,
      why: /the bottleneck in one arm, and the other was not saturated: the ratio is unknown/
    })
  }
})

t.test('confirms an order when every step exceeds the margin', async t => {
  const found = judged({ published: '15 / 12 / 10', test: { kind: 'order', arms: ['fast', 'middle', 'slow'] } })
  t.match(found, {
    status: 'confirmed',
    low: null,
    high: null,
    measured: /^fast 1[45],\d{3} > middle 1[12],\d{3} > slow (9,\d{3}|10,\d{3}) req\/s$/
  })
})

t.test('judges an order by each step, and flat arms by their difference from the first', async t => {
  const noise = seriesOf('flat')
  /** @type {(sd: number, factor: number) => Parameters<typeof judged>[1]} */
  const alike = (sd, factor) =>
    ({ of: arm => ({ rps: 10_000 * (arm === 'fast' ? factor : 1) * Math.exp(sd * normal(noise)) }) })
  const order = (/** @type {string[]} */ ...arms) => ({ kind: /** @type {const} */ ('order'), arms })
  const flat = { kind: /** @type {const} */ ('flat'), arms: ['slow', 'middle', 'fast'] }
  /** @type {[test: ClaimTest, run: Parameters<typeof judged>[1], expected: object][]} */
  const cases = [
    [order('fast', 'slow', 'middle'), {}, { status: 'refuted', why: /slow is not 3 % faster than middle/ }],
    [order('fast', 'middle'), { of: () => ({ rps: 12_000 }) }, { status: 'refuted' }],
    [order('fast', 'middle', 'slow'), { sd: 0.2 }, { status: 'inconclusive', why: /whether .* is open/ }],
    [flat, alike(0.002, 1), { status: 'confirmed', why: /every arm is within 3 % of slow/ }],
    [flat, alike(0.002, 1.1), { status: 'refuted', why: /fast is not within 3 % of slow/ }],
    [flat, alike(0.2, 1), { status: 'inconclusive' }],
    [{ ...flat, arms: ['slow', 'middle'], margin: 0.3 }, {}, { status: 'confirmed' }]
  ]
  for (const [test, run, expected] of cases) t.match(judged({ published: '', test }, run), expected)
})

t.test('reports the reason why a claim is not testable', async t => {
  t.match(judged({ published: 800, test: { kind: 'first-error-at', arm: 'slow', connections: 800 } }), {
    status: 'not-testable',
    measured: null,
    why: /protocol slices does not step up/
  })
  t.match(judged({ published: 'much', test: middleOverSlow }), {
    status: 'not-testable',
    why: /no ratio was published/
  })
  t.equal(judged({ published: '', test: { kind: 'order', arms: ['slow'] } }).status, 'not-testable')
})

t.test('claims about an invalid arm are not testable, with the reason of the arm', async t => {
  /** @type {Record<string, Reason>} */
  const armFailures = { middle: { code: 'gate-refused', params: { why: 'the body differs' } } }
  for (const test
    of /** @type {ClaimTest[]} */ ([middleOverSlow, { kind: 'order', arms: ['fast', 'middle'] }, {
      kind: 'flat',
      arms: ['slow', 'middle']
    }])) {
    t.match(judged({ published: 1.2, test }, { armFailures }), {
      status: 'not-testable',
      why: 'middle is invalid: the body differs'
    })
  }
})

t.test('a claim with too few blocks is inconclusive and reports how many it needs', async t => {
  t.match(judged({ published: 1.2, test: middleOverSlow }, { blocks: 4 }), {
    status: 'inconclusive',
    low: null,
    high: null,
    why: /middle against slow has 4 valid blocks, and an interval needs 7/
  })
  t.match(judged({ published: '', test: { kind: 'order', arms: ['fast', 'middle'] } }, { blocks: 0 }), {
    status: 'inconclusive',
    measured: 'fast –, middle – req/s'
  })
})

t.test('judges CPU time, memory and bytes like rates', async t => {
  const of = (/** @type {string} */ arm) => {
    const [proxy, server, bytesPerResponse] = arm === 'middle' ? [0.4, 0, 300] : [0.1, 0.1, 1200]
    const memoryMiB = { proxy: arm === 'middle' ? 100 : 10, server: 20 }
    return { cpuSeconds: { load: 0.1, proxy, server, idle: 0 }, requests: 1000, memoryMiB, bytesPerResponse }
  }
  const ratio = (/** @type {'cpu' | 'memory' | 'bytes'} */ quantity, /** @type {number} */ published) =>
    judged({ published, test: { ...middleOverSlow, of: quantity } }, { of })
  t.match(ratio('cpu', 2), { status: 'confirmed', measured: 2 })
  t.match(ratio('memory', 4), { status: 'confirmed', measured: 4 })
  t.match(ratio('bytes', 0.25), { status: 'confirmed', measured: 0.25 })
  t.match(ratio('bytes', 0.5), { status: 'refuted' })
  const order = judged({ published: '', test: { kind: 'order', arms: ['middle', 'slow'], of: 'memory' } }, { of })
  t.match(order, { status: 'confirmed', measured: 'middle 120 > slow 30 MiB' })
  t.match(judged({ published: '', test: { kind: 'order', arms: ['slow', 'middle'], of: 'memory' } }, { of }), {
    status: 'refuted',
    why: /slow does not take 3 % more than middle/
  })
})

t.test('judges the CPU time per request although the load was the bottleneck', async t => {
  const of = () => ({ cpuSeconds: { load: 0.5, proxy: 0.1, server: 0, idle: 0 }, requests: 1000 })
  t.match(judged({ published: 1, test: { ...middleOverSlow, of: 'cpu' } }, { of }), {
    status: 'confirmed',
    why: /of the published ratio$/
  })
})

t.test('a claim about bytes is inconclusive when bytes were not measured', async t => {
  t.match(judged({ published: 1, test: { ...middleOverSlow, of: 'bytes' } }), {
    status: 'inconclusive',
    why: /0 valid blocks/
  })
})

t.test('subtracts the CPU time of the generator from the shared cores', async t => {
  const plan = planFor({
    arms,
    claims: [{ id: 'c', source, statement: 's', published: 1.2, test: middleOverSlow, needsCores: 2 }]
  })
  // In these samples the generator uses 0.4 cores.
  const samples = samplesFor(plan, 12, (arm, block) => ({ rps: speed[arm] * (1 + 0.001 * (block % 3)) }))
  const on = (/** @type {{ load: number[], served: number[] }} */ cores) => {
    const { arms, contrasts } = summarize({ plan, samples, cores })
    return inWords(judgeClaims(plan, arms, contrasts, samples, cores)[0])
  }
  t.equal(on({ load: [0], served: [1, 2] }).status, 'confirmed')
  t.match(on({ load: [0, 1], served: [0, 1] }),
    { status: 'not-testable', why: /about 2 processes .* of 2 cores here the load leaves 1\.6 to the served side/ })
  t.match(on({ load: [0], served: [1] }), { status: 'not-testable', why: /the served side has one core here/ })
  t.equal(on({ load: [0, 1, 2], served: [0, 1, 2] }).status, 'confirmed', 'two cores remain')
})
