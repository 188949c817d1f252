/** Paths of results and of the files in a run's folder. */
import { isAbsolute, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { callerCwd } from '../machine/caller-cwd.js'

const PROJECT = fileURLToPath(new URL('../../', import.meta.url))
/** Results of the project itself: the runs that the documentation quotes, and the last check of each server. */
export const REFERENCE_DIR = join(PROJECT, 'results/reference')

/** Default folder of results: in this project if hopbench was started inside it, otherwise in the current folder. */
export const DEFAULT_RESULTS_DIR = join(isInside(PROJECT, callerCwd()) ? PROJECT : callerCwd(), 'results')

/**
 * Returns whether a path is a folder or inside it.
 * @param {string} folder absolute
 * @param {string} path absolute
 */
function isInside (folder, path) {
  const way = relative(folder, path)
  return !isAbsolute(way) && way.split('/')[0] !== '..'
}

/** The plan, written before the first measurement. */
export const PLAN = 'plan.json'
/** The seal of the plan, a code that only this account can compute. */
export const SEAL = 'plan.seal'
/** A line per trial, appended and synced block by block. */
export const SAMPLES = 'samples.jsonl'
/** The record, always replaced as a whole, so that no reader sees a half-written file. */
export const RECORD = 'run.json'
