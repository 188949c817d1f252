/** Latency and cost at shares of a capacity. Latency rises with load: a step that shows less load to be slower was
 * disturbed, is measured again, and is marked where that does not help. */
import { microsOf, usageOf } from './cost.js'

/** @import { CurvePoint, Sample } from '../../types.js' */

/** Further trials in all: with a disturbed machine there would be no end. */
const MOST_REPEATS = 4
/** A p99 of two or three seconds of load varies by so much from trial to trial, and by so many ms where it is short. */
const NOISE = { share: 0.25, ms: 2 }

/** @typedef {{ share: number, rate: number, trials: Sample[] }} Step */

/** @param {object} order @param {number[]} order.shares rising @param {number} order.capacity requests per second
 * @param {(rate: number, share: number) => Promise<Sample>} order.trial @param {() => boolean} order.interrupted
 * @returns {Promise<{ points: CurvePoint[], samples: { share: number, sample: Sample }[] }>} samples: the one of each
 * step that its point reports */
export async function measureCurve ({ shares, capacity, trial, interrupted }) {
  /** @type {Step[]} */
  const steps = []
  const add = async (/** @type {Step} */ step) => { step.trials.push(await trial(step.rate, step.share)) }
  for (const share of shares) {
    if (interrupted()) break
    const step = { share, rate: share * capacity, trials: [] }
    await add(step)
    steps.push(step)
  }
  for (let repeats = 0; repeats < MOST_REPEATS && !interrupted(); repeats++) {
    // The one that was repeated least: one step alone must not use up all of it.
    const next = disturbedIn(steps).sort((a, b) => a.trials.length - b.trials.length)[0]
    if (!next) break
    await add(next)
  }
  const disturbed = disturbedIn(steps)
  return {
    points: steps.map(step => pointOf(step, disturbed.includes(step))),
    samples: steps.map(step => ({ share: step.share, sample: middleTrial(step) }))
  }
}

/** Steps with a longer p99 than one of a higher load, beyond what varies by itself; or with no valid one, as where the
 * generator was late. @param {Step[]} steps */
const disturbedIn = steps => steps.filter((step, i) => {
  const own = p99Of(middleTrial(step))
  return own === null ||
    steps.slice(i + 1).some(later => own > (p99Of(middleTrial(later)) ?? Infinity) * (1 + NOISE.share) + NOISE.ms)
})

/** The trial in the middle, the better one of two: a disturbance makes answers late and never early. @param {Step} step
 */
function middleTrial ({ trials }) {
  const sorted = [...trials].sort((a, b) => (p99Of(a) ?? Infinity) - (p99Of(b) ?? Infinity))
  return sorted[(sorted.length - 1) >> 1]
}

/** @param {Sample} sample */
const p99Of = ({ latencyMs, invalid }) => invalid ? null : latencyMs?.p99 ?? null

/** @param {Step} step @param {boolean} disturbed @returns {CurvePoint} */
function pointOf (step, disturbed) {
  const sample = middleTrial(step)
  const p99s = step.trials.flatMap(trial => p99Of(trial) ?? [])
  return {
    share: step.share,
    rate: step.rate,
    latencyMs: sample.latencyMs ?? null,
    p99Range: p99s.length > 0 ? { low: Math.min(...p99s), high: Math.max(...p99s) } : null,
    trials: step.trials.length,
    disturbed: disturbed && !sample.invalid,
    cores: usageOf(sample).cores,
    micros: microsOf(sample),
    invalid: sample.invalid
  }
}
