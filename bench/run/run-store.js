/** Opens the folder of a run, new or resumed, for this process alone. */
import { acquireRunLock } from '../machine/machine-lock.js'
import { withoutSecrets } from '../plan/stored-plan.js'
import { openRun, readRun, reopenRun } from '../store/store.js'
import { refuseOtherMachine } from '../request/resume.js'
import { utc } from './session.js'

/** @import { HopbenchError } from '../errors.js' */
/** @import { Environment, OpenRun, Plan, StoredRun } from '../types.js' */

/**
 * Stores a plan without its secrets, or reopens the folder of the run to resume.
 *
 * @param {Plan} plan
 * @param {{ resume?: string, results?: string }} options
 * @param {Environment} environment
 * @returns {Promise<OpenRun & Pick<StoredRun, 'record' | 'samples'> & { plan: Plan, startedAt: string }>} plan: without
 *   secrets; record, samples: of a resumed run; startedAt: UTC
 * @throws {HopbenchError} run-in-use, other-machine, and the errors of the store
 */
export async function openStore (plan, { resume, results }, environment) {
  const startedAt = utc()
  const publicPlan = withoutSecrets(plan)
  if (resume === undefined) {
    const run = await openRun({ resultsDir: results, experiment: plan.experiment, startedAt, plan: publicPlan })
    await acquireRunLock(run.dir)
    return { ...run, plan: publicPlan, samples: [], record: null, startedAt }
  }
  // Locked before it is read, because the process that holds the lock may still append samples.
  await acquireRunLock((await readRun(resume, results)).dir)
  refuseOtherMachine(await readRun(resume, results), environment)
  const run = await reopenRun(resume, results)
  return { ...run, plan: publicPlan, startedAt: run.record?.startedAt ?? startedAt }
}
