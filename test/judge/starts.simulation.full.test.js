/** Simulated runs with usual noise. test/judge/starts.simulation.soak.test.js has every kind. */
import t from '../support/tap.js'
import { testDecisions, testIntervals } from '../support/simulated-starts.js'

const kinds = ['AR(1), 0.1']

testIntervals(t, { kinds, quick: kinds })
testDecisions(t, kinds)
