import t from '../support/tap.js'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitAtMost } from '../../bench/studies/remote/channel.js'

t.test('gives up waiting at the limit, and reports an earlier failure', async t => {
  await waitAtMost(new Promise(() => {}), 0.01)
  await t.rejects(waitAtMost(Promise.reject(new Error('no')), 60), { message: 'no' })
})

t.test('waits for the result and clears the timer', async t => {
  const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
  const before = timers()
  let ended = false
  await waitAtMost(sleep(20).then(() => { ended = true }), 60)
  t.ok(ended)
  t.equal(timers(), before)
})
