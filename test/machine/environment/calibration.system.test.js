/** Tests the calibration's work on this machine. */
import t from '../../support/tap.js'
import { calibrate } from '../../../bench/machine/environment/environment.js'

t.test('measures four speeds', async t => {
  const speeds = await calibrate()
  t.strictSame(Object.keys(speeds ?? {}), ['arithmetic', 'memory', 'systemCalls', 'roundTrips'])
  for (const [name, speed] of Object.entries(speeds ?? {})) {
    t.ok(speed > 100 && speed < 1e12, `${name}: ${speed} per second`)
  }
})
