import { PassThrough } from 'node:stream'
import t from 'tap'
import { hostPid, isInside, onInterrupt, passSignalsOn } from '../../bench/machine/enclosure.js'

/** @import { Test } from 'tap' */

/**
 * Listens as a command does, and gives what a press of Ctrl-C would call.
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

t.test('one press of Ctrl-C counts once, though npm passes it on a second time', async t => {
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
  t.equal(presses, 2, 'a second press is one of its own')
})

t.test('outside, a process has the number that it has', async t => {
  t.equal(isInside(), false)
  t.equal(hostPid(4711), 4711)
})

/** An inner process that gets signals. @param {Test} t @param {{ answers: boolean }} inner */
function inner (t, { answers }) {
  const before = process.listeners('SIGINT')
  const state = { told: '', killed: 0 }
  const channel = new PassThrough()
  const write = channel.write.bind(channel)
  channel.write = text => {
    state.told += text
    return answers ? write('heard') : true
  }
  const said = process.stderr.write
  process.stderr.write = () => true
  passSignalsOn(channel, () => { state.killed++ }, { answerSeconds: 0.3, endSeconds: 0.6 })
  const mine = () => process.listeners('SIGINT').filter(listener => !before.includes(listener))
  const [listener] = mine()
  t.teardown(() => {
    process.stderr.write = said
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeListener(signal, listener)
  })
  return { state, press: () => listener('SIGINT') }
}
const later = (/** @type {number} */ ms) => new Promise(resolve => setTimeout(resolve, ms))

t.test('an inner process that is stuck is ended when Ctrl-C comes', async t => {
  const { state, press } = inner(t, { answers: false })
  press()
  press()
  t.equal(state.told, 'SIGINT\n', 'one press')
  await later(600)
  t.equal(state.killed, 1)
})

t.test('one that answers may take its time, and ends when it is signalled twice', async t => {
  const { state, press } = inner(t, { answers: true })
  press()
  await later(1200)
  t.equal(state.killed, 0)
  press()
  t.equal(state.told, 'SIGINT\nSIGINT\n')
  await later(1000)
  t.equal(state.killed, 1)
})
