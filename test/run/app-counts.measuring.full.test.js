/**
 * The requests of an app are counted soundly at the highest rate that the machine gives: over TCP directly, and over a
 * socket behind nginx. Ten runs with each engine behind every proxy: test/run/app-counts.soak.test.js.
 */
import t from '../support/tap.js'
import { leavesNothing, makeWorkspace } from '../support/cli.js'
import { measureHello, SAME_RATE } from '../support/hello-apps.js'
import { skipWithout } from '../support/needs.js'

const workspace = makeWorkspace(t)

t.test('a quick run has no invalid arm', { skip: skipWithout('nginx') }, async t => {
  const found = await measureHello(t, workspace, {
    engine: 'autocannon', proxies: ['nginx:uds-keepalive'], budget: '16s'
  })
  if (!found) return
  // Infinity is null in JSON: fewer than six blocks have no interval.
  const { low, high: bound } = found
  const high = bound ?? Infinity
  // An interval that excludes a difference of this size in either direction, but not one beyond it, is a failure.
  t.ok(low <= 1 + SAME_RATE && high >= 1 - SAME_RATE, `by command against as a module: ${low} to ${high}`)
})

t.test('nothing is left', t => leavesNothing(t, workspace))
