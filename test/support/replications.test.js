import t from './tap.js'
import { agreement, coverage, falseVerdicts, pairsOf, runLines, words } from '../perf/replications.js'
import { report } from '../perf/replicate.js'
import { makeContrast, makePlan, makeRecord, makeSample } from './record.js'
import { normal, seriesOf } from './simulate.js'

const plan = makePlan({
  arms: ['equal', 'more'].map(name => ({ ...makePlan().arms[0], name })),
  contrasts: [['more', 'equal']],
  twin: null,
  startBlocks: 4
})

/**
 * Makes stored runs of five starts with four blocks each.
 * @param {number[]} ratios true ratio of each run
 * @param {string} verdict of each run, with an interval of ±4 %
 */
function stored (ratios, verdict) {
  const random = seriesOf('replications', ratios.length)
  return ratios.map((ratio, i) => ({
    record: makeRecord({
      run: `run-${i}`,
      plan,
      contrasts: [makeContrast({
        arm: 'more',
        baseline: 'equal',
        ratio,
        low: ratio / 1.04,
        high: ratio * 1.04,
        starts: 5,
        verdict: /** @type {any} */ (verdict)
      })]
    }),
    samples: ['equal', 'more'].flatMap(arm => Array.from({ length: 20 }, (_, block) => makeSample({
      arm,
      block,
      start: Math.floor(block / 4),
      rps: 1000 * (arm === 'more' ? ratio : 1) * Math.exp(0.02 * normal(random))
    })))
  }))
}

t.test('accepts at most one false verdict in twenty runs', async t => {
  const calm = stored(Array(20).fill(1), 'no-difference')
  t.match(falseVerdicts(calm), { measured: '0 of 20', met: true })
  t.match(falseVerdicts([...calm.slice(1), ...stored([0.9], 'slower')]), { measured: '1 of 20', met: true })
  t.match(falseVerdicts([...calm.slice(2), ...stored([0.9, 1.1], 'faster')]), { measured: '2 of 20', met: false })
})

t.test('requires the true ratio in the intervals of eighteen of twenty runs', async t => {
  const runs = stored([...Array(18).fill(1 / 1.1), 0.8, 0.99], 'slower')
  t.match(coverage(runs, 1 / 1.1), { measured: '18 of 20', met: true })
  t.match(coverage([...runs.slice(1), ...stored([0.8], 'slower')], 1 / 1.1), { measured: '17 of 20', met: false })
})

t.test('Q is small for runs that agree and large for runs that do not', async t => {
  const alike = stored(Array(8).fill(1.2), 'faster')
  t.ok(pairsOf(alike)[0].perDf < 2.5, `${pairsOf(alike)[0].perDf}`)
  const apart = stored([1.2, 1.3, 1.1, 1.25, 1.15, 1.2, 1.35, 1.05], 'faster')
  t.ok(pairsOf(apart)[0].perDf > 10)
  t.match(agreement(apart), { met: false })
})

t.test('prints a table of runs and a summary', async t => {
  const runs = stored([0.91, 0.9], 'slower')
  t.match(runLines(runs).join('\n'), /run-1 +more +0\.900 +0\.865 +0\.936 +5 +\d+ +slower/)
  t.match(words(runs).join('\n'), /more \/ equal: 0\.910, 0\.900; half-width in the middle 4\.0 %; Q ÷ df [\d.]+\nsd /)
  t.match(words(runs.slice(0, 1)).join('\n'), /Q ÷ df NaN/)
  t.match(report('planted', runs).join('\n'), /met +intervals that hold 0\.909: 2 of 2/)
  t.strictSame(report('equal', []), ['equal: no complete run'])
})
