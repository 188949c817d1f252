import t from '../../support/tap.js'
import { behaviourAnswer } from '../../../bench/report/kinds/behaviour.js'

/**
 * Returns a record whose arms have a delay of as many milliseconds as their names state.
 * @param {number[]} delays in ms
 */
const recordOf = delays => /** @type {any} */ ({
  plan: { answer: { by: 'behaviour', delay: 'event', names: { 'arm 9': 'the slow one' } } },
  arms: delays.map(p99 => ({
    name: `arm ${p99}`,
    plays: { groups: [{ name: 'SSE', delays: { event: { p99 } } }, { name: 'text', delays: { event: { p99: 0.5 } } }] }
  }))
})

t.test('names all arms, or the highest two and the lowest of many', async t => {
  t.equal(behaviourAnswer(recordOf([1, 2, 9])),
    'The 99th percentile of the event delay is 9.00 ms with the slow one, 2.00 ms with arm 2 and 1.00 ms with arm 1.')
  t.equal(behaviourAnswer(recordOf([1, 2, 3, 4, 5, 6, 9])),
    'The 99th percentile of the event delay is 9.00 ms with the slow one, 6.00 ms with arm 6 and 1.00 ms with arm 1, ' +
    'with 4 further arms between them.')
  t.equal(behaviourAnswer(recordOf([])), 'There is no valid measurement.')
})
