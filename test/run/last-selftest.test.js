/** Tests which selftest a report quotes. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { openRun } from '../../bench/store/store.js'
import { lastSelftest } from '../../bench/run/last-selftest.js'
import { selftest } from '../support/hostile/examples.js'
import { makeEnvironment, makePlan, makeRecord } from '../support/record.js'

/** @import { Calibration, Environment } from '../../bench/types.js' */

t.test('finds the last selftest of the same machine only', async t => {
  const resultsDir = t.testdir({})
  const here = makeEnvironment()
  const find = (/** @type {Partial<Environment>} */ overrides = {}) =>
    lastSelftest(makeEnvironment(overrides), resultsDir)
  t.equal(await find(), undefined, 'without a selftest')
  const startedAt = '2024-05-06T07:08:09.000Z'
  const run = await openRun({ resultsDir, experiment: 'selftest', startedAt, plan: makePlan() })
  await run.writeRecord(makeRecord(/** @type {any} */ ({ run: run.run, selftest })))
  await run.close()
  const found = { run: run.run, minutes: 5, difference: 0.041 }
  t.strictSame(await find(), found)
  t.strictSame(await find({ node: '24.0.0', cores: { load: [0, 1], served: [0, 1] } }), found,
    'another Node and other cores of the same machine')
  t.equal(await find({ cpu: { ...here.cpu, model: 'another' } }), undefined)
  t.equal(await find({ kernel: '5.15.0' }), undefined)
  const calibration = /** @type {Calibration} */ (here.calibration)
  t.equal(await find({ calibration: { ...calibration, arithmetic: calibration.arithmetic / 2 } }), undefined)
  writeFileSync(join(run.dir, 'run.json'), '{')
  t.equal(await find(), undefined, 'a damaged record is ignored')
})
