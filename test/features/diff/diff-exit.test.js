/** Exit code of `hopbench diff` by verdicts and --fail-on. */
import t from '../../support/tap.js'
import { toDiffExit } from '../../../bench/features/diff/command.js'

/** @import { DiffMetric } from '../../../bench/types.js' */

/** @type {(figure: DiffMetric['figure'], verdict: DiffMetric['verdict']) => DiffMetric} */
const toMetric = (figure, verdict) => ({
  figure,
  verdict,
  arm: 'head',
  baseline: 'base',
  before: 1,
  after: 1,
  decides: true,
  ratio: 1,
  low: null,
  high: null,
  level: 0.95,
  margin: 0.05,
  worse: 'higher',
  why: null,
  sees: null
})
const succeeded = true

t.test('depends on the verdicts and on --fail-on', async t => {
  /** @type {['slower' | 'inconclusive' | 'never', number, number, number][]} exit if slower, open, decided */
  const cases = [['slower', 3, 0, 0], ['inconclusive', 3, 3, 0], ['never', 0, 0, 0]]
  for (const [failOn, slower, open, decided] of cases) {
    const figures = [toMetric('cpu', 'slower'), toMetric('p99', 'no-difference')]
    t.equal(toDiffExit({ figures, slower: true, open: false }, { succeeded, failOn }), slower, `slower, ${failOn}`)
    t.equal(toDiffExit({ figures, slower: true, open: true }, { succeeded, failOn }), slower, `slower, ${failOn}`)
    t.equal(toDiffExit({ figures, slower: false, open: true }, { succeeded, failOn }), open, `open, ${failOn}`)
    t.equal(toDiffExit({ figures, slower: false, open: false }, { succeeded, failOn }), decided, `decided, ${failOn}`)
  }
})

t.test('is 1 after a failed run, without a comparison, and without a valid percentile', async t => {
  for (const failOn of /** @type {const} */ (['slower', 'inconclusive', 'never'])) {
    const figures = [toMetric('cpu', 'slower'), toMetric('p99', 'invalid')]
    t.equal(toDiffExit({ figures, slower: true, open: true }, { succeeded, failOn }), 1)
    t.equal(toDiffExit({ figures: [], slower: true, open: false }, { succeeded: false, failOn }), 1)
    t.equal(toDiffExit(undefined, { succeeded, failOn }), 1)
  }
})
