/** Tests which comparisons an advice still makes when its time ends. */
import t from 'tap'
import { isTooLate } from '../../bench/studies/advise/time-limit.js'

const advice = { quick: true, isSized: true, elapsedSeconds: 60, longestSeconds: 30 }

t.test('a comparison has to leave time for the sizing and the kit', async t => {
  t.equal(isTooLate(advice), false)
  t.equal(isTooLate({ ...advice, elapsedSeconds: 66 }), true, '66 + 30 + 60 + 25 s are more than three minutes')
  t.equal(isTooLate({ ...advice, elapsedSeconds: 66, isSized: false }), false)
  t.equal(isTooLate({ ...advice, elapsedSeconds: 66, quick: false }), false)
})

t.test('the first comparison is always made', async t => {
  t.equal(isTooLate({ ...advice, elapsedSeconds: 900, longestSeconds: 0 }), false)
})
