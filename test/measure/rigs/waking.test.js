/** Tests when an arm counts as awake after it has waited. */
import t from '../../support/tap.js'
import { isAwake, MAX_BLOCKS, toCost } from '../../../bench/measure/rigs/waking.js'

t.test('an arm is awake when a block costs about as much as at the end of its warm-up', t => {
  t.equal(isAwake([114], 100), true)
  t.equal(isAwake([200, 114], 100), true)
  t.equal(isAwake([200, 116], 100), false)
  t.equal(isAwake([NaN], 100), false, 'an invalid trial shows nothing')
  t.end()
})

t.test('an arm that stays dearer, as in turns, is awake when its cost no longer falls', t => {
  t.equal(isAwake([150, 152, 149, 150, 151, 150, 149], 100), false, 'too few blocks')
  t.equal(isAwake([150, 152, 149, 150, 151, 149, 153, 150], 100), true)
  t.equal(isAwake([190, 151, 140, 149, 135, 138, 134, 139], 100), false, 'it still falls')
  t.equal(isAwake([190, 180, 150, 151, 149, 148, 150, 152], 0), true, 'no cost of the warm-up is known')
  t.ok(MAX_BLOCKS >= 8)
  t.end()
})

t.test('the cost of a block is CPU time of the served side, or else the time of a request', t => {
  const sample = (/** @type {number} */ proxy, /** @type {number} */ server) =>
    ({ cpuSeconds: { load: 9, proxy, server, idle: 0 }, requests: 100, rps: 50 })
  t.equal(toCost(sample(0.1, 0.3)), 0.004)
  t.equal(toCost(sample(0, 0)), 0.02)
  t.ok(Number.isNaN(toCost({ ...sample(NaN, NaN), rps: NaN })))
  t.end()
})
