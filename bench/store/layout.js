/** Where runs are kept, and the files that every run has. */
import { isAbsolute, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { callerCwd } from '../machine/caller-cwd.js'

const PROJECT = fileURLToPath(new URL('../../', import.meta.url))
/** The project's own results: the runs that documentation quotes, and the last check of each server. */
export const REFERENCE_DIR = join(PROJECT, 'results/reference')

/** The results folder unless the caller names another one: of the clone one stands in, else of the present folder. */
export const DEFAULT_RESULTS_DIR = join(isInside(PROJECT, callerCwd()) ? PROJECT : callerCwd(), 'results')

/**
 * @param {string} folder
 * @param {string} path absolute both
 */
function isInside (folder, path) {
  const way = relative(folder, path)
  return !isAbsolute(way) && way.split('/')[0] !== '..'
}

/** What was asked for; written before anything is measured. */
export const PLAN = 'plan.json'
/** A line per trial; appended and synced block by block. */
export const SAMPLES = 'samples.jsonl'
/** The record; replaced as a whole, so that it is never half written. */
export const RECORD = 'run.json'
