/** Servers with faults in their use of HTTP, from the first response on and under load, whose measurements must not
 * become results. */
import t from '../support/tap.js'
import { skipWithoutProgram } from '../support/needs.js'
import { assertNoFigures, UNDER_LOAD } from '../support/planted-outcomes.js'
import { planted } from '../support/planted-servers.js'

const SECONDS = 900

t.setTimeout(SECONDS * 1000)

/** Servers without the one for which the gate waits a minute: test/run/trickling.soak.test.js. */
const settled = Object.keys(planted).filter(name => name !== 'loris')

t.test('servers with faults from the first response on have no valid figure',
  t => assertNoFigures(t, 'autocannon', {}, settled))

t.test('servers with faults under load have no valid figure', t => assertNoFigures(t, 'autocannon', UNDER_LOAD))

t.test('servers with faults under load have no valid figure with wrk', { skip: skipWithoutProgram('wrk', ['wrk']) },
  t => assertNoFigures(t, 'wrk', UNDER_LOAD))
