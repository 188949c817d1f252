import t from 'tap'
import { resolutionOf } from '../../bench/analysis/resolution.js'
import { seeded } from '../support/random.js'
import { makePlan, makeSample } from '../support/record.js'
import { powerFactor } from '../../bench/plan/sample-size.js'

/** Box and Muller, 1958. @param {number} seed */
function normals (seed) {
  const { next } = seeded(seed)
  return () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
}

/**
 * Blocks of arms whose rates are known but for noise that all blocks have.
 * @param {Record<string, number>} rates
 * @param {{ blocks: number, sd: number, seed?: number }} noise
 */
function runOf (rates, { blocks, sd, seed = 1 }) {
  const random = normals(seed)
  const arms = Object.keys(rates).map(name => ({ ...makePlan().arms[0], name }))
  const plan = makePlan({ arms, contrasts: [], twin: null, claims: [] })
  const samples = Array.from({ length: blocks },
    (_, block) =>
      Object.entries(rates).map(([arm, rate]) => makeSample({ arm, block, rps: rate * Math.exp(sd * random()) })))
    .flat()
  return { plan, samples }
}
const timing = { setupSeconds: 10, blockSeconds: 5 }

t.test('equal arms: the table shrinks with the square root of the time, and few are called different', async t => {
  const { plan, samples } = runOf({ a: 1000, b: 1000, c: 1000 }, { blocks: 240, sd: 0.04 })
  const { table, equal } = resolutionOf({ plan, samples, equal: ['a', 'b', 'c'], planted: [], timing })
  t.strictSame(table.map(({ minutes, blocks }) => [minutes, blocks]), [[1, 10], [5, 58], [20, 238]])
  const logs = table.map(({ difference }) => Math.log(1 + difference))
  t.ok(Math.abs(logs[0] / logs[1] - Math.sqrt(58 / 10)) < 1e-9)
  // Of the mean of n differences of two arms: 1.96 · sd · √2 / √n, and so much more to be found four times in five.
  const expected = 1.96 * 0.04 * Math.SQRT2 / Math.sqrt(58) * powerFactor(0.95)
  t.ok(Math.abs(logs[1] / expected - 1) < 0.15, `${logs[1]} is about ${expected}`)
  t.equal(equal.segments, 3 * 20)
  t.ok(equal.different <= 0.15 * equal.segments, `${equal.different} of ${equal.segments}`)
})

t.test('planted differences: found after so many blocks, or not', async t => {
  const { plan, samples } = runOf({ a: 1000, same: 1000, slower: 950, slowest: 800 }, { blocks: 60, sd: 0.04 })
  const planted = [['same', 0], ['slower', 0.05], ['slowest', 0.25]].map(([arm, more]) => ({
    arm: String(arm),
    more: Number(more),
    expected: 1 / (1 + Number(more))
  })
  )
  const { planted: [same, slower, slowest] } = resolutionOf({ plan, samples, equal: ['a'], planted, timing })
  t.equal(same.foundAfter, null)
  t.match(slower, { verdict: 'slower', expected: 1 / 1.05 })
  t.match(slowest, { verdict: 'slower' })
  t.ok(Number(slowest.foundAfter) >= 6 && Number(slowest.foundAfter) <= Number(slower.foundAfter))
  t.ok(slower.low < 0.955 && slower.high > 0.945)
})

t.test('too little to say anything', async t => {
  const { plan, samples } = runOf({ a: 1000, b: 1000 }, { blocks: 3, sd: 0.04 })
  const { table, equal, planted } = resolutionOf({
    plan,
    samples,
    equal: ['a', 'b'],
    planted: [{ arm: 'b', more: 0.05, expected: 0.95 }],
    timing
  })
  t.notOk(table.some(({ difference }) => Number.isFinite(difference)))
  t.strictSame(equal, { segments: 0, different: 0, blocks: 12 })
  t.equal(planted[0].foundAfter, null)
})
