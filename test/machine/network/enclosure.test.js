import { PassThrough } from 'node:stream'
import t from '../../support/tap.js'
import { hostPid, isEnclosed, onInterrupt, passSignalsOn } from '../../../bench/machine/network/enclosure.js'

/** @import { Test } from 'tap' */

/**
 * Installs an interrupt handler and returns a function that simulates Ctrl-C.
 * @param {Test} t
 * @param {(signal: string) => void} handler
 */
function listen (t, handler) {
  const before = process.listeners('SIGINT')
  onInterrupt(handler)
  const [listener] = process.listeners('SIGINT').filter(listener => !before.includes(listener))
  t.teardown(() => { process.off('SIGINT', listener) })
  return () => listener('SIGINT')
}

t.test('ignores the second SIGINT that npm passes on for one press of Ctrl-C', async t => {
  let clock = 1000
  const now = performance.now
  performance.now = () => clock
  t.teardown(() => { performance.now = now })
  let presses = 0
  const press = listen(t, () => { presses++ })

  press()
  clock += 20
  press()
  t.equal(presses, 1)
  clock += 2000
  press()
  t.equal(presses, 2, 'a later press counts again')
})

t.test('outside a PID namespace the recorded PID is the real one', async t => {
  t.equal(isEnclosed(), false)
  t.equal(hostPid(4711), 4711)
})

/**
 * Simulates an inner process that receives signals.
 * @param {Test} t
 * @param {{ answers: boolean }} inner
 */
function inner (t, { answers }) {
  const before = process.listeners('SIGINT')
  const state = { signals: '', killed: 0 }
  const channel = new PassThrough()
  const write = channel.write.bind(channel)
  channel.write = text => {
    state.signals += text
    return answers ? write('heard') : true
  }
  const originalWrite = process.stderr.write
  process.stderr.write = () => true
  passSignalsOn(channel, () => { state.killed++ }, { answerSeconds: 0.3, endSeconds: 0.6 })
  const mine = () => process.listeners('SIGINT').filter(listener => !before.includes(listener))
  const [listener] = mine()
  t.teardown(() => {
    process.stderr.write = originalWrite
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeListener(signal, listener)
  })
  return { state, press: () => listener('SIGINT') }
}
const later = (/** @type {number} */ ms) => new Promise(resolve => setTimeout(resolve, ms))

t.test('kills an inner process that does not acknowledge Ctrl-C', async t => {
  const { state, press } = inner(t, { answers: false })
  press()
  press()
  t.equal(state.signals, 'SIGINT\n', 'one press')
  await later(600)
  t.equal(state.killed, 1)
})

t.test('waits for an inner process that acknowledges Ctrl-C, and kills it after a second press', async t => {
  const { state, press } = inner(t, { answers: true })
  press()
  await later(1200)
  t.equal(state.killed, 0)
  press()
  t.equal(state.signals, 'SIGINT\nSIGINT\n')
  await later(1000)
  t.equal(state.killed, 1)
})
