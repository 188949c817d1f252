import t from '../../support/tap.js'
import { findDisagreement } from '../../../bench/measure/disagreement.js'
import { rejectNothingLeft } from '../../../bench/measure/rigs/rig.js'
import { planFor } from '../../support/samples.js'

/**
 * Returns the arguments of a comparison of counts.
 * @param {{ client?: number, sampled?: number, served?: number, lost?: number, countsLate?: boolean }} figures
 * @returns {Parameters<typeof findDisagreement>}
 */
const counts = ({ client = 1000, sampled = 0, served = 1000, lost = 0, countsLate = false }) => [{
  measurement: {
    requests: client,
    errors: { non2xx: 0, timeouts: lost, resets: 0, mismatches: 0 },
    bytes: null,
    seconds: null,
    latencyMs: null
  },
  sampled
}, { served, connections: 10, countsLate }]

t.test('client and server may differ by the requests in flight at the end', async t => {
  t.equal(findDisagreement(...counts({})), null)
  t.equal(findDisagreement(...counts({ served: 1010 })), null)
  t.equal(findDisagreement(...counts({ sampled: 50, served: 1051 })), null, 'requests of the sampler are included')
  t.equal(findDisagreement(...counts({ served: 1015, lost: 5 })), null, 'a lost response was counted as a request')
})

t.test('reports both numbers when client and server disagree', async t => {
  t.match(findDisagreement(...counts({ served: 999 })), { params: { generator: 1000, served: 999 } })
  t.equal(findDisagreement(...counts({ served: 990, countsLate: true })), null,
    'Apache counts a request after sending its response')
  t.match(findDisagreement(...counts({ served: 989, countsLate: true })), { params: { served: 989 } })
  t.match(findDisagreement(...counts({ served: 1012 })), { params: { served: 1012, most: 11 } })
})

t.test('continues when at least one contrast remains, and fails otherwise', async t => {
  const reason = /** @type {const} */ ({ code: 'gate-refused', params: { why: 'the body is another one' } })
  const plan = planFor({
    arms: { tcp: 'nginx:tcp/express-json', uds: 'nginx:uds/express-json', keepalive: 'nginx:keepalive/express-json' }
  })
  t.doesNotThrow(() => rejectNothingLeft(plan, new Map()))
  t.doesNotThrow(() => rejectNothingLeft(plan, new Map([['uds', reason]])))
  t.throws(() => rejectNothingLeft(plan, new Map([['tcp', reason]])), {
    code: 'gate-refused',
    message: /the body is another one/
  })
  t.throws(() => rejectNothingLeft(plan, new Map([['uds', reason], ['keepalive', reason]])), { code: 'gate-refused' })
})

t.test('fails when the only arm is rejected', async t => {
  const plan = planFor({ arms: { it: 'http-json' } })
  t.doesNotThrow(() => rejectNothingLeft(plan, new Map()))
  t.throws(() => rejectNothingLeft(plan, new Map([['it', { code: 'gate-refused', params: { why: 'no' } }]])), {
    code: 'gate-refused'
  })
})
