/** Servers with faults in their use of HTTP under load by wrk, whose measurements must not become results. */
import t from 'tap'
import { skipWithoutProgram } from '../support/needs.js'
import { assertNoFigures, UNDER_LOAD } from '../support/planted-outcomes.js'

const SECONDS = 900

t.setTimeout(SECONDS * 1000)

t.test('servers with faults have no valid figure', { skip: skipWithoutProgram('wrk', ['wrk']) },
  t => assertNoFigures(t, 'wrk', UNDER_LOAD))
