/** Combines the plays of an arm (pure). */
import { groupBy, sum } from '../shared/group-by.js'
import { findPercentile } from './latency-by-kind.js'
import { median } from './stats/quantile.js'

/** @import { DelaySummary, HistogramData, PlayMetric, PlayGroup, PlaysResult } from '../types.js' */
/** @import { Arm, Sample, StoredPlay } from '../types.js' */

/** Sentences of evidence that an arm keeps. More repeat the same fault. */
const MAX_EVIDENCE = 5

/**
 * Counts the requests with an outcome that is a failure.
 *
 * @param {Pick<Arm, 'load'>} arm
 * @param {Record<string, number>} counts by outcome
 */
export function countFailures ({ load }, counts) {
  const expected = ['ok', ...load.scenario?.expects ?? []]
  return Object.entries(counts).reduce((sum, [outcome, n]) => expected.includes(outcome) ? sum : sum + n, 0)
}

/**
 * Adds up the counts and delays of all valid plays.
 *
 * @param {Pick<Sample, 'play'>[]} samples
 * @returns {PlaysResult | null} null: no play
 */
export function combinePlays (samples) {
  const plays = samples.flatMap(({ play }) => play ?? [])
  if (plays.length === 0) return null
  const groups = groupBy(plays.flatMap(({ groups }) => groups), ({ name, at }) => JSON.stringify([name, at]))
  const figures = groupBy(plays.flatMap(({ figures }) => figures), ({ name }) => name)
  return {
    plays: plays.length,
    groups: [...groups.values()].map(combineGroup),
    figures: [...figures.values()].map(combineMetric),
    evidence: plays.flatMap(({ evidence }) => evidence).slice(0, MAX_EVIDENCE)
  }
}

/**
 * @param {StoredPlay['groups']} groups with the same name and position
 * @returns {PlayGroup<DelaySummary>}
 */
function combineGroup (groups) {
  const [{ name, at }] = groups
  const delayNames = [...new Set(groups.flatMap(({ delays = {} }) => Object.keys(delays)))]
  return {
    name,
    ...at !== undefined && { at },
    requests: sum(groups.map(({ requests }) => requests)),
    counts: sumCounts(groups),
    ...delayNames.length > 0 && {
      delays: Object.fromEntries(delayNames.map(delay =>
        [delay, summarizeDelay(groups.flatMap(({ delays = {} }) => delays[delay] ?? []))]))
    }
  }
}

/**
 * Adds up the counts of groups by outcome.
 *
 * @param {{ counts: Record<string, number> }[]} groups
 * @returns {Record<string, number>}
 */
export const sumCounts = groups => Object.fromEntries(
  [...groupBy(groups.flatMap(({ counts }) => Object.entries(counts)), ([outcome]) => outcome)]
    .map(([outcome, same]) => [outcome, sum(same.map(([, n]) => n))]))

/**
 * @param {HistogramData[]} histograms in microseconds
 * @returns {DelaySummary}
 */
const summarizeDelay = histograms => ({
  count: sum(histograms.map(({ count }) => count)),
  p50: findPercentile(histograms, 0.5),
  p99: findPercentile(histograms, 0.99),
  max: Math.max(...histograms.map(({ max }) => max)) / 1000
})

/**
 * @param {PlayMetric[]} figures of the same name
 * @returns {PlaysResult['figures'][number]}
 */
function combineMetric (figures) {
  const values = figures.map(({ value }) => value)
  return { ...figures[0], value: median(values), low: Math.min(...values), high: Math.max(...values) }
}
