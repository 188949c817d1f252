/** Measures head against base, stores the comparison with the run, and prints it. */
import { areSidesResolved, compareSides } from '../../judge/runs/side-by-side.js'
import { readRun } from '../../store/store.js'
import { runPlan } from '../../run/run-plan.js'
import { utc } from '../../run/session.js'
import { report, showPage } from '../../run/show-record.js'
import { findRates, measureLatency } from './latency.js'

/** @import { DiffResult, DiffSide, Plan, RunRecord } from '../../types.js' */
/** @import { RunFlags } from '../../request/types.js' */
/** @import { Feed } from '../../run/session.js' */
/** @import { Side, Sides } from './sides.js' */

/** File in the folder of a run with the windows of the open loop, one on each line. */
const WINDOWS = 'latency.jsonl'

/**
 * @param {Side} side
 * @returns {DiffSide}
 */
const toRecorded = ({ label, ref, commit, changes }) => ({ label, ref, commit, changes })

/**
 * @param {Plan} plan with secrets
 * @param {RunFlags} options
 * @param {{ sides: Sides, latency: { rate?: number } | null, isPrinted: boolean, json: boolean, feed: Feed,
 *   details: boolean, interrupted: () => boolean }} order latency: with the offered rate, if it was typed; null: not
 *   measured; isPrinted: whether the text is printed
 * @returns {Promise<{ dir: string, succeeded: boolean, record: RunRecord }>} record: with its diff, if any
 */
export async function measureDiff (plan, options, { sides, latency, isPrinted, json, details, ...world }) {
  const margin = /** @type {number} */ (plan.targets.margin)
  /** @type {NonNullable<Parameters<typeof runPlan>[2]['extend']>} */
  const extend = async (record, _plan, world) => {
    if (!record.complete) return record
    const { samples } = await readRun(world.run.dir)
    const run = { record, samples }
    // Without a valid throughput the app has failed, so its response times are not measured.
    const rates = latency && record.ended !== 'failed' ? findRates(record, latency.rate) : null
    const windows = rates && await measureLatency(plan, world, { rates, run })
    // Whether the response times were interrupted.
    const isCutOff = windows !== null && world.interrupted()
    const lines = windows?.map(sample => `${JSON.stringify(sample)}\n`) ?? []
    if (lines.length > 0) await world.run.writeFile(WINDOWS, lines.join(''))
    /** @type {RunRecord} */
    const whole = {
      ...record,
      kind: 'diff',
      diff: {
        ...withRates(compareSides(run, { margin, windows }), rates),
        base: toRecorded(sides.base),
        head: toRecorded(sides.head)
      },
      endedAt: utc(),
      ...isCutOff && { complete: false, ended: 'interrupted' }
    }
    await world.run.writeRecord(whole)
    return whole
  }
  const { dir, record, lost, succeeded } = await runPlan(plan, options, {
    ...world,
    isResolved: run => areSidesResolved(run, { margin, kinds: ['cpu', 'throughput'] }),
    extend
  })
  const resultsDir = options.results
  // An exported file is printed in place of the text.
  if (isPrinted || json) await report(record, { json, dir, resultsDir, lost, details })
  else await showPage(dir, { json: true, resultsDir })
  return { dir, succeeded, record }
}

/**
 * Adds the offered rates to the percentiles.
 *
 * @param {DiffResult} result
 * @param {Map<string, number> | null} rates by arm; null: no percentiles
 * @returns {DiffResult}
 */
const withRates = (result, rates) => ({
  ...result,
  figures: result.figures.map(figure => {
    const rate = figure.figure === 'p99' ? rates?.get(figure.arm) : undefined
    return { ...figure, ...rate !== undefined && { rate } }
  })
})
