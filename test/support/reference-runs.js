/** Stored runs of results/reference. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** @import { Plan, RunRecord, Sample } from '../../bench/types.js' */

const REFERENCE = new URL('../../results/reference/', import.meta.url)

/**
 * Returns the stored runs with their samples, one after the other.
 *
 * @returns {Generator<{ run: string, record: RunRecord, plan: Plan, samples: Sample[] }>}
 */
export function * readReferenceRuns () {
  for (const run of readdirSync(REFERENCE).sort()) {
    const read = (/** @type {string} */ file) => readFileSync(new URL(`${run}/${file}`, REFERENCE), 'utf8')
    if (!existsSync(new URL(`${run}/samples.jsonl`, REFERENCE))) continue
    const samples = read('samples.jsonl').split('\n').filter(line => line !== '').map(line => JSON.parse(line))
    yield { run, record: JSON.parse(read('run.json')), plan: JSON.parse(read('plan.json')), samples }
  }
}
