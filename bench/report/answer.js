/** The answer of a run in one or two sentences (pure). */
import { capitalize, count, estimate, level, listing, micros, NONE, percent } from '../shared/format.js'
import { unitOf } from '../shared/units.js'
import { getResultKind } from '../plan/plan.js'
import { heldBack } from './contrast-sentences.js'
import { selftestAnswer } from './selftest-text.js'
import { sizingAnswer } from './sizing-text.js'
import { groupLadderSteps, groupSteps, hasErrors } from './tables/arms.js'
import { hasUsers } from './tables/users.js'
import { usersAnswer } from './users-text.js'
import { findWinner, lacksComparison } from './winner.js'
import { compact } from './wrap.js'

/** @import { ArmResult, Contrast, RunRecord } from '../types.js' */

const MOST_NAMED = 3 // A longer list of arms hides the answer.
const NO_MEASUREMENT = 'There is no valid measurement.'

/**
 * Returns the result of a run in one or two sentences.
 * @param {RunRecord} record
 * @returns {string}
 */
export function toAnswer (record) {
  if (record.sizing) return sizingAnswer(record.sizing)
  if (record.selftest) return selftestAnswer(record.selftest)
  if (getResultKind(record.plan) === 'latency') return latencyAnswer(record)
  if (hasUsers(record)) return usersAnswer(record)
  if (getResultKind(record.plan) === 'first-errors') return firstErrorsAnswer(record)
  const winner = findWinner(record)
  if (!winner) return NO_MEASUREMENT
  const { arm, undecided } = winner
  const { print, perSecond } = unitOf(record.unit)
  const rate = `${print(arm.rps?.median)} ${perSecond}`
  if (lacksComparison(record)) return `There is no valid comparison. ${arm.name}: ${rate}.`
  const lead = leadClause(arm, record)
  if (undecided.length === 0) return `${arm.name} is the fastest: ${rate}${lead && `, ${lead}`}.`
  const others = undecided.length > MOST_NAMED ? `${count(undecided.length)} of the others` : listing(undecided)
  return `${arm.name} had the highest rate (${rate}), but no verdict separates it from ${others}.` +
    `${lead && ` It was ${lead}.`}`
}

/**
 * Returns the lead of an arm by the contrast whose interval is farthest from 1.
 * @param {ArmResult} arm
 * @param {RunRecord} record
 * @returns {string} "1.12 times as fast as keepalive (…)"; empty if no contrast shows a lead
 */
function leadClause ({ name }, { contrasts, arms }) {
  const usable = contrasts.filter(contrast => !heldBack(contrast, arms) && contrast.oneSided === null)
  const [best] = [
    ...usable.filter(({ arm, verdict }) => arm === name && verdict === 'faster'),
    ...usable.filter(({ baseline, verdict }) => baseline === name && verdict === 'slower').map(invert)
  ].sort((a, b) => b.low - a.low)
  if (!best) return ''
  const { ratio, interval } = estimate(best)
  const range = interval === NONE ? '' : ` (${interval}, ${level(best.level)} CI)`
  return `${ratio} times as fast as ${best.baseline}${range}`
}

/**
 * Exchanges arm and baseline.
 * @param {Contrast} contrast
 */
const invert = ({ arm, baseline, ratio, low, high, ...rest }) =>
  ({ ...rest, arm: baseline, baseline: arm, ratio: 1 / ratio, low: 1 / high, high: 1 / low })

/**
 * Returns the p99 of response time at the highest load of each arm.
 * @param {RunRecord} record
 */
function latencyAnswer (record) {
  const heaviest = groupSteps(record).flatMap(({ name, steps }) => {
    const last = steps.findLast(({ latencyMs }) => latencyMs)
    return last?.latencyMs ? [{ name, share: last.load.share, p99: last.latencyMs.p99 }] : []
  })
  if (heaviest.length === 0) return NO_MEASUREMENT
  // Older records have shares of the peak of each arm.
  const peak = record.arms.some(({ latencyMs }) => latencyMs?.p99Range) ? 'the lowest peak' : 'its peak'
  const load = (/** @type {number | undefined} */ share) => `at ${percent(share)} of ${peak}`
  const isSameLoad = heaviest.every(({ share }) => share === heaviest[0].share)
  const p99s = heaviest.map(({ name, share, p99 }) =>
    `${micros(p99)} ms with ${name}${isSameLoad ? '' : ` ${load(share)}`}`)
  const sameLoad = isSameLoad ? `, each ${load(heaviest[0].share)}` : ''
  return `The 99th percentile of response time is ${listing(p99s)}${sameLoad}.`
}

/**
 * Returns the number of connections at which the first errors of each arm occurred.
 * @param {RunRecord} record
 */
function firstErrorsAnswer (record) {
  const groups = groupLadderSteps(record)
    .map(({ name, steps }) => ({ name, steps: steps.filter(({ trials }) => trials > 0) }))
    .filter(({ steps }) => steps.length > 0)
  const most = Math.max(...groups.flatMap(({ steps }) => steps.map(({ load }) => load.connections)))
  const held = groups.filter(({ steps }) => !steps.some(hasErrors)).map(({ name }) => name)
  const failed = groups.flatMap(({ name, steps }) => {
    const first = steps.find(hasErrors)
    return first ? [`with ${name} at ${count(first.load.connections)}`] : []
  })
  const clauses = compact([
    held.length > 0 && `${listing(held)} held ${count(most)} connections without an error`,
    failed.length > 0 && `the first errors came ${listing(failed)}`
  ])
  return clauses.length === 0 ? NO_MEASUREMENT : `${capitalize(clauses.join('; '))}.`
}
