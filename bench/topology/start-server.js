/** Starts a topology's Node server, and waits until all its workers answer. */
import { mkdirSync } from 'node:fs'
import { HopbenchError } from '../errors.js'
import { waitUntil } from '../machine/process.js'
import { nameTakenAddress } from './address-in-use.js'
import { Control } from './control.js'

/** @import { Child } from '../machine/shapes.js' @import { ServerDescription, ServerProcess } from '../types.js' */

/** On a busy machine: one core loads a worker in half a second, and PM2 tries one that fails four times. */
const START_SECONDS = 30
const START_SECONDS_PER_WORKER = 1

/** @param {ServerDescription} server @param {(process: ServerProcess, i: number) => Child} launch
 * @throws {HopbenchError} process-died, not-ready, gate-refused, port-in-use */
export async function startServer ({ processes, workers, controlDir }, launch) {
  mkdirSync(controlDir, { recursive: true })
  const children = processes.map(launch)
  const control = new Control(controlDir)
  const timeoutSeconds = START_SECONDS + workers * START_SECONDS_PER_WORKER
  const isUp = (/** @type {Child} */ child, /** @type {string | undefined} */ gaveUp) => {
    const failure = givenUp(child, gaveUp)
    if (failure) throw failure
    return control.isUp(workers)
  }
  try {
    await Promise.all(children.map((child, i) => nameTakenAddress(processes[i].listen,
      () => waitUntil(child, () => isUp(child, processes[i].gaveUp), { timeoutSeconds }))))
    const { listening } = await control.counts()
    const { kind } = processes[0].listen
    if (listening === kind) return control
    const why = `it listens on ${listening}, not on ${kind}`
    throw new HopbenchError('gate-refused', { name: children[0].name, why })
  } catch (error) {
    control.close()
    throw error
  }
}

/** For a manager that runs on, and whose log says that it has given up. @param {Child} child @param {string} [words] */
export function givenUp (child, words) {
  const output = words === undefined ? '' : child.tail()
  if (words === undefined || !output.includes(words)) return null
  return new HopbenchError('process-died', { name: child.name, how: 'gave its workers up', output })
}
