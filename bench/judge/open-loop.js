/** Judges the open loop of a run: which arms kept up with the offered rate, and their response times (pure). */
import { combineLatencies, sumErrors, sumOf } from './arm-result.js'
import { combineLatenciesByKind } from './latency-by-kind.js'
import { findUnsteady, selectWarm } from './not-steady.js'
import { median } from './stats/quantile.js'
import { isDisturbance } from '../shared/disturbance.js'

/** @import { OpenLoopArm, Plan, Reason, Sample } from '../types.js' */

/**
 * Growth of the queue in the second half of a window above which an arm does not keep up: a share of the requests of
 * that half, and so many seconds of the offered rate beyond the lag of the generator. A pause of a garbage collector is
 * shorter than 0.1 s.
 */
const QUEUE_GROWTH = { share: 0.02, seconds: 0.1 }
/** Responses below which a percentile rests on fewer than ten of them. */
export const RESPONSES_FOR = { p90: 100, p99: 1000 }

/**
 * @param {Plan} part plan of the open loop
 * @param {Sample[]} samples with their validity
 * @param {ReadonlyMap<string, Reason>} refused arms that the gate refused
 * @returns {OpenLoopArm[]} in the order of the plan
 */
export const judgeOpenLoop = (part, samples, refused) => part.arms.map(arm => {
  const { rate = 0 } = arm.load
  const windows = samples.filter(sample => sample.arm === arm.name)
  // A disturbed machine does not show whether an arm keeps up.
  const telling = windows.filter(({ invalid, backlog }) => backlog && !isDisturbance(invalid))
  const valid = selectWarm(windows).filter(({ invalid }) => !invalid)
  const unsteady = findUnsteady(valid)
  const result = { name: arm.name, windows: windows.length, errors: sumErrors(windows), ...unsteady && { unsteady } }
  if (telling.length > 0 && fallsBehind(telling, rate)) {
    const answeredPerSecond = computeAnswered(telling)
    return { ...result, sustained: false, answeredPerSecond, latencyMs: null, responses: 0, why: null }
  }
  const responses = sumOf(valid, ({ requests }) => requests)
  const byKind = combineLatenciesByKind(valid)
  return {
    ...result,
    sustained: valid.length > 0 ? true : null,
    answeredPerSecond: valid.length > 0 ? computeAnswered(valid) : null,
    latencyMs: combineLatencies(valid),
    ...byKind && { latencyByKind: byKind },
    responses,
    why: valid.length > 0 ? null : refused.get(arm.name) ?? windows.at(-1)?.invalid ?? null
  }
})

/**
 * Returns whether the queue of an arm grew in its windows: it answered fewer requests than were sent.
 *
 * @param {Sample[]} windows with a backlog
 * @param {number} rate
 */
function fallsBehind (windows, rate) {
  const growth = sumOf(windows, ({ backlog }) => backlog ? backlog.end - backlog.middle : 0)
  const sentInSecondHalf = sumOf(windows, ({ seconds }) => rate * seconds / 2)
  const pauses = sumOf(windows, ({ lagMs }) => rate * (QUEUE_GROWTH.seconds + (lagMs?.p99 ?? 0) / 1000))
  return growth > QUEUE_GROWTH.share * sentInSecondHalf && growth > pauses
}

/** Returns the median rate of responses before the end of the schedule. @param {Sample[]} windows */
const computeAnswered = windows =>
  median(windows.map(({ backlog, seconds, requests }) => (backlog ? backlog.answered : requests) / seconds))
