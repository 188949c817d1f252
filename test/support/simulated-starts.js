/**
 * Intervals over starts, decisions, the end of a run and outlying starts in simulated runs with a known truth. The
 * limits are those of docs/statistics.md, whose figures come from the same code with more rounds.
 */
import {
  coverageBetweenRuns, coverageOfQuick, coverageOverStarts, coverageWhenDecided, coverageWhenStopped, decisionsOf,
  driftsFound, falselyApart, falselyDecided
} from './simulate-starts.js'

/** @import { Test } from 'tap' */

const ROUNDS = 500
const SIZES = [{ arms: 3, starts: 3, blocks: 4 }, { arms: 5, starts: 5, blocks: 6 }, { arms: 6, starts: 9, blocks: 4 },
  { arms: 2, starts: 2, blocks: 8 }]
const USUAL = SIZES[1]
/** @param {number} share */
const percent = share => `${(share * 100).toFixed(1)} %`

/**
 * Tests the intervals over starts.
 * @param {Test} t
 * @param {{ kinds: string[], quick: string[] }} noise its kinds in runs of several starts, and in quick runs
 */
export function testIntervals (t, { kinds, quick }) {
  t.test('95 % intervals over starts cover at least 94 %, and 99 % intervals 98.5 %, under each noise', async t => {
    for (const luck of kinds) {
      const { covered } = coverageOverStarts({ luck, rounds: ROUNDS, level: 0.99, ...USUAL })['as it is']
      t.ok(1 - covered <= 0.015, `${luck}, 99 %: ${percent(covered)}`)
      for (const size of SIZES) {
        const { covered } = coverageOverStarts({ luck, rounds: ROUNDS, ...size })['as it is']
        t.ok(1 - covered <= 0.06, `${luck}, ${JSON.stringify(size)}: ${percent(covered)}`)
      }
    }
  })

  t.test('95 % intervals of the change between two runs of several starts cover at least 93 %', async t => {
    for (const luck of kinds) {
      const { covered } = coverageBetweenRuns({ luck, rounds: Math.ceil(ROUNDS / 2), runs: [USUAL, SIZES[0]] })
      t.ok(1 - covered <= 0.07, `${luck}: ${percent(covered)}`)
    }
  })

  t.test('pooling the autocorrelation of all arms narrows the intervals of quick runs, and 92 % cover', async t => {
    const rounds = Math.max(200, ROUNDS)
    for (const noise of quick) {
      for (const arms of [3, 5]) {
        const [all, own] = [true, false].map(pooled => coverageOfQuick({ noise, arms, pooled, rounds }))
        t.ok(1 - all.covered <= 0.08, `${noise}, ${arms} arms: ${percent(all.covered)}`)
        t.ok(all.width < 0.92 * own.width, `${noise}, ${arms} arms: ${all.width / own.width} of the width`)
      }
    }
  })

  t.test('intervals from the starts of all arms are narrower than from the starts of one pair', async t => {
    const found = coverageOverStarts({
      luck: 'AR(1), 0.1', rounds: 100, methods: ['as it is', 'own starts only'], level: 0.99, ...USUAL
    })
    t.ok(found['as it is'].width < 0.85 * found['own starts only'].width)
    const pair = coverageOverStarts({
      luck: 'AR(1), 0.1', rounds: 100, methods: ['as it is', 'own starts only'], arms: 2, starts: 2, blocks: 8
    })
    t.ok(pair['as it is'].width < 0.5 * pair['own starts only'].width)
  })

  t.test('intervals that ignore starts, or assume equal spreads, cover less than 90 %', async t => {
    const of = (/** @type {string} */ luck, /** @type {string} */ method) =>
      coverageOverStarts({ luck, rounds: 200, methods: [method], ...USUAL })[method].covered
    t.ok(of('AR(1), 0.1', 'blocks only') < 0.9)
    t.ok(of('changes of state', 'all starts alike') < 0.9)
  })
}

/**
 * Tests decisions, the end of a run and outlying starts.
 * @param {Test} t
 * @param {string[]} kinds of noise
 */
export function testDecisions (t, kinds) {
  const only = (/** @type {string[]} */ names) => names.filter(name => kinds.includes(name))
  t.test('the gate on drift has false alarms in at most 2 % of contrasts, and finds a drift of 15 %', async t => {
    const size = { starts: USUAL.starts, blocks: USUAL.blocks }
    for (const luck of kinds) {
      const alarms = driftsFound({ luck, drift: 0, rounds: 1000, ...size })
      // Strong autocorrelation looks like drift in a start of six blocks.
      t.ok(alarms <= (luck === 'AR(1), 0.3' ? 0.03 : 0.02), `${luck}: ${percent(alarms)}`)
    }
    t.ok(driftsFound({ luck: 'AR(1), 0.1', drift: 0.15, rounds: 500, ...size }) > 0.9)
  })

  t.test('95 % intervals of runs that end when the interval is narrow enough cover at least 91 %', async t => {
    for (const luck of only(['white', 'AR(1), 0.1', 'starts alike'])) {
      for (const arms of [2, 5]) {
        const { covered, early } = coverageWhenStopped({
          luck, arms, starts: 10, blocks: 6, precision: 0.02, fewest: 12, rounds: Math.ceil(ROUNDS / 4)
        })
        t.ok(early > 0.5 && 1 - covered <= 0.09, `${luck}, ${arms} arms: ${percent(covered)}, ${percent(early)} early`)
      }
    }
  })

  t.test('95 % intervals of runs that end when decided, after twelve blocks or more, cover at least 94 %', async t => {
    for (const luck of only(['white', 'AR(1), 0.1', 'starts alike', 'starts of 3 %'])) {
      for (const truth of [1.1, 1.3]) {
        const { covered, early } = coverageWhenDecided({
          luck, truth, arms: 2, starts: 8, blocks: 6, fewest: 12, rounds: Math.ceil(ROUNDS / 5)
        })
        // The rule expects starts to vary by less than 3 %.
        const missed = luck === 'starts of 3 %' ? 0.1 : 0.06
        t.ok(early > 0.9 && 1 - covered <= missed, `${luck}, ${truth}: ${percent(covered)}, ${percent(early)} early`)
      }
    }
  })

  t.test('equal arms are decided to differ in at most one in a hundred contrasts, at any block', async t => {
    for (const luck of kinds) {
      const decided = falselyDecided({ luck, rounds: ROUNDS, ...USUAL, arms: 2 })
      // Before the first start the rule expects about half the spread of 'starts of 3 %'.
      t.ok(decided <= (luck === 'starts of 3 %' ? 0.015 : 0.01), `${luck}: ${percent(decided)}`)
    }
  })

  t.test('at most one run of thirty reports an outlying start without cause', async t => {
    for (const luck of only(['white', 'AR(1), 0.1', 'starts alike', 'starts of 3 %', 'heavy tails'])) {
      const apart = falselyApart({ luck, rounds: ROUNDS, ...USUAL })
      t.ok(apart <= 0.033, `${luck}: ${percent(apart)}`)
    }
  })

  t.test('large differences are decided when the second start begins, 10 % by the third or fourth', async t => {
    const size = { ...USUAL, arms: 2 }
    t.match(decisionsOf({ luck: 'AR(1), 0.1', truth: 1.3, rounds: 100, ...size }), { decided: 1, wrong: 0, blocks: 7 })
    const found = decisionsOf({ luck: 'AR(1), 0.1', truth: 1.1, rounds: 100, ...size })
    t.ok(found.decided > 0.95 && found.blocks <= 20, JSON.stringify(found))
  })
}
