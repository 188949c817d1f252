/** Starts one topology without a load. */
import { HopbenchError } from '../errors.js'
import { isEnclosed, onInterrupt } from '../machine/network/enclosure.js'
import { getStagedArm, openStage } from '../measure/stage.js'
import { rejectTakenPorts } from '../request/plan-checks.js'
import { prepareHops } from './programs.js'
import { openSession } from './session.js'

/** @import { Stage, StagedArm } from '../measure/types.js' */
/** @import { Arm } from '../types.js' */
/** @import { Session } from './types.js' */
/** @import { WorkerWorld } from './types.js' */

/**
 * Starts a topology in a PID namespace, and ends it after its use.
 *
 * @template Result
 * @param {Arm} arm
 * @param {Pick<WorkerWorld, 'enclose'> & { lab?: boolean, port?: number, interrupt: () => void }} world lab: in a
 *   private network; port: of the front; interrupt: is called for each Ctrl-C
 * @param {(staged: StagedArm & { stage: Stage, session: Session }) => Promise<Result>} use
 * @returns {Promise<Result | { exit: number }>} exit: exit code of the process in the namespace
 * @throws {HopbenchError} lab-needed, and errors of starting a program
 */
export async function withRunningArm (arm, { lab = false, port, interrupt, enclose }, use) {
  if (!isEnclosed()) {
    if (!lab) rejectTakenPorts([arm])
    await prepareHops([arm])
    const exit = await enclose()
    if (exit !== null) return { exit }
  }
  const session = await openSession({ lab, isCalibrated: false })
  try {
    if (lab && !session.lab) throw new HopbenchError('lab-needed', { name: arm.name, what: '--lab' })
    onInterrupt(interrupt)
    const { temp, cores, cwd } = session
    const stage = await openStage([arm], { temp, lab, cores: cores.split ? cores.served : null, cwd, frontPort: port })
    try {
      return await use({ ...getStagedArm(stage, arm.name), stage, session })
    } finally {
      await stage.close()
    }
  } finally {
    session.close()
  }
}
