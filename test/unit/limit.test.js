import t from 'tap'
import { setTimeout as sleep } from 'node:timers/promises'
import { atMost } from '../../bench/studies/remote/limit.js'

t.test('what never ends is left after its limit, and what fails before says so', async t => {
  await atMost(new Promise(() => {}), 0.01)
  await t.rejects(atMost(Promise.reject(new Error('no')), 60), { message: 'no' })
})

t.test('what ends in time is waited for, and leaves no timer behind', async t => {
  const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  const before = timers()
  let ended = false
  await atMost(sleep(20).then(() => { ended = true }), 60)
  t.ok(ended)
  t.equal(timers(), before)
})
