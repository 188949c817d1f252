/** Starts the Node server of a topology and waits until all its workers respond. */
import { HopbenchError } from '../../errors.js'
import { Control } from '../control.js'
import { waitUntilListening } from './wait-until-listening.js'
import { makeFolder } from '../../machine/files/make-folder.js'

/** @import { Child } from '../../machine/types.js' @import { ServerDescription } from '../../types.js' */

/** For a busy machine, on which a core loads one worker in 0.5 s and PM2 tries a failing worker four times. */
const START_SECONDS = 30
const START_SECONDS_PER_WORKER = 1

/**
 * @param {ServerDescription} server
 * @param {(process: ServerDescription['processes'][number], i: number) => Child} launch
 * @throws {HopbenchError} process-died, not-ready, gate-refused, port-in-use
 */
export async function startServer ({ processes, workers, controlDir }, launch) {
  makeFolder(controlDir)
  const children = processes.map(launch)
  const control = new Control(controlDir)
  const timeoutSeconds = START_SECONDS + workers * START_SECONDS_PER_WORKER
  try {
    await Promise.all(children.map((child, i) => {
      const { listen, gaveUp } = processes[i]
      return waitUntilListening(child, listen, () => isUp(child, gaveUp), timeoutSeconds)
    }))
    const { listening } = await control.counts()
    const { kind } = processes[0].listen
    if (listening === kind) return control
    const why = `it listens on ${listening}, not on ${kind}`
    throw new HopbenchError('gate-refused', { name: children[0].name, why })
  } catch (error) {
    control.close()
    throw error
  }

  /**
   * @param {Child} child
   * @param {string} [gaveUp]
   */
  async function isUp (child, gaveUp) {
    const failure = findGivenUp(child, gaveUp)
    if (failure) throw failure
    return control.isUp(workers)
  }
}

/**
 * Returns an error if a manager gave up its workers, because such a manager (PM2) keeps running.
 * @param {Child} child
 * @param {string} [message] in the log of a manager that gave up
 */
export function findGivenUp (child, message) {
  if (message === undefined) return null
  const output = child.tail()
  if (!output.includes(message)) return null
  return new HopbenchError('process-died', { name: child.name, how: 'stopped restarting its workers', output })
}
