/** One window: what a generator that was killed had sent belongs to nobody's count. */
import t from 'tap'
import { measureWindow } from '../../bench/measure/measure-window.js'
import { scriptedArm } from '../support/scripted-arm.js'

/** A window of 500 requests, with what the front has counted each time it is read. @param {number[]} counts */
function windowOf (counts) {
  const { staged, generator } = scriptedArm()
  const { front } = staged.running
  const next = () => Number(counts.length > 1 ? counts.shift() : counts[0])
  staged.running.front = async () => ({ ...await front(), requests: next() })
  const measurement = { requests: 500, errors: { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }, latencyMs: null }
  generator.finished = async () => ({ measurement: { ...measurement, bytes: null, seconds: 1 }, sampled: 0 })
  /** @type {any} */
  const order = {
    arm: staged.arm,
    block: 0,
    startedAt: '2024-05-06T07:08:09.000Z',
    staged: { ...staged, dir: t.testdirName },
    engine: { plugin: { about: { title: 'an engine', users: true } }, start: async () => generator },
    cores: { split: false },
    kind: { warm: true, series: false },
    seconds: 1,
    unit: 'requests',
    watch: () => ({ end: () => null })
  }
  return measureWindow(order)
}

t.test('a window begins when the front has counted what the warm-up left in its sockets', async t => {
  t.match(await windowOf([60, 100, 122, 122, 622]), { invalid: null, requests: 500 })
})

t.test('a front that counts more than its clients asked for makes the window invalid', async t => {
  const { load: { connections } } = scriptedArm().staged.arm
  t.match(await windowOf([100, 100, 600 + connections + 1]), { invalid: null }, 'one is the sampler\'s')
  t.match(await windowOf([100, 100, 600 + connections + 2]), { invalid: { code: 'counts-disagree' } })
})
