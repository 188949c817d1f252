/** Where runs are kept, and the files that every run has. */
import { fileURLToPath } from 'node:url'

/** The results folder unless the caller names another one. */
export const DEFAULT_RESULTS_DIR = fileURLToPath(new URL('../../results', import.meta.url))

/** What was asked for; written before anything is measured. */
export const PLAN = 'plan.json'
/** A line per trial; appended and synced block by block. */
export const SAMPLES = 'samples.jsonl'
/** The record; replaced as a whole, so that it is never half written. */
export const RECORD = 'run.json'
