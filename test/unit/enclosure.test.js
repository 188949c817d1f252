import t from 'tap'
import { hostPid, isInside, onInterrupt } from '../../bench/enclosure.js'

/** Listens as a command does, and gives what a press of Ctrl-C would call. @param {import('tap').Test} t @param {(signal: string) => void} handler */
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
