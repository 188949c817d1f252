/** Tests the ratio of a contrast over several starts. */
import t from '../support/tap.js'
import { computeContrastRatio } from '../../bench/judge/contrast-ratio.js'
import { fitStarts } from '../../bench/judge/starts.js'

/** @param {number[][]} ratios of the blocks of each start */
function compute (ratios) {
  const rates = ratios.flat()
  const startOf = new Map(ratios.flatMap((start, i) => start.map(() => i)).map((start, block) => [block, start]))
  const byArm = new Map([
    ['a', new Map(rates.map((rate, block) => [block, rate]))],
    ['b', new Map(rates.map((_, block) => [block, 1]))]
  ])
  return computeContrastRatio({ byArm, startOf, starts: fitStarts(byArm, startOf), isWarm: true }, ['a', 'b'], 0.99)
}

t.test('two starts that differ have a ratio and no interval', async t => {
  const { ratio, low, high, starts } = compute([[1, 1.1, 1.05, 1], [3, 3.1, 3, 3.2]])
  t.ok(ratio > 1 && ratio < 3.2)
  t.strictSame([low, high, starts], [0, Infinity, 2])
})

t.test('starts that agree have an interval that includes the usual difference of starts', async t => {
  const { low, high, df } = compute([[2, 2.01, 1.99, 2], [2.01, 2, 2, 1.99], [2, 2.01, 1.99, 2]])
  t.ok(low > 1.8 && low < 1.9 && high > 2.1 && high < 2.2, `${low} to ${high}`)
  t.ok(Number(df) > 3 && Number(df) <= 4, `${df}`)
})

t.test('five starts show their difference themselves', async t => {
  const { low, high, df } = compute(Array.from({ length: 5 }, () => [2, 2.01, 1.99, 2]))
  t.ok(low > 1.98 && low < 2 && high > 2 && high < 2.02, `${low} to ${high}`)
  t.equal(df, 15, 'of blocks, which is wider')
})
