/**
 * Intervals over starts in simulated runs with a known truth. The limits are those of docs/statistics.md, whose figures
 * come from the same code with more rounds.
 */
import t from 'tap'
import {
  coverageBetweenRuns, coverageOfQuick, coverageOverStarts, lucks, quickNoises
} from '../support/simulate-starts.js'

const ROUNDS = 500
const SIZES = [{ arms: 3, starts: 3, blocks: 4 }, { arms: 5, starts: 5, blocks: 6 }, { arms: 6, starts: 9, blocks: 4 }]
const USUAL = SIZES[1]
/** @param {number} share */
const percent = share => `${(share * 100).toFixed(1)} %`

t.test('95 % intervals over starts cover at least 94 %, under each kind of noise', async t => {
  for (const luck of Object.keys(lucks)) {
    for (const size of SIZES) {
      const { covered } = coverageOverStarts({ luck, rounds: ROUNDS, ...size })['as it is']
      t.ok(1 - covered <= 0.06, `${luck}, ${JSON.stringify(size)}: ${percent(covered)}`)
    }
  }
})

t.test('95 % intervals of the change between two runs of several starts cover at least 93 %', async t => {
  for (const luck of Object.keys(lucks)) {
    const { covered } = coverageBetweenRuns({ luck, rounds: Math.ceil(ROUNDS / 2), runs: [USUAL, SIZES[0]] })
    t.ok(1 - covered <= 0.07, `${luck}: ${percent(covered)}`)
  }
})

t.test('pooling the autocorrelation of all arms narrows the intervals of quick runs, and 92 % cover', async t => {
  const rounds = Math.max(200, ROUNDS)
  for (const noise of Object.keys(quickNoises)) {
    for (const arms of [3, 5]) {
      const [all, own] = [true, false].map(pooled => coverageOfQuick({ noise, arms, pooled, rounds }))
      t.ok(1 - all.covered <= 0.08, `${noise}, ${arms} arms: ${percent(all.covered)}`)
      t.ok(all.width < 0.92 * own.width, `${noise}, ${arms} arms: ${all.width / own.width} of the width`)
    }
  }
})

t.test('99 % intervals over starts cover at least 98.5 %', async t => {
  for (const luck of Object.keys(lucks)) {
    const { covered } = coverageOverStarts({ luck, rounds: ROUNDS, level: 0.99, ...USUAL })['as it is']
    t.ok(1 - covered <= 0.015, `${luck}: ${percent(covered)}`)
  }
})

t.test('intervals from the starts of all arms are narrower than from the starts of one pair', async t => {
  const found = coverageOverStarts({
    luck: 'AR(1), 0.1', rounds: 100, methods: ['as it is', 'own starts only'], level: 0.99, ...USUAL
  })
  t.ok(found['as it is'].width < 0.85 * found['own starts only'].width)
})

t.test('intervals that ignore starts, or assume equal spreads, cover less than 90 %', async t => {
  const of = (/** @type {string} */ luck, /** @type {string} */ method) =>
    coverageOverStarts({ luck, rounds: 200, methods: [method], ...USUAL })[method].covered
  t.ok(of('AR(1), 0.1', 'blocks only') < 0.9)
  t.ok(of('changes of state', 'all starts alike') < 0.9)
})
