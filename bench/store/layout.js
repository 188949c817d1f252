/** Paths of results and of the files in a run's folder. */
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { callerCwd } from '../machine/caller-cwd.js'
import { isWithin } from '../shared/paths.js'

const PROJECT = fileURLToPath(new URL('../../', import.meta.url))
/** Results of the project itself: the runs that the documentation quotes, and the last check of each server. */
export const REFERENCE_DIR = join(PROJECT, 'results/reference')

/** Default folder of results: in this project if hopbench was started inside it, otherwise in the current folder. */
export const DEFAULT_RESULTS_DIR =
  join(isWithin(resolve(PROJECT), resolve(callerCwd())) ? PROJECT : callerCwd(), 'results')

/** The plan, written before the first measurement. */
export const PLAN = 'plan.json'
/** A line per trial, appended and synced block by block. */
export const SAMPLES = 'samples.jsonl'
/** The record, always replaced as a whole, so that no reader sees a half-written file. */
export const RECORD = 'run.json'
/** Seals of the plan and of the record, codes that only this account can compute. */
export const SEALS = { [PLAN]: 'plan.seal', [RECORD]: 'run.seal' }
