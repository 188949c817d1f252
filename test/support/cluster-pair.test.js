import t from './tap.js'
import { compareWithHand, judge } from '../perf/cluster-pair.js'

const ratios = [1.5, 1.6, 1.7, 1.8, 1.9]

t.test('compares intervals with the middle half of the ratios by hand, and estimates with their median', async t => {
  const { low, middle, high, runs } = compareWithHand({ ratios }, [
    { ratio: 1.7, low: 1.65, high: 1.75 },
    { ratio: 1.36, low: 1.3, high: 1.6 },
    { ratio: 1.36, low: 1.3, high: 1.59 },
    { ratio: 2.04, low: 1.81, high: 2.1 },
    { ratio: null, low: null, high: null }
  ])
  t.strictSame([low, middle, high], [1.6, 1.7, 1.8])
  t.strictSame(runs.map(({ isOverlapping }) => isOverlapping), [true, true, false, false, false])
  t.strictSame(runs.map(({ off }) => Number(off.toFixed(3))), [0, -0.2, -0.2, 0.2, Infinity])
})

t.test('the goal is nine of ten intervals that overlap, and no estimate that is off by more than 5 %', async t => {
  const near = { isOverlapping: true, off: -0.05 }
  const apart = { isOverlapping: false, off: 0.01 }
  const judgeRuns = (/** @type {typeof near[]} */ ...runs) => judge([...Array(8).fill(near), ...runs])
  t.strictSame(judgeRuns(near, apart), { overlapping: 9, off: 0.05, isMet: true })
  t.strictSame(judgeRuns(apart, apart), { overlapping: 8, off: 0.05, isMet: false })
  t.strictSame(judgeRuns(near, { isOverlapping: true, off: -0.06 }), { overlapping: 10, off: 0.06, isMet: false })
  t.equal(judge([]).isMet, false)
})
