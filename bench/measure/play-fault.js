/** Checks the result of a play, which a scenario of your own may make (pure). */
import { Histogram } from '../load/histogram.js'
import { attempt } from '../shared/attempt.js'
import { getErrorMessage } from '../errors.js'

/** @import { HistogramData, Play, PlayGroup } from '../types.js' */

/** A play as its client sends it. @typedef {Omit<Play, 'groups' | 'lag'> & PlayedParts} Played */
/** @typedef {{ groups: PlayGroup<HistogramData>[], lag: HistogramData }} PlayedParts */

/**
 * Returns the first fault of a play.
 * @param {Played | null} played null: the client sent none
 * @returns {string | null} null: the play is valid
 */
export function findPlayFault (played) {
  if (!Array.isArray(played?.groups) || played.groups.length === 0) return 'the scenario returned no groups'
  const { groups, lag, figures = [], evidence = [] } = played
  for (const { name, at = 0, requests, counts = {}, delays = {} } of groups) {
    const all = Object.values(counts)
    if (typeof name !== 'string' || !Number.isFinite(at)) return 'a group has no name, or a position that is no number'
    if (!all.every(count => Number.isInteger(count) && count >= 0)) return `a count of ${name} is no whole number`
    const sum = all.reduce((total, count) => total + count, 0)
    if (sum !== requests) return `the counts of ${name} add up to ${sum}, and it sent ${requests} requests`
    const fault = findHistogramFault(Object.values(delays))
    if (fault) return `a delay of ${name} is ${fault}`
  }
  const wrong = figures.find(({ name, value, unit }) => ![name, unit].every(isText) || !Number.isFinite(value))
  if (wrong) return `the figure ${wrong.name} is no number with a unit`
  if (!Array.isArray(evidence) || !evidence.every(isText)) return 'its evidence is no list of sentences'
  const fault = findHistogramFault([lag])
  return fault && `the lag of its client is ${fault}`
}

const isText = (/** @type {unknown} */ value) => typeof value === 'string'

/**
 * @param {HistogramData[]} histograms
 * @returns {string | null}
 */
const findHistogramFault = histograms => attempt(() => {
  Histogram.of(histograms)
  return null
}, getErrorMessage)
