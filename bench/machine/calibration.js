/** The speed of this machine, measured by fixed work before a run. */
import { fileURLToPath } from 'node:url'
import { allowedCores } from './cores.js'
import { run } from './process.js'
import { parseJson } from './system-files.js'

/** @import { Calibration } from '../types.js' */

const WORK = fileURLToPath(new URL('calibration-work.js', import.meta.url))
/** Limits a calibration, which takes 1.6 s on an idle core. A core with ten other programs needs ten times as long. */
const TIMEOUT_SECONDS = 20

/**
 * Measures the speed of fixed work on one core: the last one, which belongs to the served side. On one core both ends
 * of a round trip take turns. On two, the rate differs by a factor of two, by where the kernel puts the ends.
 *
 * @param {{ work?: string }} [options] work: path of the program
 * @returns {Promise<Calibration | null>} null: the work could not be done
 */
export async function calibrate ({ work = WORK } = {}) {
  const { cores, pinnable } = allowedCores()
  const pinned = pinnable ? ['taskset', '-c', String(cores.at(-1))] : []
  const { exit, stdout } = await run([...pinned, process.execPath, work], { timeoutSeconds: TIMEOUT_SECONDS })
  return exit === 0 ? parseJson(stdout) : null
}
