/** Prepares two states of an app outside of the PID namespace, and measures them in it. */
import { acquireMachineLock } from '../../machine/machine-lock.js'
import { isEnclosed, runInside } from '../../machine/network/enclosure.js'
import { prepareSides, readPrepared } from './sides.js'

/** @import { HopbenchError } from '../../errors.js' */
/** @import { SideOptions, Sides } from './sides.js' */

/** Exit code of a shell for a command that a signal ended, less the number of the signal (POSIX, 2.8.2). */
const SIGNALLED = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }

/**
 * @param {string[]} words as typed
 * @param {SideOptions & { wait?: boolean }} options
 * @param {object} work
 * @param {string[]} work.argv of hopbench
 * @param {() => Promise<void>} [work.check] rejects other options before the states are prepared
 * @param {(sides: Sides) => Promise<void>} work.prepare installs programs
 * @param {(sides: Sides, onReady: () => void) => Promise<number>} work.measure returns the exit code. onReady: called
 *   when signals end the measurement
 * @returns {Promise<number>} exit code
 * @throws {HopbenchError} errors of finding, checking out, installing and building the states
 */
export async function withSides (words, options, { argv, check, prepare, measure }) {
  if (isEnclosed()) return measure(readPrepared(), () => {})
  await check?.()
  await acquireMachineLock(argv, { wait: options.wait })
  const signals = /** @type {(keyof typeof SIGNALLED)[]} */ (Object.keys(SIGNALLED))
  // Handlers of 'exit' end the commands and remove the checkouts.
  const end = (/** @type {keyof typeof SIGNALLED} */ signal) => process.exit(SIGNALLED[signal])
  for (const signal of signals) process.on(signal, end)
  // Until the handlers of the measurement are there, a signal would end this process without those of 'exit'.
  const handOver = () => { for (const signal of signals) process.off(signal, end) }
  const { sides, close } = await prepareSides(words, options, line => process.stderr.write(`${line}\n`))
  try {
    await prepare(sides)
    return await runInside(argv, { onReady: handOver }) ?? await measure(sides, handOver)
  } finally {
    close()
  }
}
