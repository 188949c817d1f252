import t from '../../../support/tap.js'
import { startMetronome } from '../../../../bench/load/generators/paced/metronome.js'

t.test('wakes once for each time, never before it, and ignores a time while another one is due', async t => {
  /** @type {(at: number) => void} */
  let woken = () => {}
  // The thread alone keeps no process alive.
  const alive = setInterval(() => {}, 1000)
  const { now, wakeAt } = await startMetronome(() => woken(now()))
  for (let i = 0; i < 50; i++) {
    const at = now() + i / 10
    const seen = new Promise(resolve => { woken = resolve })
    wakeAt(at)
    wakeAt(at + 60_000)
    const before = await seen >= at
    if (!before) t.fail(`woken before ${at}`)
  }
  clearInterval(alive)
  t.pass('each wait ended, at its time or later')
})
