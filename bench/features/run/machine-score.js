/** Measures how fast the cores of this machine are, and stores the score of an offering (`hopbench doctor --score`). */
import { HopbenchError } from '../../errors.js'
import { computeScore } from '../../judge/machines.js'
import { calibrate } from '../../machine/environment/environment.js'
import { utc } from '../../run/session.js'
import { storeScore } from '../../store/scores.js'
import { findBeginning, readOfferings } from '../size/index.js'

/** Calibrations of a score. Their extremes are its range, because they differ by 5 % on one machine. */
const CALIBRATIONS = 5

/**
 * Measures a score, and stores it for an offering.
 *
 * @param {string | null} typed beginning of the names of offerings; null: of this machine, not stored
 * @param {{ resultsDir?: string, work?: string }} [options] work: program in place of the fixed work
 * @returns {Promise<{ value: number, low: number, high: number, offering: string | null, file: string | null }>}
 * @throws {HopbenchError} unknown-plan, no-score, bad-run-file, results-not-writable, disk-full
 */
export async function measureScore (typed, { resultsDir, work } = {}) {
  const offering = typed === null ? null : findBeginning(readOfferings(), typed)
  const scores = []
  for (let i = 0; i < CALIBRATIONS; i++) {
    const score = computeScore(await calibrate({ work }))
    if (score === null || !Number.isFinite(score)) throw new HopbenchError('no-score', {})
    scores.push(score)
  }
  scores.sort((a, b) => a - b)
  const found = { value: scores[CALIBRATIONS >> 1], low: scores[0], high: scores[CALIBRATIONS - 1] }
  const stored = { ...found, from: 'hopbench doctor --score', read: utc().slice(0, 10) }
  return { ...found, offering, file: offering === null ? null : await storeScore(offering, stored, resultsDir) }
}

/**
 * Prints a score.
 *
 * @param {Awaited<ReturnType<typeof measureScore>>} score
 */
export function scoreText ({ value, low, high, offering, file }) {
  const [middle, ...ends] = [value, low, high].map(number => number.toFixed(2))
  return `Its cores have a score of ${middle} (${ends.join(' to ')}); those of the reference machine have 1.\n` +
    (file === null
      ? 'hopbench doctor --score OFFERING stores it for an offering, on an instance of it.\n'
      : `Stored for ${offering} in ${file}. It holds only if this machine is such an instance.\n`)
}
