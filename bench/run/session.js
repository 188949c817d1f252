/** Set-up and clean-up that all studies share. */
import { callerCwd } from '../machine/caller-cwd.js'
import { pinSuite, splitCores } from '../machine/cores.js'
import { readEnvironment } from '../machine/environment/environment.js'
import { findLabCongestionControl, labFacts } from '../machine/network/lab.js'
import { makeTempDir, makeTempRoot } from '../machine/files/temp.js'
import { ProgressText } from '../report/progress.js'
import { ProgressFeed } from '../report/progress-feed.js'

/** @import { Writable } from 'node:stream' */
/** @import { CoreSplit } from '../machine/types.js' */
/** @import { Session, Workspace } from './types.js' */

/** Time of day in UTC, ISO 8601. */
export const utc = () => new Date().toISOString()

/**
 * Splits the cores between load and served side, describes the machine, and pins this process to the cores of the load.
 *
 * @param {{ lab: boolean, cores?: CoreSplit, isCalibrated?: boolean }} options lab: false with --no-lab; isCalibrated:
 *   false: the speed of the machine is not measured
 * @returns {Promise<Pick<Session, 'lab' | 'cores' | 'environment'>>}
 */
export async function prepareMachine ({ lab: wantsLab, cores = splitCores(), isCalibrated = true }) {
  const facts = await labFacts()
  const lab = wantsLab && facts.network === 'namespaces'
  const why = wantsLab ? facts.why : '--no-lab was given'
  // Before pinning, because it counts the available cores.
  const environment = await readEnvironment({
    lab: lab
      ? { ...facts, congestionControl: await findLabCongestionControl() }
      : { ...facts, network: 'shared-loopback', why },
    cores
  }, { isCalibrated })
  await pinSuite(cores)
  return { lab, cores, environment }
}

/** Stream for the progress as lines of JSON; null: as text on standard error. @typedef {Writable | null} Feed */

/**
 * @param {Feed} [feed]
 * @returns {Workspace}
 */
export function openWorkspace (feed = null) {
  const temp = makeTempRoot()
  const progress = feed ? new ProgressFeed(feed) : new ProgressText(process.stderr)
  return {
    temp: temp.path,
    folder: name => makeTempDir(temp.path, name),
    cwd: callerCwd(),
    progress,
    printProgress: text => progress.stage(text),
    close () {
      // The feed reports the end of the run itself.
      if (!feed) progress.end()
      temp.remove()
    }
  }
}

/**
 * Prepares the machine and opens a workspace, for a study on this machine.
 *
 * @param {Parameters<typeof prepareMachine>[0]} options
 * @returns {Promise<Session>}
 */
export async function openSession (options) {
  const machine = await prepareMachine(options)
  return { ...openWorkspace(), ...machine }
}
