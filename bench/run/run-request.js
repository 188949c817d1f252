/** Measures a run as it was requested: of the command line, or of a worker. */
import { endingOnInterrupt, isEnclosed } from '../machine/network/enclosure.js'
import { acquireMachineLock } from '../machine/machine-lock.js'
import { toCommandLine } from '../plan/stored-command.js'
import { ProgressFeed } from '../report/progress-feed.js'
import { rejectTakenPorts } from '../request/plan-checks.js'
import { prepare } from './programs.js'
import { planFrom } from '../request/request.js'

/** @import { HopbenchError } from '../errors.js' */
/** @import { World } from './pipeline.js' */
/** @import { Plan } from '../types.js' */
/** @import { RunFlags } from '../request/types.js' */
/** @import { WorkerWorld } from './types.js' */

/**
 * @typedef {object} RequestWorld
 * @property {World['isResolved']} [isResolved]
 * @property {(plan: Plan) => void} [check] rejects other options before minutes are spent on the measurement
 * @property {typeof planFrom} [toPlan] makes the plan of a configuration
 */

/**
 * Checks a run, waits for another hopbench, installs what the run needs, and measures it in a PID namespace.
 *
 * @param {{ words: string[], options: RunFlags & { wait?: boolean } }} request words: an experiment, or topologies
 * @param {WorkerWorld & RequestWorld} world
 * @returns {Promise<Awaited<ReturnType<typeof import('./run-plan.js').runPlan>> | { exit: number }>} exit: exit code of
 *   the process that has measured in the namespace
 * @throws {HopbenchError}
 */
export async function measureRun ({ words, options: typed }, world) {
  const { enclose, feed, isResolved, check = () => {}, toPlan = planFrom } = world
  const { argv = toCommandLine('run', { words, options: typed }) } = typed
  const options = { ...typed, argv }
  let request = await toPlan(words, options)
  check(request.plan)
  if (!isEnclosed()) {
    if (!options.lab) rejectTakenPorts(request.plan.arms)
    if (request.note) process.stderr.write(`${request.note}\n`)
    const waited = await acquireMachineLock([...argv], {
      wait: options.wait, printProgress: feed ? text => new ProgressFeed(feed).stage(text) : undefined
    })
    // The other hopbench may meanwhile have completed the run to resume.
    if (waited) request = await toPlan(words, options)
    await prepare(request)
    const exit = await enclose()
    if (exit !== null) return { exit }
  }
  // Imported here, because the outer process, which only waits, does not need it.
  const { runPlan } = await import('./run-plan.js')
  return runPlan(request.plan, request.options, { feed, interrupted: endingOnInterrupt('slice'), isResolved })
}
