import t from 'tap'
import { crowdedIn, MOST_PROCESSES, turnsOf } from '../../bench/measure/turns.js'
import { scriptedArm } from '../support/scripted-arm.js'

/** @param {number} processes */
function armOf (processes) {
  const arm = scriptedArm()
  const pids = () => ({ proxy: Array(processes - 1).fill(0), server: [0] })
  return /** @type {any} */ ({ ...arm, staged: { ...arm.staged, running: { ...arm.staged.running, pids } } })
}
const plan = /** @type {any} */ ({ unit: 'requests', seed: 1 })

t.test('finds an arm with too many processes', async t => {
  t.equal(crowdedIn(new Map([['few', armOf(4)], ['many', armOf(MOST_PROCESSES)]])), null)
  t.strictSame(crowdedIn(new Map([['few', armOf(4)], ['many', armOf(MOST_PROCESSES + 1)]])),
    { arm: 'many', processes: MOST_PROCESSES + 1 })
})

t.test('uses gang turns, and slices that never pause the served side when an arm has too many processes', async t => {
  const [a, b] = [scriptedArm(), scriptedArm()]
  const arms = /** @type {Map<string, any>} */ (new Map([['a', a], ['b', b]]))
  const gang = turnsOf(arms, plan, null)
  t.ok(gang.round)
  t.equal(b.seen.served, 'frozen')
  t.match(await gang.trial('a', 0, { seconds: 0.1 }), { arm: 'a', block: 0, invalid: null })
  gang.close()
  const slices = turnsOf(arms, plan, { arm: 'a', processes: 4000 })
  t.notOk(slices.round)
  t.match(await slices.trial('a', 1, { seconds: 0.1 }), { arm: 'a', block: 1 })
  t.strictSame([a.seen.served, b.seen.served, a.seen.frozen], ['thawed', 'thawed', true])
  slices.close()
})
