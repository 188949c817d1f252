/**
 * Scripted runs in the folder of a test.
 * @import { Test } from 'tap'
 * @import { Plan, RunRecord } from '../../bench/types.js'
 */
import { openRun, readRun } from '../../bench/store/store.js'
import { scriptedRun, steady } from './world.js'

export const twin = 'tcp (twin)'
export const apart = steady({ tcp: 10_000, uds: 12_000, [twin]: 10_000 })
/**
 * Returns the record as it is stored: JSON turns Infinity and NaN into null.
 * @type {(record: RunRecord) => any}
 */
export const printed = record => JSON.parse(JSON.stringify(record))

/**
 * Opens a run in the folder of a test.
 * @param {Test} t
 * @param {Plan} plan
 */
export async function opened (t, plan) {
  const resultsDir = t.testdir({})
  const run = await openRun({ resultsDir, experiment: plan.experiment, startedAt: '2024-05-06T07:08:09.000Z', plan })
  t.teardown(() => run.close())
  return { resultsDir, run }
}

/**
 * @param {Test} t
 * @param {Plan} plan
 * @param {Omit<Parameters<typeof scriptedRun>[1], 'run'>} options
 */
export async function measured (t, plan, options) {
  const { run, resultsDir } = await opened(t, plan)
  const { record, seen, elapsed } = scriptedRun(plan, { ...options, run })
  return { record: await record, seen, elapsed: elapsed(), stored: await readRun(run.dir), resultsDir }
}
