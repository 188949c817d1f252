import t from '../../support/tap.js'
import { compareRuns } from '../../../bench/judge/runs/compare-runs.js'
import { randomFrom } from '../../../bench/shared/random.js'
import { printReport } from '../../../bench/report/terminal.js'
import kind from '../../../bench/features/compare/kind.js'
import { runOf } from '../../support/compared-runs.js'

/**
 * Simulates a run whose processes are replaced after every six blocks.
 *
 * Each start of an arm has a random offset of its rate, up to the share `luck`.
 * @param {Record<string, number>} rates
 * @param {{ starts: number, luck: number, seed: number }} options
 */
function runOfStarts (rates, { starts, luck, seed }) {
  const run = runOf(rates, {}, { blocks: starts * 6, seed })
  const random = randomFrom(seed, 'luck')
  const lucks = Array.from({ length: starts }, () =>
    new Map(Object.keys(rates).map(arm => [arm, 1 + (random() - 0.5) * 2 * luck])))
  const samples = run.samples.map(sample => {
    const start = Math.floor(sample.block / 6)
    return { ...sample, start, rps: sample.rps * Number(lucks[start].get(sample.arm)) }
  })
  return { ...run, samples }
}

t.test('includes the variance between starts when both runs have several starts', async t => {
  const rates = { tcp: 1000, uds: 2000 }
  const [before, after] = [1, 2].map(seed => runOfStarts(rates, { starts: 5, luck: 0.1, seed }))
  const found = compareRuns(before, after, { rates: false })
  const blind = compareRuns(...(/** @type {[any, any]} */ ([before, after].map(run => (
    { ...run, samples: run.samples.map(({ start, ...sample }) => sample) })))), { rates: false })
  const width = (/** @type {typeof found} */ { contrasts: [{ low, high }] }) => Number(high) / Number(low)
  t.strictSame(found.starts, { before: 5, after: 5 })
  t.strictSame(blind.starts, { before: 1, after: 1 })
  const [first, second] = [1, 2].map(seed => runOfStarts(rates, { starts: 5, luck: 0.01, seed }))
  t.ok(Math.log(width(found)) > 3 * Math.log(width(compareRuns(first, second, { rates: false }))))
  t.ok(Number(found.contrasts[0].low) < 1 && Number(found.contrasts[0].high) > 1)
  t.ok(found.contrasts[0].before.low < 2 && found.contrasts[0].before.high > 2)
  t.match(printReport(found, kind), /over starts: 5 before, 5 now/)
  t.match(printReport(blind, kind).replace(/\s+/g, ' '), /Both runs have one start/)
})

t.test('finds a slower arm over several starts, in rates and ratios', async t => {
  const calm = { starts: 6, luck: 0.01 }
  const before = runOfStarts({ tcp: 1000, uds: 2000 }, { ...calm, seed: 1 })
  const after = runOfStarts({ tcp: 1000, uds: 1600 }, { ...calm, seed: 2 })
  const { contrasts, arms, costs, slower } = compareRuns(before, after)
  t.match(contrasts, [{ verdict: 'slower' }])
  t.match(arms, [{ verdict: 'no-difference' }, { verdict: 'slower' }])
  t.match(costs, [{ verdict: 'no-difference' }])
  t.equal(slower, true)
})

t.test('uses the variance between starts of the other run for a run of one start, and reports that', async t => {
  const rates = { tcp: 1000, uds: 2000 }
  const after = runOfStarts(rates, { starts: 5, luck: 0.1, seed: 2 })
  const old = runOf(rates, {}, { seed: 3 })
  const found = compareRuns(old, after, { rates: false })
  t.strictSame(found.starts, { before: 1, after: 5 })
  t.match(printReport(found, kind).replace(/\s+/g, ' '), /has one start: how far another one may differ is estimated/)
  const calm = compareRuns(old, runOfStarts(rates, { starts: 5, luck: 0.01, seed: 2 }), { rates: false })
  const width = (/** @type {typeof found} */ { contrasts: [{ low, high }] }) => Math.log(Number(high) / Number(low))
  t.ok(width(found) > 3 * width(calm))
})

t.test('runs of windows have new processes in each trial, which the report says', async t => {
  const run = runOf({ tcp: 1000, uds: 2000 }, {})
  const windows = { ...run, record: { ...run.record, plan: { ...run.record.plan, windowSeconds: 4 } } }
  const found = compareRuns(windows, windows, { rates: false })
  t.match(printReport(found, kind).replace(/\s+/g, ' '), /Each trial has new processes, so the intervals include/)
  t.equal(compareRuns(run, windows, { rates: false }).startsEachTrial, false)
})
