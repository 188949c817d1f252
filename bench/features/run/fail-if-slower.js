/** The option --fail-if-slower of a run: when the run ends, and its exit code. */
import { SLOWER_EXIT } from '../../judge/runs/compare-runs.js'
import { areSidesResolved, compareSides } from '../../judge/runs/side-by-side.js'
import { badOption } from '../../errors.js'
import { printChangeWhy } from '../../report/facts/facts.js'
import { estimateText, percent } from '../../shared/format.js'

/** @import { Run } from '../../judge/runs/compare-runs.js' */
/** @import { HopbenchError } from '../../errors.js' */
/** @import { DiffMetric, Plan } from '../../types.js' */

/**
 * Rejects --fail-if-slower for a run that could never fail by it.
 *
 * @param {number | undefined} failIfSlower share
 * @param {Plan} plan
 * @throws {HopbenchError} bad-option
 */
export function rejectWithoutContrast (failIfSlower, { contrasts, smoke }) {
  if (failIfSlower === undefined) return
  const reject = (/** @type {string} */ why, /** @type {string} */ remedy) =>
    badOption('--fail-if-slower', percent(failIfSlower), why, remedy)
  if (contrasts.length === 0) {
    throw reject('this run compares no rates',
      "Compare two apps, as in --app old='node old.js' --app new='node new.js' old new.")
  }
  if (smoke) throw reject('a smoke test has no intervals', 'Leave --smoke out.')
}

/**
 * Returns whether every contrast of a run has a verdict, so that the run can end.
 *
 * @param {number | undefined} failIfSlower share; undefined: the option was not typed
 * @returns {(run: Run) => boolean}
 */
export const untilDecided = failIfSlower => run =>
  failIfSlower === undefined || areSidesResolved(run, { margin: failIfSlower, kinds: ['throughput'] })

/**
 * Compares the rates of the arms of a run by the rules that end it: a bounded rate and a single start decide nothing.
 *
 * @param {Run} run
 * @param {number} failIfSlower tolerated slowdown, as a share
 * @returns {DiffMetric[]}
 */
export const compareThroughput = (run, failIfSlower) =>
  compareSides(run, { margin: failIfSlower }).figures.filter(({ figure }) => figure === 'throughput')

/**
 * Prints the arms that are slower than their baselines by more than a share, with the certainty of their intervals, or
 * else those that are undecided.
 *
 * @param {DiffMetric[]} rates of compareThroughput()
 * @param {number} failIfSlower share
 * @param {NodeJS.WriteStream} stream
 * @returns {number} exit code: 3 if there is a slower arm, else 0
 */
export function exitIfSlower (rates, failIfSlower, stream) {
  const limit = percent(failIfSlower)
  const slower = rates.filter(({ verdict }) => verdict === 'slower')
  const open = rates.filter(({ verdict }) => verdict === 'inconclusive' || verdict === 'invalid')
  for (const { arm, baseline, ...estimate } of slower) {
    stream.write(`${arm} is slower than ${baseline} by more than ${limit}: ${estimateText(estimate)}. Exit code 3.\n`)
  }
  for (const figure of open) {
    const pair = `${figure.arm} against ${figure.baseline}`
    stream.write(`UNDECIDED: ${pair}: ${toReason(figure)}; --fail-if-slower is ${limit}.\n`)
  }
  if (slower.length > 0) return SLOWER_EXIT
  if (open.length === 0) stream.write(`No arm is slower than its baseline by more than ${limit}.\n`)
  return 0
}

/** Returns why a figure is undecided. @param {DiffMetric} figure */
function toReason ({ why, sees }) {
  if (why !== null) return printChangeWhy(why)
  return sees === null
    ? 'too few blocks to detect a slowdown of any size'
    : `this run detects slowdowns of ${percent(sees)} and more`
}
