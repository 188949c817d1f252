/** A run's answer in one or two sentences (pure). @import { ArmResult, Contrast, RunRecord } from '../types.js' */
import { count, estimate, level, listing, micros, NONE, percent } from '../shared/format.js'
import { heldBack } from './sentences.js'
import { selftestAnswer } from './selftest-text.js'
import { sizingAnswer } from './sizing-text.js'
import { resultOf } from '../plan/plan.js'
import { errorsOf } from '../shared/trial.js'
import { unitOf } from '../shared/units.js'
import { byShare } from './tables/arms.js'
import { hasUsers } from './tables/users.js'
import { usersAnswer } from './users-text.js'
import { winnerOf } from './winner.js'

/** More names than this are not read any more. */
const MOST_NAMED = 3

/** What came out, for who reads no further. @param {RunRecord} record @returns {string} */
export function answerOf (record) {
  if (record.sizing) return sizingAnswer(record.sizing)
  if (record.selftest) return selftestAnswer(record.selftest)
  if (resultOf(record.plan) === 'latency') return waits(record)
  if (hasUsers(record)) return usersAnswer(record)
  if (resultOf(record.plan) === 'first-errors') return firstErrors(record)
  const found = winnerOf(record)
  if (!found) return 'There is no valid measurement.'
  const { arm, undecided } = found
  const rate = `${unitOf(record.unit).print(arm.rps?.median)} ${unitOf(record.unit).perSecond}`
  const lead = leadOf(arm, record)
  if (undecided.length > 0) {
    const others = undecided.length > MOST_NAMED ? `${count(undecided.length)} of the others` : listing(undecided)
    return `${arm.name} had the highest rate (${rate}), but no verdict separates it from ` +
      `${others}.${lead && ` It was ${lead}.`}`
  }
  return `${arm.name} is the fastest: ${rate}${lead && `, ${lead}`}.`
}

/** How far it is ahead, by the contrast that says most: the one whose interval is farthest from 1.
 * @param {ArmResult} arm @param {RunRecord} record */
function leadOf ({ name }, { contrasts, arms }) {
  const ahead = contrasts
    .filter(contrast => !heldBack(contrast, arms) && contrast.oneSided === null)
    .flatMap(
      contrast => [...contrast.arm === name && contrast.verdict === 'faster' ? [contrast] : [],
        ...contrast.baseline === name && contrast.verdict === 'slower' ? [turned(contrast)] : []]
    )
    .sort((a, b) => b.low - a.low)
  if (ahead.length === 0) return ''
  const { ratio, low, high, baseline, level: confidence } = ahead[0]
  const text = estimate({ ratio, low, high })
  return text.interval === NONE
    ? `${text.ratio} times as fast as ${baseline}`
    : `${text.ratio} times as fast as ${baseline} (${text.interval}, ${level(confidence)} CI)`
}

/** The same pair the other way round. @param {Contrast} contrast */
const turned = ({ arm, baseline, ratio, low, high, level }) => ({
  arm: baseline,
  baseline: arm,
  ratio: 1 / ratio,
  low: 1 / high,
  high: 1 / low,
  level
})

/** The p99 of response time where the load is heaviest. @param {RunRecord} record */
function waits (record) {
  const heaviest = byShare(record).flatMap(({ of, arms }) => {
    const last = arms.findLast(({ latencyMs }) => latencyMs)
    return last?.latencyMs ? [{ of, share: last.load.share, p99: last.latencyMs.p99 }] : []
  })
  if (heaviest.length === 0) return 'There is no valid measurement.'
  const shares = new Set(heaviest.map(({ share }) => share))
  // Older records have shares of each arm's own peak.
  const peak = record.arms.some(({ latencyMs }) => latencyMs?.p99Range) ? 'the lowest peak' : 'its peak'
  const at = (/** @type {number | undefined} */ share) => `at ${percent(share)} of ${peak}`
  const p99s = heaviest.map(({ of, share, p99 }) =>
    `${micros(p99)} ms with ${of}${shares.size > 1 ? ` ${at(share)}` : ''}`)
  return `The 99th percentile of response time is ${listing(p99s)}` +
    `${shares.size > 1 ? '' : `, each ${at([...shares][0])}`}.`
}

/** Up to how many connections each held. @param {RunRecord} record */
function firstErrors ({ arms, plan }) {
  const shown = arms.filter(arm => arm.ladder && arm.ladder.of !== plan.twin?.arm && arm.trials > 0)
  const names = [...new Set(shown.map(({ ladder }) => ladder?.of ?? ''))]
  const failed = names.flatMap(name => {
    const at = shown.filter(arm => arm.ladder?.of === name && hasErrors(arm)).map(({ load }) => load.connections)
    return at.length > 0 ? [{ name, at: Math.min(...at) }] : []
  })
  const held = names.filter(name => !failed.some(it => it.name === name))
  const most = Math.max(...shown.map(({ load }) => load.connections))
  return capital([
    held.length > 0 ? `${listing(held)} held ${count(most)} connections without an error` : '',
    failed.length > 0
      ? `the first errors came ${listing(failed.map(({ name, at }) => `with ${name} at ${count(at)}`))}`
      : ''
  ].filter(Boolean).join('; ') || 'there is no valid measurement') + '.'
}

const hasErrors = (/** @type {ArmResult} */ { errors }) => errorsOf(errors) > 0

const capital = (/** @type {string} */ text) => text.slice(0, 1).toUpperCase() + text.slice(1)
