import t from '../support/tap.js'
import { findDisagreement } from '../../bench/measure/disagreement.js'

/**
 * @param {number} requests
 * @param {number} served
 * @returns {Parameters<typeof findDisagreement>}
 */
const counts = (requests, served, lost = 0) => [{
  measurement: {
    requests,
    errors: { non2xx: 0, timeouts: 0, resets: lost, mismatches: 0 },
    bytes: null,
    seconds: null,
    latencyMs: null
  },
  sampled: 10
}, { served, connections: 100 }]

t.test('client and server may differ by the requests in flight', async t => {
  t.equal(findDisagreement(...counts(5000, 5010)), null)
  t.equal(findDisagreement(...counts(5000, 5110)), null)
  t.equal(findDisagreement(...counts(5000, 5130, 20)), null, 'responses lost in resets were served')
})

t.test('reports a client that counted more than was served, or far less', async t => {
  t.match(findDisagreement(...counts(5000, 5009)),
    { code: 'counts-disagree', params: { generator: 5010, served: 5009, most: 0 } })
  t.match(findDisagreement(...counts(5000, 5200)), { params: { generator: 5010, served: 5200, most: 101 } })
})
