/** The two estimates of a ratio, of totals and the centre of block log-ratios, agree in the steady state. */
import t from '../support/tap.js'
import { summarize } from '../../bench/judge/summary.js'
import { readReferenceRuns } from '../support/reference-runs.js'
import { cores, planFor, samplesFor } from '../support/samples.js'
import { normal, seriesOf } from '../support/simulate.js'

/** @import { Contrast, Sample } from '../../bench/types.js' */

/**
 * Largest difference of the two estimates in the steady state (docs/statistics.md), and, of few and noisy blocks, as a
 * share of the interval's half-width.
 */
const AGREEMENT = { share: 0.01, ofHalfWidth: 0.2 }
/**
 * Contrasts of stored runs on a host with two speeds, at which the ratio differs: 1.8 in slow blocks, 1.55 in fast
 * ones. Totals weigh the fast ones more. A new run is named here only if its rates show both speeds, as those of
 * connect x4 in its first start do: 7,000 to 12,200 requests a second.
 */
const AT_TWO_SPEEDS = [
  '2026-11-29T18-49-59Z-nginx-defaults, since 1.29.7 / before 1.29.7',
  '2026-11-30T00-53-39Z-brotli, nginx brotli 4 / nginx brotli 11',
  '2026-11-30T02-36-38Z-proxies-ingress, envoy keepalive / nginx keepalive',
  '2026-11-30T08-00-31Z-rps-by-cpu, 0 KB, workers 4 / 0 KB, workers 1',
  '2026-12-01T03-45-11Z-static-html, connect x4 / nginx'
]
const BLOCKS = 6

/**
 * Returns the ratio of the rates over all blocks in which both arms were valid.
 *
 * @param {Sample[]} samples
 * @param {Contrast} contrast
 */
function computeRatioOfTotals (samples, { arm, baseline }) {
  const [ofArm, ofBaseline] = [arm, baseline].map(name =>
    new Map(samples.filter(sample => sample.arm === name && !sample.invalid).map(sample => [sample.block, sample])))
  const shared = [...ofArm.keys()].filter(block => ofBaseline.has(block))
  const [rate, baselineRate] = [ofArm, ofBaseline].map(byBlock => {
    const used = shared.flatMap(block => byBlock.get(block) ?? [])
    return used.reduce((sum, { requests }) => sum + requests, 0) / used.reduce((sum, { seconds }) => sum + seconds, 0)
  })
  return rate / baselineRate
}

/**
 * Returns how far the estimates of each contrast with a verdict differ, as absolute log-ratios.
 *
 * @param {Parameters<typeof summarize>[0]} run
 */
const findDifferences = run => summarize(run).contrasts
  .filter(({ verdict }) => verdict !== 'inconclusive' && verdict !== 'invalid')
  .map(contrast => ({
    pair: `${contrast.arm} / ${contrast.baseline}`,
    difference: Math.abs(Math.log(computeRatioOfTotals(run.samples, contrast) / contrast.ratio)),
    limit: Math.max(AGREEMENT.share,
      AGREEMENT.ofHalfWidth * Math.log(Number(contrast.high) / Number(contrast.low)) / 2 || 0)
  }))

/**
 * Makes a run of five starts with slices of the usual noise.
 *
 * @param {(block: number) => number} factor of the rate of uds, by the position of a block in its start
 */
function makeRun (factor) {
  const plan = planFor({ protocol: 'gang' })
  const random = seriesOf('estimators')
  const samples = samplesFor(plan, 5 * BLOCKS, (arm, block) => {
    const rps = 10_000 * (arm === 'uds' ? 1.3 * factor(block % BLOCKS) : 1) * Math.exp(0.03 * normal(random))
    return { rps, requests: Math.round(rps / 2), start: Math.floor(block / BLOCKS) }
  })
  return { plan, samples, cores }
}

t.test('in the steady state the ratio of totals and the robust centre differ by less than 1 %', async t => {
  const steady = findDifferences(makeRun(() => 1))
  t.strictSame(steady.map(({ pair }) => pair), ['uds / tcp'])
  t.ok(steady[0].difference < AGREEMENT.share, `difference of ${steady[0].difference}`)
})

t.test('stored runs that waited for the steady state have estimates that differ by less than the limit', async t => {
  for await (const { run, record, plan, samples } of readReferenceRuns()) {
    if (!('warmUp' in plan)) continue
    for (const { pair, difference, limit } of findDifferences({ plan, samples, cores: record.environment.cores })) {
      const name = `${run}, ${pair}`
      t.equal(difference < limit, !AT_TWO_SPEEDS.includes(name), `${name}: ${difference}`)
    }
  }
  t.pass('every stored run was read')
})
