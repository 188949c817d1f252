/** Simulated runs with every kind of noise. */
import t from '../support/tap.js'
import { lucks, quickNoises } from '../support/simulate-starts.js'
import { testDecisions, testIntervals } from '../support/simulated-starts.js'

testIntervals(t, { kinds: Object.keys(lucks), quick: Object.keys(quickNoises) })
testDecisions(t, Object.keys(lucks))
