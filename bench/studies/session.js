/** What every study sets up before it measures, and takes down after. */
import { callerCwd } from '../machine/caller-cwd.js'
import { pinSuite, splitCores } from '../machine/cores.js'
import { readEnvironment } from '../machine/environment.js'
import { labFacts } from '../machine/lab.js'
import { makeTempDir, makeTempRoot } from '../machine/temp.js'
import { createProgress } from '../report/progress.js'
import { createFeed } from '../report/progress-feed.js'

/** @import { CoreSplit } from '../machine/shapes.js' */
/** @import { Desk, Ground } from './types.js' */

/** Wall and calendar time, as studies use them. */
export const now = () => performance.now() / 1000
export const utc = () => new Date().toISOString()

/**
 * Splits this machine's cores between load and served side, binds the suite itself to those of the load, and says what
 * the machine is.
 *
 * @param {{ lab: boolean, cores?: CoreSplit }} wanted lab: false: --no-lab was given
 * @returns {Promise<Ground>}
 */
export async function takeMachine ({ lab: wanted, cores = splitCores() }) {
  const facts = await labFacts()
  const lab = wanted && facts.network === 'namespaces'
  const why = wanted ? facts.why : '--no-lab was given'
  // Before the suite is bound: it also finds how many cores there are.
  const environment = await readEnvironment({
    lab: lab ? facts : { ...facts, network: 'shared-loopback', why }, cores
  })
  await pinSuite(cores)
  return { lab, cores, environment }
}

/**
 * @param {{ feed?: boolean }} [options] feed: progress as lines of JSON, for a program that follows it
 * @returns {Desk}
 */
export function openDesk ({ feed = false } = {}) {
  const temp = makeTempRoot()
  const progress = feed
    ? createFeed(process.stderr)
    : createProgress({ stream: process.stderr, isTTY: process.stderr.isTTY })
  return {
    temp: temp.path,
    folder: name => makeTempDir(temp.path, name),
    cwd: callerCwd(),
    progress,
    note: text => progress.stage(text),
    close () {
      // A feed says by itself when the run is over.
      if (!feed) progress.end()
      temp.remove()
    }
  }
}

/**
 * Both, for a study that takes place on this machine.
 *
 * @param {{ lab: boolean, cores?: CoreSplit }} wanted
 * @returns {Promise<Desk & Ground>}
 */
export async function openSession (wanted) {
  const ground = await takeMachine(wanted)
  return { ...openDesk(), ...ground }
}
