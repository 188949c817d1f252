/**
 * Servers with faults in their use of HTTP under load, whose measurements must not become results. Faults from the
 * first response on: test/unit/gate-servers.test.js, and with real programs test/soak/planted-servers.test.js.
 */
import t from 'tap'
import { assertNoFigures, UNDER_LOAD } from '../../support/planted-outcomes.js'

const SECONDS = 900

t.setTimeout(SECONDS * 1000)

t.test('servers with faults under load have no valid figure', t => assertNoFigures(t, 'autocannon', UNDER_LOAD))
