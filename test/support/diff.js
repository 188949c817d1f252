/** A stored comparison of two states of an app, for tests. */

/** @import { RunDiff } from '../../bench/types.js' */

/** A diff whose head needs more CPU time, with a throughput that is undecided, and memory that does not decide. */
export function makeDiff () {
  const base = {
    arm: 'head',
    baseline: 'base',
    before: 100,
    after: 121,
    decides: true,
    level: 0.95,
    margin: 0.05,
    worse: 'higher',
    why: null,
    sees: 0.04
  }
  return /** @type {RunDiff} */ ({
    margin: 0.05,
    starts: 4,
    figures: [
      { ...base, figure: 'cpu', ratio: 1.21, low: 1.15, high: 1.28, verdict: 'slower' },
      { ...base, figure: 'throughput', ratio: 0.93, low: 0.85, high: 1.01, worse: 'lower', verdict: 'inconclusive' },
      { ...base, figure: 'memory', decides: false, ratio: 1.5, low: 1.4, high: 1.6, verdict: 'slower' }
    ],
    slower: true,
    open: true,
    sees: 0.04,
    base: { label: 'main (abcdef0)', ref: 'main', commit: 'abcdef0'.padEnd(40, '0'), changes: 0 },
    head: { label: 'your working tree', ref: null, commit: '1234567'.padEnd(40, '0'), changes: 1 }
  })
}
