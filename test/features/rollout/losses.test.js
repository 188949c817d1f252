/** Counts of what the clients of rollouts have lost. */
import t from '../../support/tap.js'
import { countLosses, isValid, rankArms, toName } from '../../../bench/features/rollout/losses.js'
import { makeResult, makeRolloutArm } from '../../support/rollouts.js'

t.test('counts lost requests apart from files of another build, repeated requests and held connections', async t => {
  const result = makeResult({
    clients: [
      { client: 'page', requests: 100, counts: { ok: 90, refused: 4, repeated: 6 } },
      { client: 'late-file', requests: 20, counts: { ok: 10, gone: 5, 'gone-recovered': 2, mixed: 1, reset: 2 } },
      { client: 'stream', requests: 3, counts: { ok: 1, reset: 2 } },
      { client: 'idle', requests: 4, counts: { closed: 3, reset: 1 } }
    ]
  })
  const { requests, lost, gone, recovered, mixed, repeated } =
    countLosses(makeRolloutArm({ rollouts: [result] }))
  t.strictSame({ requests, lost, gone, recovered, mixed, repeated },
    { requests: 120, lost: 6, gone: 5, recovered: 2, mixed: 1, repeated: 6 })
})

t.test('leaves out rollouts that failed, and those with late clients', async t => {
  const rollouts = [makeResult({ lost: 3 }), makeResult({ lagMs: 51, lost: 9 }), makeResult({ failure: 'no', lost: 9 })]
  t.strictSame(rollouts.map(isValid), [true, false, false])
  const { lost, invalid, failures, valid } = countLosses(makeRolloutArm({ rollouts }))
  t.strictSame({ lost, invalid, failures, valid: valid.length }, { lost: 3, invalid: 1, failures: ['no'], valid: 1 })
})

t.test('an arm without a valid rollout has no pause and no rank', async t => {
  const losses = countLosses(makeRolloutArm({ rollouts: [makeResult({ lagMs: 60 })] }))
  t.strictSame([losses.pauseMs, losses.requests], [null, 0])
  t.strictSame(rankArms([losses]), [])
})

t.test('ranks arms by lost requests, then by files, and keeps the order of equal ones', async t => {
  const toArm = (/** @type {string} */ way, /** @type {Parameters<typeof makeResult>[0]} */ result) =>
    countLosses(makeRolloutArm({ way, rollouts: [makeResult(result)] }))
  const gone = [{ client: /** @type {const} */ ('file'), requests: 4000, counts: { ok: 3999, gone: 1 } }]
  const all = [toArm('a', { lost: 2 }), toArm('b', { clients: gone }), toArm('c', {}), toArm('d', {})]
  t.strictSame(rankArms(all).map(({ arm }) => arm.way), ['c', 'd', 'b', 'a'])
})

t.test('names an arm by what differs from the default', async t => {
  t.equal(toName(makeRolloutArm()), 'stop-start')
  t.equal(toName(makeRolloutArm({ policy: 'kept', retries: true })), 'stop-start+kept+reload')
})
