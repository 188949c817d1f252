/** Tests how the result of a calibration is read. */
import { join } from 'node:path'
import t from '../../support/tap.js'
import { calibrate } from '../../../bench/machine/environment/environment.js'

t.test('returns the printed speeds, or null if the work fails', async t => {
  const folder = t.testdir({
    'good.mjs': 'process.stdout.write(\'{"arithmetic":1,"memory":2,"systemCalls":3,"roundTrips":4}\')',
    'failed.mjs': 'process.stdout.write("{}"); process.exitCode = 1'
  })
  t.strictSame(await calibrate({ work: join(folder, 'good.mjs') }),
    { arithmetic: 1, memory: 2, systemCalls: 3, roundTrips: 4 })
  t.equal(await calibrate({ work: join(folder, 'failed.mjs') }), null)
})
