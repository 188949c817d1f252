/**
 * Servers with faults in their use of HTTP under load, whose measurements must not become results: every second one.
 * test/run/planted-servers.soak.test.js has all. Faults from the first response on:
 * test/measure/gate/gate-servers.test.js.
 */
import t from '../support/tap.js'
import { assertNoFigures, UNDER_LOAD } from '../support/planted-outcomes.js'
import { planted } from '../support/planted-servers.js'

const SECONDS = 900

t.setTimeout(SECONDS * 1000)

/** With the slow one that is correct, and error responses. Nothing is asserted of a server that may have a figure. */
const names = Object.keys(planted).filter((name, i) =>
  (i % 2 === 0 && planted[name].kind !== 'odd') || ['split', 'later-500'].includes(name))

t.test('servers with faults under load have no valid figure', t =>
  assertNoFigures(t, 'autocannon', UNDER_LOAD, names))
