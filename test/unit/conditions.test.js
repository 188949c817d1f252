import t from '../support/tap.js'
import { claimWords, differences } from '../../bench/report/conditions.js'
import { makeArm, makeClaim, makeRecord } from '../support/record.js'

const record = makeRecord()
const { cores } = record.environment.cpu

t.test('names only the differences from the published conditions', async t => {
  t.strictSame(differences({ cores, hosts: 1, software: { nginx: '1.22.0' } }, record), [],
    'another patch release is not a difference')
  t.strictSame(differences({ software: { constructor: '1', toString: '2' } }, record), [],
    'names of every object are no programs')
  t.strictSame(differences({ cores: 36 }, record), [`${cores} cores in place of 36`])
  t.strictSame(differences({ hosts: 2, link: 'gigabit' }, record),
    ['the load on the same machine', 'a loopback in place of a gigabit link'])
  t.strictSame(differences({ processes: 4 }, record), ['one process in place of 4'])
  t.strictSame(differences({ software: { nginx: '1.4.3', node: '0.8.12', apache: '2.4.41' } }, record),
    ['nginx 1.22.1 in place of 1.4.3', 'Node 20.19.0 in place of 0.8.12'], 'Apache was not used')
  const many = makeRecord({ arms: [makeArm({ spec: 'express-json@pm2:4' })] })
  t.strictSame(differences({ processes: 4 }, many), [])
})

t.test('prints "confirmed" and "refuted" only when the published conditions are declared and met', async t => {
  const claim = (/** @type {any} */ status, /** @type {any} */ conditions) =>
    claimWords({ ...makeClaim({ status }), conditions }, record)
  t.equal(claim('confirmed', { cores }), 'confirmed')
  t.equal(claim('refuted', { cores }), 'refuted')
  t.equal(claim('confirmed', { cores: 36 }), 'reproduced here')
  t.equal(claim('refuted', { cores: 36 }), 'not reproduced here')
  t.equal(claim('refuted', undefined), 'not reproduced here', 'not declared')
  t.equal(claim('inconclusive', { cores }), 'inconclusive')
  t.equal(claim('not-testable', { cores }), 'not testable here')
})
