/** Simulated runs with two noises that intervals miss easily. test/soak/starts.simulation.test.js has them all. */
import t from 'tap'
import { testDecisions, testIntervals } from '../support/simulated-starts.js'

const kinds = ['AR(1), 0.1', 'starts of 3 %']

testIntervals(t, { kinds, quick: ['AR(1), 0.1'] })
testDecisions(t, kinds)
