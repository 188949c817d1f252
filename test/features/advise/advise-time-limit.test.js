/** Tests what an advice still measures when its time ends. */
import t from '../../support/tap.js'
import { isTooLate } from '../../../bench/features/advise/study.js'

t.test('a measurement has to leave time for the kit', async t => {
  const advice = { quick: true, elapsedSeconds: 73, neededSeconds: 90 }
  t.equal(isTooLate(advice), false)
  t.equal(isTooLate({ ...advice, elapsedSeconds: 74 }), true, '74 + 90 + 17 s are more than three minutes')
  t.equal(isTooLate({ ...advice, elapsedSeconds: 74, quick: false }), false)
})
