/** When a run with --fail-if-slower ends, and the exit code of a planted slowdown. */
import t from '../../support/tap.js'
import { compareThroughput, exitIfSlower, untilDecided } from '../../../bench/features/run/fail-if-slower.js'
import { randomFrom } from '../../../bench/shared/random.js'
import { planFrom } from '../../../bench/request/request.js'
import { makeArm, makePlan, makeRecord, makeSample } from '../../support/record.js'

const BLOCKS = 6
const MARGIN = 0.05

/**
 * Makes a run of two arms, of which the second one serves less.
 *
 * @param {{ slower: number, starts: number, bound?: 'server' | 'load' }} planted slower: share; bound: bottleneck of
 *   the second arm
 */
function makeRun ({ slower, starts, bound = 'server' }) {
  const random = randomFrom(1, 'fail if slower')
  const samples = ['old', 'new'].flatMap(arm => Array.from({ length: starts * BLOCKS }, (_, block) => {
    const rps = 1000 * (arm === 'new' ? 1 - slower : 1) * (1 + (random() - 0.5) * 0.04)
    return makeSample({ arm, block, start: Math.floor(block / BLOCKS), requests: rps / 2, rps })
  }))
  const [arm] = makePlan().arms
  const names = ['old', 'new']
  const plan = makePlan({
    arms: names.map(name => ({ ...arm, name })), contrasts: [['new', 'old']], twin: null, startBlocks: BLOCKS
  })
  const arms = [makeArm({ name: 'old', bound: 'server' }), makeArm({ name: 'new', bound })]
  return { plan, samples, record: makeRecord({ plan, arms }) }
}

/**
 * Returns the exit code and the printed text of a run.
 *
 * @param {ReturnType<typeof makeRun>} run
 */
function conclude (run) {
  let text = ''
  const stream = /** @type {any} */ ({ write: (/** @type {string} */ line) => { text += line } })
  return { exit: exitIfSlower(compareThroughput(run, MARGIN), MARGIN, stream), text }
}

t.test('a run with --fail-if-slower goes on until a planted slowdown is decided, and fails', async t => {
  const isResolved = untilDecided(MARGIN)
  const { plan } = await planFrom(['http-json', 'express-json'], { lab: false, margin: MARGIN })
  t.equal(plan.targets.margin, MARGIN)
  t.equal(isResolved(makeRun({ slower: 0.08, starts: 2 })), false)
  const run = makeRun({ slower: 0.08, starts: 8 })
  t.equal(isResolved(run), true)
  t.match(conclude(run), { exit: 3, text: /^new is slower than old by more than 5 %: 0\.9\d* \(0\.9\d* to 0\.9\d*\)/ })
  t.match(conclude(makeRun({ slower: 0, starts: 8 })), { exit: 0, text: /^No arm is slower .* more than 5 %\.\n$/ })
  t.equal(isResolved(makeRun({ slower: 0.05, starts: 8 })), false, 'a slowdown of the margin stays undecided')
})

t.test('a slowdown that is only bounded, of one start, or too uncertain is undecided', async t => {
  t.match(conclude(makeRun({ slower: 0.3, starts: 8, bound: 'load' })),
    { exit: 0, text: /^UNDECIDED: new against old: the load was the bottleneck in new; --fail-if-slower is 5 %\.\n$/ })
  t.match(conclude(makeRun({ slower: 0.3, starts: 1 })), { exit: 0, text: /^UNDECIDED: .* one start / })
  t.match(conclude(makeRun({ slower: 0.045, starts: 8 })),
    { exit: 0, text: /^UNDECIDED: new against old: this run detects slowdowns of \d/ })
})
