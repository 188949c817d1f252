/** Starts one topology without a load. */
import { HopbenchError } from '../errors.js'
import { isEnclosed, onInterrupt } from '../machine/network/enclosure.js'
import { makeTempDir } from '../machine/files/temp.js'
import { findProxies } from '../measure/find-programs.js'
import { getStagedArm, openArm, openStage } from '../measure/stage.js'
import { rejectTakenPorts } from '../request/plan-checks.js'
import { prepareHops } from './programs.js'
import { openSession } from './session.js'

/** @import { Stage, StagedArm, StageOptions } from '../measure/types.js' */
/** @import { Arm } from '../types.js' */
/** @import { Session } from './types.js' */
/** @import { WorkerWorld } from './types.js' */

/** World of a topology. lab: in a private network; port: of the front; interrupt: is called for each Ctrl-C
 * @typedef {Pick<WorkerWorld, 'enclose'> & { lab?: boolean, port?: number, interrupt: () => void }} ArmWorld */

/**
 * Starts a topology in a PID namespace, sends it through the gate, and ends it after its use.
 *
 * @template Result
 * @param {Arm} arm
 * @param {ArmWorld} world
 * @param {(staged: StagedArm & { stage: Stage, session: Session }) => Promise<Result>} use
 * @returns {Promise<Result | { exit: number }>} exit: exit code of the process in the namespace
 * @throws {HopbenchError} lab-needed, gate-refused, and errors of starting a program
 */
export const withRunningArm = (arm, world, use) => inSession(arm, world, async (session, options) => {
  const stage = await openStage([arm], options)
  try {
    return await use({ ...getStagedArm(stage, arm.name), stage, session })
  } finally {
    await stage.close()
  }
})

/**
 * Starts a topology in a PID namespace without the gate, and ends it after its use.
 *
 * @template Result
 * @param {Arm} arm
 * @param {ArmWorld} world
 * @param {(staged: StagedArm) => Promise<Result>} use
 * @returns {Promise<Result | { exit: number }>} exit: exit code of the process in the namespace
 * @throws {HopbenchError} lab-needed, and errors of starting a program
 */
export const withUngatedArm = (arm, world, use) => inSession(arm, world, async (session, options) => {
  const [root, dir] = [session.temp, makeTempDir(session.temp, '0')]
  const { staged, close } = await openArm(arm, { ...options, root, dir, proxies: await findProxies([arm]) })
  try {
    return await use(staged)
  } finally {
    await close()
  }
})

/**
 * @template Result
 * @param {Arm} arm
 * @param {ArmWorld} world
 * @param {(session: Session, options: StageOptions) => Promise<Result>} use
 * @returns {Promise<Result | { exit: number }>}
 */
async function inSession (arm, { lab = false, port, interrupt, enclose }, use) {
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
    return await use(session, { temp, lab, cores: cores.split ? cores.served : null, cwd, frontPort: port })
  } finally {
    session.close()
  }
}
