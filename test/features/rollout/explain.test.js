/** Causes of lost requests. */
import t from '../../support/tap.js'
import { explainLosses, findCause, findGaps } from '../../../bench/features/rollout/explain.js'
import { STOP_START, makeLoss, makeResult } from '../../support/rollouts.js'

/** @import { Loss, RolloutEvent } from '../../../bench/types.js' */

/** Two processes, of which the first ends after the switch to the second. @type {RolloutEvent[]} */
const SWITCHED = [
  { what: 'listen', atMs: 500, process: 0 },
  { what: 'listen', atMs: 3500, process: 1 },
  { what: 'switch', atMs: 3600, process: null },
  { what: 'signal', atMs: 4000, process: 0 },
  { what: 'end', atMs: 4200, process: 0 }
]

/** @type {(loss: Partial<Loss>, events?: RolloutEvent[]) => string} */
const toCode = (loss, events = STOP_START) => findCause(makeLoss(loss), { events, beganMs: 3000 }).code

t.test('finds the times without a process from SIGTERM of the last one to the next response', async t => {
  t.strictSame(findGaps(STOP_START), [{ fromMs: 3000, toMs: 4200 }])
  t.strictSame(findGaps(SWITCHED), [])
  t.strictSame(findGaps(STOP_START.slice(0, 3)), [{ fromMs: 3000, toMs: Infinity }], 'the new build never responds')
})

t.test('assigns losses to the events of their rollout', async t => {
  t.equal(toCode({ atMs: 2000 }), 'before')
  t.equal(toCode({ atMs: 2990, ms: 30, outcome: 'reset' }), 'in-flight')
  t.equal(toCode({ atMs: 3030, ms: 10, outcome: 'reset', isKept: true }), 'kept')
  t.equal(toCode({ atMs: 3030, ms: 10, outcome: 'reset' }), 'no-process')
  t.equal(toCode({ atMs: 3500, outcome: 'status-502' }), 'no-process')
  t.equal(toCode({ atMs: 9000, outcome: 'status-500' }), 'other')
  t.equal(toCode({ atMs: 9000, outcome: 'status-502' }), 'skipped')
  t.equal(toCode({ atMs: 3700, outcome: 'status-502' }, SWITCHED), 'switch')
  t.equal(toCode({ atMs: 4100, outcome: 'refused' }, SWITCHED), 'ending')
  t.equal(toCode({ outcome: 'gone', build: 'old' }), 'gone')
  t.equal(toCode({ outcome: 'gone-recovered', build: 'old' }), 'gone')
  t.equal(toCode({ outcome: 'gone', build: 'new' }), 'early')
  t.equal(toCode({ outcome: 'mixed', build: 'old' }), 'mixed')
})

t.test('sums up losses with the same cause, the most frequent first', async t => {
  const losses = [
    makeLoss({ atMs: 3500, outcome: 'status-502' }),
    makeLoss({ atMs: 3030, ms: 10, outcome: 'reset', isKept: true }),
    makeLoss({ client: 'api', atMs: 3600, outcome: 'status-502' }),
    makeLoss({ client: 'late-file', outcome: 'gone', build: 'old' })
  ]
  t.strictSame(explainLosses([makeResult({ losses })]).map(({ text }) => text), [
    'status 502, 2 × pages and API requests: in the 1.2 s in which no process listened.',
    'connection reset, 1 × pages: on a kept connection 40 ms after SIGTERM: the app closed the connection.',
    'file gone, 1 × late files: open pages of the old build name files that the new build does not send.'
  ])
})
