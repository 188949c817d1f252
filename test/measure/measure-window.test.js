/** Tests the counts of one window, without requests that a killed generator left in sockets. */
import t from '../support/tap.js'
import { measureWindow } from '../../bench/measure/measure-window.js'
import { scriptedArm, windowOf } from '../support/scripted-arm.js'

/**
 * Measures a window of 500 requests.
 * @param {number[]} counts successive readings of the counter of the front
 */
function measureCounts (counts) {
  const arm = scriptedArm()
  const { staged, generator } = arm
  const { front } = staged.running
  const next = () => Number(counts.length > 1 ? counts.shift() : counts[0])
  staged.running.front = async () => ({ ...await front(), requests: next() })
  const measurement = { requests: 500, errors: { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }, latencyMs: null }
  generator.finished = async () => ({ measurement: { ...measurement, bytes: null, seconds: 1 }, sampled: 0 })
  return measureWindow(windowOf(arm, { staged: { ...staged, dir: t.testdirName } }))
}

t.test('begins a window after the front has counted the remaining requests of the warm-up', async t => {
  t.match(await measureCounts([60, 100, 122, 122, 622]), { invalid: null, requests: 500 })
})

t.test('a front that counts more requests than its clients sent makes the window invalid', async t => {
  const { load: { connections } } = scriptedArm().staged.arm
  t.match(await measureCounts([100, 100, 600 + connections + 1]), { invalid: null }, 'one request is from the sampler')
  t.match(await measureCounts([100, 100, 600 + connections + 2]), { invalid: { code: 'counts-disagree' } })
})
