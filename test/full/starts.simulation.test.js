/** Simulated runs with the noises that intervals miss most easily. test/soak/starts.simulation.test.js has them all. */
import t from 'tap'
import { testDecisions, testIntervals } from '../support/simulated-starts.js'

const kinds = ['AR(1), 0.1', 'starts of 3 %', 'heavy tails, changes of state']

testIntervals(t, { kinds, quick: ['AR(1), 0.1', 'one arm 0.5, others white'] })
testDecisions(t, kinds)
