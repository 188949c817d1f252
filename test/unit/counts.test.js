import t from 'tap'
import { disagreement } from '../../bench/measure/disagreement.js'

/**
 * @param {number} requests
 * @param {number} served
 * @returns {Parameters<typeof disagreement>}
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
  t.equal(disagreement(...counts(5000, 5010)), null)
  t.equal(disagreement(...counts(5000, 5110)), null)
  t.equal(disagreement(...counts(5000, 5130, 20)), null, 'responses lost in resets were served')
})

t.test('reports a client that counted more than was served, or far less', async t => {
  t.match(disagreement(...counts(5000, 5009)),
    /counted 5010 responses and the served side 5009 requests: 1 are missing on the served side/)
  t.match(disagreement(...counts(5000, 5200)), /5200 requests: 190 are missing in the generator's report \(at most 101/)
})
