import t from '../../../support/tap.js'
import { estimateCapacity } from '../../../../bench/features/size/capacity/scaling.js'
import { findBeginning, readOfferings, withScores } from '../../../../bench/features/size/prices/offerings.js'
import { getSpeed, SPREAD, withSpeed } from '../../../../bench/features/size/prices/portability.js'
import { computeScore } from '../../../../bench/judge/machines.js'
import { readScores, storeScore } from '../../../../bench/store/scores.js'
import { makeOffering, measured, priceOne } from '../../../support/offerings.js'

const score = { value: 0.8, low: 0.78, high: 0.82, from: 'hopbench doctor --score', read: '2026-11-28' }

t.test('the speed of scored cores is relative to this machine at the time of the sizing', async t => {
  const { portability, middle, low, high } = getSpeed({ score }, 1.6)
  t.equal(portability, 'known')
  t.ok(middle === 0.5 && low < 0.78 / 1.6 && high > 0.82 / 1.6)
  const [least, most] = [SPREAD.low / 2, SPREAD.high / 2]
  t.same(getSpeed({}, 2), { low: least, middle: most, high: most, portability: 'assumed' })
  t.equal(getSpeed({ score }, null).portability, 'assumed', 'an older sizing has no score of its machine')
  t.equal(computeScore(null), null)
})

t.test('cores of half the speed serve half the rate', async t => {
  t.match(withSpeed({ ...measured, pause: 0.02 }, 0.5), { capacity: 2500, pause: 0.04 })
  const topologies = [{ ...measured, score: 1, range: { low: 4900, high: 5100 } }]
  const [slow, here] = [0.5, 1].map(value => priceOne({ score: { ...score, value } }, { topologies }))
  t.equal(slow.perInstance, Number(here.perInstance) / 2)
  t.match(slow, { portability: 'known', speed: { middle: 0.5 } })
})

t.test('capacity rises with the number of processes by the law, within its range', async t => {
  let last = 0
  for (let count = 1; count <= 32; count++) {
    const { rate, low, high, by, atLeast } = estimateCapacity(measured, count)
    t.ok(rate > last && low <= rate && rate <= high && high <= 5000 * count, `${count}: ${low} to ${high}`)
    t.same([by, atLeast], [count === 1 ? null : 'law', false])
    last = rate
  }
  t.equal(estimateCapacity(measured, 33).atLeast, true)
})

t.test('stores a score under the beginning of the names of offerings', async t => {
  const dir = t.testdir({})
  t.same(readScores(dir), {})
  const offerings = readOfferings()
  const name = findBeginning(offerings, 'fly.io performance-1x')
  t.equal(name, 'Fly.io performance-1x')
  t.throws(() => findBeginning(offerings, 'Fly.io'), { code: 'unknown-plan' })
  await storeScore(name, score, dir)
  const scored = withScores(offerings, readScores(dir)).filter(offering => offering.score)
  t.same(scored.map(offering => offering.name), ['performance-1x 2GB'])
  t.equal(withScores([makeOffering({})], readScores(dir))[0].score, undefined)
  t.throws(() => readScores(t.testdir({ 'scores.json': '{"schema":1,"scores":{"Acme":{"value":1e99}}}' })),
    { code: 'bad-run-file' })
})
