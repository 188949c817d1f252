import t from '../support/tap.js'
import { readClocks } from '../../bench/machine/clocks.js'
import { measureUndisturbed } from '../../bench/measure/undisturbed.js'
import { makeSample } from '../support/record.js'
import { watchTrial } from '../../bench/measure/watch-trial.js'
import { findDisturbance } from '../../bench/shared/disturbance.js'
import { SUSPENDED_SECONDS } from '../../bench/shared/thresholds.js'

/** @import { Clocks } from '../../bench/machine/types.js' */
/** @import { Reason } from '../../bench/types.js' */

const noProc = process.platform === 'linux' ? false : 'there is no /proc here'
/** Changes of the clocks within half a second without a disturbance. */
const quiet = { seconds: 0.5, bootSeconds: 0.5, wallSeconds: 0.5, stillSeconds: 0 }

/**
 * Watches a trial with these readings of the clocks, the first at its start and the last at its end.
 * @param {Clocks[]} readings
 */
const trialBy = (...readings) => watchTrial({ read: () => /** @type {Clocks} */ (readings.shift()) }).end()

/**
 * Changes of the quiet clocks, and the disturbance that they show.
 * @type {[string, Partial<Parameters<typeof findDisturbance>[0]>, object | null][]}
 */
const SEEN = [
  ['clocks that advanced equally', {}, null],
  ['inexact readings on a busy machine', { bootSeconds: 0.51, wallSeconds: 0.503, stillSeconds: 0.4 }, null],
  ['no boot-time clock', { bootSeconds: null }, null],
  ['a suspend', { bootSeconds: 0.5 + 2 * SUSPENDED_SECONDS }, { code: 'suspended', params: { seen: 'asleep' } }],
  ['a clock that was set by a tenth of a slice', { wallSeconds: 0.55 }, { code: 'clock-stepped' }],
  ['a clock that is slewed', { seconds: 60, bootSeconds: 60, wallSeconds: 60.03 }, null],
  ['readings that were not simultaneous', { wallSeconds: 0.53, blurSeconds: 0.04 }, null],
  ['a suspend without a boot-time clock', { bootSeconds: null, wallSeconds: 60.5 },
    { code: 'suspended', params: { seconds: 60, seen: 'ahead' } }],
  ['a step back without a boot-time clock', { bootSeconds: null, wallSeconds: -60 },
    { code: 'clock-stepped', params: { seconds: -60.5 } }]
]
t.test('finds a disturbance in the changes of the clocks', async t => {
  for (const [name, change, expected] of SEEN) {
    const found = findDisturbance({ ...quiet, ...change })
    if (expected) t.match(found, expected, name)
    else t.equal(found, null, name)
  }
})

t.test('distinguishes a suspend within a trial from a clock that was set', async t => {
  const start = { monotonic: 100, boot: 5000, wall: 1e9 }
  t.match(trialBy(start, { monotonic: 100.5, boot: 8600.5, wall: 1e9 + 3600.5 }),
    { code: 'suspended', params: { seconds: 3600, seen: 'asleep' } })
  t.match(trialBy(start, { monotonic: 100.5, boot: 5000.5, wall: 1e9 - 3599.5 }),
    { code: 'clock-stepped', params: { seconds: -3600 } })
})

t.test('reads the clocks of this machine', { skip: noProc }, async t => {
  const [first, last] = [readClocks(), readClocks()]
  t.ok(last.monotonic > first.monotonic && Number(first.boot) > 0 && Number(last.boot) >= Number(first.boot))
  t.ok(Math.abs(first.wall - Date.now() / 1000) < 60)
})

t.test('reads two clocks on a system without /proc', async t => {
  t.match(readClocks({ root: t.testdir({}) }), { boot: null, monotonic: Number, wall: Number, apart: Number })
})

t.test('detects that the suite itself was paused, even when the clocks did not advance', async t => {
  const still = { monotonic: 1, boot: 1, wall: 1 }
  const trial = watchTrial({ read: () => still })
  // Blocks the main thread as SIGSTOP does.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1400)
  t.match(trial.end(), {
    code: 'suspended',
    params: { seen: 'paused' }
  })
})

t.test('repeats a disturbed window and fails after three attempts', async t => {
  const suspended = /** @type {const} */ ({ code: 'suspended', params: { seconds: 9, seen: 'asleep' } })
  /** @type {any} */
  const order = { arm: { name: 'uds', load: {} }, tag: 'peak' }
  const runs = (/** @type {(Reason | null)[]} */ reasons) => {
    /** @type {(string | undefined)[]} */
    const tags = []
    return {
      tags,
      measure: async (/** @type {any} */ { tag }) => {
        tags.push(tag)
        return makeSample({ invalid: reasons.shift() ?? null })
      }
    }
  }
  const once = runs([suspended])
  t.equal((await measureUndisturbed(order, once.measure)).invalid, null)
  t.strictSame(once.tags, ['peak', 'peak-again-1'], 'with separate files')
  const failed = /** @type {const} */ ({ code: 'nothing-served', params: {} })
  const errors = runs([failed])
  t.match(await measureUndisturbed(order, errors.measure), { invalid: { code: 'nothing-served' } },
    'faults of the arm are not repeated')
  const never = runs([suspended, suspended, suspended])
  await t.rejects(measureUndisturbed(order, never.measure), {
    code: 'machine-disturbed',
    message: /uds could not be measured, 3 times in a row: the machine was suspended/
  })
})
