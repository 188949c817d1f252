/** Coverage, false verdicts and power of the statistics, with more rounds than the tests in test/full/. */
import { coverageOf, stoppedOf } from '../support/simulate.js'
import { percent } from './measure.js'

/** @import { Part } from './index.js' */

const NOISES = ['white', 'drift of 1 sd', 'AR(1), 0.3']
const COVERED = 0.93
const FALSE_VERDICTS = 0.05
const POWER = 0.95

/** @type {Part} */
export default {
  title: 'simulated coverage, false verdicts and power',
  async run (bench) {
    const rounds = bench.short ? 200 : 20_000
    return NOISES.flatMap(noise => {
      bench.note(`${noise}: ${rounds} rounds each`)
      const fixed = [12, 20, 60].map(n => ({ n, ...coverageOf({ noise, n, rounds }) }))
      const twins = stoppedOf({ noise, sd: 0.05, rounds: rounds / 10 })
      const lines = [
        ...fixed.map(({ n, covered }) =>
          atLeast(COVERED, `${noise}, ${n} blocks: intervals that cover the truth`, covered)
        ),
        atLeast(COVERED, `${noise}, by the stopping rule: intervals that cover the truth`, twins.covered),
        atMost(FALSE_VERDICTS, `${noise}, twins, 20 blocks: faster or slower`, fixed[1].decided)
      ]
      // The mean of a drifting ratio over the measured blocks differs from 1, so twins do not apply.
      if (noise.startsWith('drift')) return lines
      const apart = stoppedOf({ noise, sd: 0.05, truth: 1.05, rounds: rounds / 10 })
      return [
        ...lines,
        atMost(FALSE_VERDICTS, `${noise}, twins, by the stopping rule: faster or slower`,
          twins.verdicts.faster + twins.verdicts.slower),
        atLeast(POWER, `${noise}, 5 % apart: found faster`, apart.verdicts.faster)
      ]
    })
  }
}

/**
 * @param {number} goal
 * @param {string} what
 * @param {number} share
 */
const atLeast = (goal, what, share) => ({
  what,
  measured: percent(share),
  goal: `≥ ${percent(goal)}`,
  met: share >= goal
})
/**
 * @param {number} goal
 * @param {string} what
 * @param {number} share
 */
const atMost = (goal, what, share) => ({
  what,
  measured: percent(share),
  goal: `≤ ${percent(goal)}`,
  met: share <= goal
})
