/** Stored runs of results/reference. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listRuns, REFERENCE_DIR } from '../../bench/store/store.js'

/** @import { Plan, RunRecord, Sample } from '../../bench/types.js' */

/**
 * @typedef {object} ReferenceRun
 * @property {string} run
 * @property {string | null} set kind of machine under which the run is filed; null: filed under none
 * @property {RunRecord} record
 * @property {Plan} plan read when it is used
 * @property {Sample[]} samples read when they are used, because all of them take seconds
 */

/**
 * Returns the stored runs, one after the other, the oldest first.
 *
 * @returns {AsyncGenerator<ReferenceRun>}
 */
export async function * readReferenceRuns () {
  for (const { run, set, dir } of await listRuns(REFERENCE_DIR)) {
    const read = (/** @type {string} */ file) => readFileSync(join(dir, file), 'utf8')
    if (!existsSync(join(dir, 'samples.jsonl'))) continue
    yield {
      run,
      set,
      record: JSON.parse(read('run.json')),
      get plan () { return JSON.parse(read('plan.json')) },
      get samples () {
        return read('samples.jsonl').split('\n').filter(line => line !== '').map(line => JSON.parse(line))
      }
    }
  }
}

/**
 * Returns the folder of the last stored run of an experiment.
 *
 * @param {string} experiment
 */
export async function findReference (experiment) {
  const last = (await listRuns(REFERENCE_DIR)).findLast(run => run.experiment === experiment)
  if (!last) throw new Error(`no stored run of ${experiment}`)
  return last.dir
}
