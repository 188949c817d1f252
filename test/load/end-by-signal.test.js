/** Tests whether an app finishes its requests, by those that were held at the signal. */
import t from '../support/tap.js'
import { finishesRequests } from '../../bench/load/end-by-signal.js'

/** @typedef {boolean | null} Held */

t.test('a request that has arrived decides, and else one whose last line is missing', async t => {
  /** @type {[drains: Held, arrived: Held, finishes: Held][]} */
  const cases = [
    [null, null, null], [null, true, null],
    [true, null, true], [false, null, false],
    [true, true, true], [false, true, true], [true, false, false], [false, false, false]
  ]
  t.strictSame(cases.map(([drains, arrived]) => finishesRequests({ drains, arrived })),
    cases.map(([, , finishes]) => finishes))
})
