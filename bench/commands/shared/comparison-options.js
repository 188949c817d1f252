/** Options of a run that fails if something is slower: than in an earlier run, or than its baseline in the same run. */
import { isResolved, SLOWER_EXIT } from '../../judge/compare-runs.js'
import { areSidesResolved, compareSides } from '../../judge/side-by-side.js'
import { badOption } from '../../errors.js'
import { printChangeWhy } from '../../report/facts/facts.js'
import { estimateText, percent } from '../../shared/format.js'
import { COMPARISON_MARGIN } from '../../shared/thresholds.js'
import { share } from './option-values.js'

/** @import { Command } from 'commander' */
/** @import { Run } from '../../judge/compare-runs.js' */
/** @import { HopbenchError } from '../../errors.js' */
/** @import { DiffFigure, Plan } from '../../types.js' */

/**
 * @param {Command} command
 * @returns {Command}
 */
export const comparisonOptions = command => command
  .optionsGroup('A comparison that fails with exit code 3:')
  .option('--fail-if-slower <share>', 'fail if an arm is shown slower than its baseline in this run by more than ' +
    'this; the run goes on until this is decided, unless --precision or --detect ends it', share('--fail-if-slower'))
  .option('--baseline <run>', 'fail if an arm became slower than in this earlier run')
  .option('--margin <share>', 'tolerated slowdown; the run goes on until the comparison with --baseline, or with a ' +
    `later run like itself, can decide it (default with --baseline: ${COMPARISON_MARGIN * 100}%)`, share('--margin'))
  .option('--strict', 'with --baseline: exit code 3 also if the comparison is inconclusive')
  .option('--no-rates', 'with --baseline: compare ratios within each run, not rates')

/**
 * Rejects options that require --baseline.
 *
 * @param {Record<string, any>} options as typed
 * @throws {HopbenchError} bad-option
 */
export function refuseWithoutBaseline ({ strict, rates }) {
  const [option, value] = Object.entries({
    '--strict': strict,
    '--no-rates': rates === false || undefined
  }).find(([, value]) => value !== undefined) ?? []
  if (option !== undefined) throw badOption(option, value, 'it requires --baseline, the run to compare with')
}

/**
 * Returns when a run ends whose exit code depends on comparisons: with an earlier run, with a later run like itself, or
 * of its arms.
 *
 * @param {Run | undefined} baseline an earlier run
 * @param {{ margin?: number, rates?: boolean, failIfSlower?: number }} options as typed
 * @returns {{ margin: number | undefined, isResolved: (run: Run) => boolean }} margin: of the plan; undefined: the run
 *   ends by the general rule; isResolved: whether every comparison has a verdict
 */
export function planEnd (baseline, { margin: typed, rates, failIfSlower }) {
  const margin = typed ?? (baseline && COMPARISON_MARGIN)
  return {
    margin: margin ?? failIfSlower,
    isResolved: run =>
      // Without a baseline the run becomes one, and is compared with a later run of the same precision.
      (margin === undefined || isResolved(baseline ?? run, run, { margin, rates })) &&
      (failIfSlower === undefined || areSidesResolved(run, { margin: failIfSlower, kinds: ['throughput'] }))
  }
}

/**
 * Rejects --fail-if-slower for a run that could never fail by it.
 *
 * @param {number | undefined} failIfSlower share
 * @param {Plan} plan
 * @throws {HopbenchError} bad-option
 */
export function refuseWithoutContrast (failIfSlower, { contrasts, smoke }) {
  if (failIfSlower === undefined) return
  const refuse = (/** @type {string} */ why, /** @type {string} */ remedy) =>
    badOption('--fail-if-slower', percent(failIfSlower), why, remedy)
  if (contrasts.length === 0) {
    throw refuse('this run compares no rates',
      "Compare two apps, as in --app old='node old.js' --app new='node new.js' old new.")
  }
  if (smoke) throw refuse('a smoke test has no intervals', 'Leave --smoke out.')
}

/**
 * Compares the rates of the arms of a run by the rules that end it: a bounded rate and a single start decide nothing.
 *
 * @param {Run} run
 * @param {number} failIfSlower tolerated slowdown, as a share
 * @returns {DiffFigure[]}
 */
export const compareThroughput = (run, failIfSlower) =>
  compareSides(run, { margin: failIfSlower }).figures.filter(({ figure }) => figure === 'throughput')

/**
 * Prints the arms that are slower than their baselines by more than a share, with the certainty of their intervals, or
 * else those that are undecided.
 *
 * @param {DiffFigure[]} rates of compareThroughput()
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

/** Returns why a figure is undecided. @param {DiffFigure} figure */
function toReason ({ why, sees }) {
  if (why !== null) return printChangeWhy(why)
  return sees === null
    ? 'too few blocks to detect a slowdown of any size'
    : `this run detects slowdowns of ${percent(sees)} and more`
}
