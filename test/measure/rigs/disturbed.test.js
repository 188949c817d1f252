/** Tests that trials during a suspend or a clock step are invalid and that the run continues. */
import t from '../../support/tap.js'
import { SliceScheduler } from '../../../bench/measure/rigs/slice-scheduler.js'
import { measureWindow } from '../../../bench/measure/measure-window.js'
import { scriptedArm, windowOf } from '../../support/scripted-arm.js'

const suspended =
  /** @type {const} */ ({ code: 'suspended', params: { seconds: 9, seen: 'asleep' } })
/** Returns a watch that reports a disturbance of the first trial only. */
const oneDisturbed = () => {
  const reasons = [suspended]
  return () => {
    const reason = reasons.pop() ?? null
    return { end: () => reason }
  }
}

const nothing = {
  requests: 0,
  rps: 0,
  errors: { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 },
  invalid: suspended
}

t.test('a disturbed slice is invalid and the next slice of the same arm is valid', async t => {
  const arm = scriptedArm()
  const slicer = new SliceScheduler(new Map([['it', /** @type {any} */ (arm)]]), { watch: oneDisturbed() })
  t.match(await slicer.measureSlice('it', 0), { ...nothing, block: 0 })
  t.match(arm.seen, { paused: true, pauses: 1 }, 'its generator is paused again')
  t.strictSame([...slicer.lost], [], 'the arm is not lost')
  t.match(await slicer.measureSlice('it', 1), { block: 1, invalid: null, requests: Number })
  slicer.close()
})

t.test('attributes failed readings in a disturbed slice to the disturbance, not to the arm', async t => {
  const arm = scriptedArm()
  arm.staged.running.front = async () => { throw new Error('the proxy\'s counters did not respond within 5 s') }
  const slicer = new SliceScheduler(new Map([['it', /** @type {any} */ (arm)]]), { watch: oneDisturbed() })
  t.match(await slicer.measureSlice('it', 0), nothing, 'timeouts have expired spuriously')
  t.match(await slicer.measureSlice('it', 1), { invalid: { code: 'no-reading', params: { message: /within 5 s/ } } },
    'in any other slice they are a fault of the arm')
  slicer.close()
})

t.test('a disturbed window is invalid', async t => {
  const order = windowOf(scriptedArm(), { block: 3, watch: oneDisturbed() })
  t.match(await measureWindow(order), { ...nothing, block: 3 })
  t.match(await measureWindow(order), { requests: 500 }, 'the next window is valid')
})
