/** Measures head against base, stores the comparison with the run, and prints it. */
import { areSidesResolved, compareSides } from '../../analysis/side-by-side.js'
import { readRun } from '../../store/store.js'
import { runPlan } from '../run-plan.js'
import { utc } from '../session.js'
import { showPage } from '../show-record.js'
import { findRate, measureLatency } from './latency.js'

/** @import { DiffSide, Plan, RunDiff, RunRecord, Sample } from '../../types.js' */
/** @import { RunFlags } from '../types.js' */
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
 * @param {{ sides: Sides, latency: { rate?: number } | null, isPrinted: boolean, json: boolean, feed: boolean,
 *   details: boolean, interrupted: () => boolean }} order latency: with the offered rate, if it was typed; null: not
 *   measured; isPrinted: whether the text is printed
 * @returns {Promise<{ dir: string, succeeded: boolean, record: RunRecord | null }>} record: with its diff, if any
 */
export async function measureDiff (plan, options, { sides, latency, isPrinted, ...terminal }) {
  const { json } = terminal
  const margin = /** @type {number} */ (plan.targets.margin)
  /** @type {NonNullable<Parameters<typeof runPlan>[2]['extend']>} */
  const extend = async (record, _plan, world) => {
    if (!record.complete || record.ended === 'failed') return record
    const { samples } = await readRun(world.run.dir)
    const run = { record, samples }
    const rate = latency && findRate(record, latency.rate)
    const windows = rate ? await measureLatency(plan, world, { rate, run }) : []
    const isCutOff = latency !== null && world.interrupted()
    if (windows.length > 0) await world.run.writeFile(WINDOWS, toLines(windows))
    /** @type {RunDiff} */
    const diff = {
      ...compareSides(run, { margin, windows: latency && windows }),
      ...rate && { rate },
      base: toRecorded(sides.base),
      head: toRecorded(sides.head)
    }
    const whole = withDiff({ ...record, endedAt: utc() }, diff, { isCutOff })
    await world.run.writeRecord(whole)
    return whole
  }
  const { dir, succeeded } = await runPlan(plan, options, {
    ...terminal,
    isResolved: run => areSidesResolved(run, { margin, kinds: ['cpu', 'throughput'] }),
    extend,
    // An exported file is printed in place of the text.
    ...isPrinted || json ? {} : { show: (_record, shown) => showPage(shown.dir, { ...shown, json: true }) }
  })
  const { record } = await readRun(dir)
  return { dir, succeeded, record }
}

/**
 * Adds a comparison to the record of its run.
 *
 * @param {RunRecord} record
 * @param {RunDiff} diff
 * @param {{ isCutOff: boolean }} options isCutOff: whether the response times were interrupted
 * @returns {RunRecord}
 */
export const withDiff = (record, diff, { isCutOff }) =>
  ({ ...record, diff, ...isCutOff && { complete: false, ended: /** @type {const} */ ('interrupted') } })

/** @param {Sample[]} samples */
const toLines = samples => samples.map(sample => `${JSON.stringify(sample)}\n`).join('')
