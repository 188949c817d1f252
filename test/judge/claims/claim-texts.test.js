/** Tests the words of claims: by the conditions of a publication, and of a ratio of which one arm was not saturated. */
import t from '../../support/tap.js'
import { judgeClaims } from '../../../bench/judge/claims/claims.js'
import { summarize } from '../../../bench/judge/summary.js'
import { claimMetrics, claimWords, differences } from '../../../bench/report/claims.js'
import { claimRows } from '../../../bench/report/ratio-rows.js'
import { makeArm, makeClaim, makeRecord } from '../../support/record.js'
import { cores, planFor, samplesFor } from '../../support/samples.js'

/** @import { ArmResult, ClaimResult } from '../../../bench/types.js' */

/**
 * Returns a run with one claim about uds-keepalive against keepalive.
 * @param {[arm: ArmResult['bound'], baseline: ArmResult['bound']]} bounds
 * @param {Partial<ClaimResult>} claim
 */
const runWith = ([arm, baseline], claim) => makeRecord({
  arms: [makeArm({ name: 'uds-keepalive', bound: arm }), makeArm({ name: 'keepalive', bound: baseline })],
  claims: [makeClaim({ status: 'refuted', ...claim })]
})
const slower = { measured: 0.16, low: 0.14, high: 0.17, published: 0.4 }

t.test('prints a bound in place of the interval', async t => {
  const record = runWith(['server', 'none'], { ...slower, oneSided: 'at-most' })
  t.match(claimMetrics(record.claims[0], record), /, measured at most 0\.17$/)
  t.match(claimRows(record), [{ low: null, high: 0.17 }])
  const saturated = runWith(['server', 'proxy'], slower)
  t.match(claimMetrics(saturated.claims[0], saturated), /, measured 0\.16 \(0\.14 to 0\.17\)$/)
  t.match(claimRows(saturated), [{ low: 0.14, high: 0.17 }])
})

/**
 * Judges a claim about a server that is half as fast as its baseline, with CPU times that show these bottlenecks.
 * @param {number} published ratio
 * @param {string[]} saturated names of the arms whose server was saturated; the load of the others waited
 * @param {import('../../../bench/types.js').ClaimTest} [test]
 */
function judge (published, saturated, test = { kind: 'ratio', arm: 'slow', baseline: 'fast' }) {
  const source = { title: 't', author: 'a', year: 2020, machine: 'm' }
  const plan = planFor({
    arms: { slow: 'express-json', fast: 'express-json' }, claims: [{ id: 'c', source, statement: 's', published, test }]
  })
  const samples = samplesFor(plan, 12, (arm, block) => ({
    rps: (arm === 'slow' ? 5000 : 10_000) + block,
    cpuSeconds: { load: 0.1, proxy: 0, server: saturated.includes(arm) ? 0.5 : 0.2, idle: 0 }
  }))
  const { arms, contrasts } = summarize({ plan, samples, cores })
  return judgeClaims(plan, arms, contrasts, samples)[0]
}

t.test('leaves an order open where a rate is only a lower bound on the side that decides', async t => {
  const ordered = (/** @type {string[]} */ saturated, /** @type {[string, string]} */ arms) =>
    judge(0, saturated, { kind: 'order', arms })
  t.match(ordered(['slow', 'fast'], ['fast', 'slow']), { status: 'confirmed' })
  t.match(ordered(['fast'], ['fast', 'slow']),
    { status: 'inconclusive', why: [{ code: 'order-open' }, { code: 'not-saturated', params: { arm: 'slow' } }] })
  t.match(ordered(['slow'], ['fast', 'slow']), { status: 'confirmed' }, 'the faster arm can only be faster')
})

t.test('leaves a claim open unless the bound excludes the published ratio', async t => {
  // Only the server of one arm was saturated: slow ÷ fast is at most or at least 0.5.
  t.match(judge(0.9, ['slow']), { status: 'refuted', oneSided: 'at-most', why: [{ code: 'ratio-place' }] })
  for (const published of [0.5, 0.2]) {
    const { status, oneSided, why } = judge(published, ['slow'])
    t.strictSame({ status, oneSided, why }, {
      status: 'inconclusive', oneSided: 'at-most', why: [{ code: 'not-saturated', params: { arm: 'fast' } }]
    })
  }
  t.match(judge(0.2, ['fast']), { status: 'refuted', oneSided: 'at-least', why: [{ code: 'ratio-place' }] })
  const { status, oneSided, why } = judge(0.9, ['fast'])
  t.strictSame({ status, oneSided, why }, {
    status: 'inconclusive', oneSided: 'at-least', why: [{ code: 'not-saturated', params: { arm: 'slow' } }]
  })
  const saturated = judge(0.9, ['slow', 'fast'])
  t.equal(saturated.status, 'refuted')
  t.notOk('oneSided' in saturated)
})

const declared = makeRecord()
const { cores: available } = declared.environment.cpu

t.test('names only the differences from the published conditions', async t => {
  t.strictSame(differences({ cores: available, hosts: 1, software: { nginx: '1.22.0' } }, declared), [],
    'another patch release is not a difference')
  t.strictSame(differences({ cores: 36 }, declared), [`${available} cores in place of 36`])
  t.strictSame(differences({ hosts: 2, link: 'gigabit' }, declared),
    ['the load on the same machine', 'a loopback in place of a gigabit link'])
  t.strictSame(differences({ processes: 4 }, declared), ['one process in place of 4'])
  t.strictSame(differences({ software: { nginx: '1.4.3', node: '0.8.12', apache: '2.4.41' } }, declared),
    ['nginx 1.22.1 in place of 1.4.3', 'Node 20.19.0 in place of 0.8.12'], 'Apache was not used')
  const many = makeRecord({ arms: [makeArm({ spec: 'express-json@pm2:4' })] })
  t.strictSame(differences({ processes: 4 }, many), [])
  const [arm] = declared.arms
  const users = { arm: 'a', users: 6000, wanted: 1, used: 0.17 }
  const slow = { ...declared, slowerUsers: { capacity: 2000, share: 0.5, arms: [users] } }
  t.strictSame(differences({ fresh: true, engine: 'ab', link: 'a link of 100 Mbit/s' }, slow), [
    'a loopback in place of a link of 100 Mbit/s', 'kept connections in place of new ones',
    '0.17 requests a second of each user in place of 1 (a)', `${arm.load.engine} in place of ab`
  ])
  const lab = { net: /** @type {const} */ ('gigabit') }
  const gigabit = { ...declared, arms: [{ ...arm, topology: { ...arm.topology, lab } }] }
  t.strictSame(differences({ link: 'gigabit' }, gigabit), [])
  t.strictSame(differences({ link: 'a link of 100 Mbit/s' }, gigabit),
    ['a gigabit link in place of a link of 100 Mbit/s'])
})

t.test('prints "confirmed" and "refuted" only when the published conditions are declared and met', async t => {
  const claim = (/** @type {any} */ status, /** @type {any} */ conditions) =>
    claimWords({ ...makeClaim({ status }), conditions }, declared)
  t.equal(claim('confirmed', { cores: available }), 'confirmed')
  t.equal(claim('refuted', { cores: available }), 'refuted')
  t.equal(claim('confirmed', { cores: 36 }), 'reproduced here')
  t.equal(claim('refuted', { cores: 36 }), 'not reproduced here')
  t.equal(claim('refuted', undefined), 'not reproduced here', 'not declared')
  t.equal(claim('inconclusive', { cores: available }), 'inconclusive')
  t.equal(claim('not-testable', { cores: available }), 'not testable here')
})
