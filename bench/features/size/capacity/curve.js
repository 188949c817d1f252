/** Measures latency and cost at shares of a capacity. Latency rises with load, so a step that is slower than a step of
 * higher load was disturbed. Such a step is measured again, and marked if that does not help. */
import { isLagging, toMicros, toUsage } from './cost.js'

/** @import { CurvePoint, Sample } from '../../../types.js' */

/** Limit of repeated trials of all steps together, because a disturbed machine would cause any number of them. */
export const MAX_REPEATS = 4
/** Variation of the p99 between trials of two or three seconds on an undisturbed machine. The sum of both parts is
 * tolerated, because the share alone is too little for short latencies. */
const NOISE = { share: 0.25, ms: 2 }

/** @typedef {{ share: number, rate: number, trials: Sample[] }} Step */

/**
 * Measures a point for each share.
 *
 * @param {object} order
 * @param {number[]} order.shares in rising order
 * @param {number} order.capacity requests per second
 * @param {(rate: number, share: number) => Promise<Sample>} order.trial
 * @param {() => boolean} order.interrupted
 * @returns {Promise<{ points: CurvePoint[], samples: { share: number, sample: Sample }[] }>} samples: one per step, the
 * one that its point reports
 */
export async function measureCurve ({ shares, capacity, trial, interrupted }) {
  /** @type {Step[]} */
  const steps = []
  for (const share of shares) {
    if (interrupted()) break
    const rate = share * capacity
    steps.push({ share, rate, trials: [await trial(rate, share)] })
  }
  for (let repeats = 0; repeats < MAX_REPEATS && !interrupted(); repeats++) {
    // Repeats the step with the fewest trials, so that one step does not use up all repeats.
    const [step] = findDisturbed(steps).sort((a, b) => a.trials.length - b.trials.length)
    if (!step) break
    step.trials.push(await trial(step.rate, step.share))
  }
  const disturbed = findDisturbed(steps)
  return {
    points: steps.map(step => summarizeStep(step, disturbed.includes(step))),
    samples: steps.map(step => ({ share: step.share, sample: withoutLateLatency(pickTrial(step)) }))
  }
}

/** Finds the steps with a longer p99 than a step of higher load, and those without a valid trial.
 * @param {Step[]} steps in order of load */
const findDisturbed = steps => steps.filter((step, i) => {
  const p99 = getP99(pickTrial(step))
  return p99 === null ||
    steps.slice(i + 1).some(later => p99 > (getP99(pickTrial(later)) ?? Infinity) * (1 + NOISE.share) + NOISE.ms)
})

/** Returns the trial with the median p99, the lower one of two, because a disturbance never shortens latency.
 * @param {Step} step */
function pickTrial ({ trials }) {
  const sorted = [...trials].sort((a, b) => (getP99(a) ?? Infinity) - (getP99(b) ?? Infinity))
  return sorted[Math.floor((sorted.length - 1) / 2)]
}

/** Leaves out latencies that are too much the lag of the generator. @param {Sample} sample */
const withoutLateLatency = sample => isLagging(sample) ? { ...sample, latencyMs: null } : sample

/**
 * @param {Sample} sample
 * @returns {number | null} null: invalid, or too much of it is the lag of the generator
 */
const getP99 = sample => sample.invalid || isLagging(sample) ? null : sample.latencyMs?.p99 ?? null

/**
 * @param {Sample} sample
 * @param {{ share: number, rate: number }} step
 * @returns {CurvePoint}
 */
export const toPoint = (sample, { share, rate }) => ({
  share,
  rate,
  ...isLagging(sample) ? { latencyMs: null, lagging: true } : { latencyMs: sample.latencyMs ?? null },
  cores: toUsage(sample).cores,
  micros: toMicros(sample),
  invalid: sample.invalid
})

/**
 * @param {Step} step
 * @param {boolean} isDisturbed
 * @returns {CurvePoint}
 */
function summarizeStep (step, isDisturbed) {
  const sample = pickTrial(step)
  const p99s = step.trials.flatMap(trial => getP99(trial) ?? [])
  return {
    ...toPoint(sample, step),
    p99Range: p99s.length > 0 ? { low: Math.min(...p99s), high: Math.max(...p99s) } : null,
    trials: step.trials.length,
    disturbed: isDisturbed && !sample.invalid && !isLagging(sample)
  }
}
