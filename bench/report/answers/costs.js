/** CPU time that arms add to each request (pure). It has no interval, so two digits are printed. */
import { findSlower } from '../../judge/ahead.js'
import { count, listing, plural } from '../../shared/format.js'
import { listUnseparated } from '../unseparated.js'
import { compact } from '../wrap.js'

/** @import { ArmResult, RunRecord } from '../../types.js' */
/** @import { Question } from './questions.js' */

/** @typedef {Pick<Question, 'costs' | 'names'>} CostQuestion */

/** @typedef {Pick<ArmResult, 'name' | 'rps'> & { total: number }} Cost total: CPU time per request, in µs */

const twoDigits = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 2 })

const printPercent = (/** @type {number} */ share) => `${twoDigits.format(share * 100).replace('-', '−')} %`

/**
 * Reports the CPU time that each arm adds to that of the first one, which is the baseline. Marks neighbours whose order
 * the intervals of the run do not show. Adds the shares for an app that uses more, if the question names one.
 * @param {CostQuestion} question
 * @param {RunRecord} record
 * @returns {string[]} two sentences at most
 */
export function costSentence ({ costs, names = {} }, { arms, contrasts, plan, environment: { cores } }) {
  if (!costs) return []
  const found = costs.arms.flatMap(name => toCost(arms.find(arm => arm.name === name)))
  const [baseline, ...others] = found
  if (!baseline || baseline.name !== costs.arms[0] || others.length === 0) return []
  const toName = (/** @type {string} */ name) => names[name] ?? name
  const added = listUnseparated(others.sort((a, b) => a.total - b.total), {
    print: ({ name, total }) => `${printAdded(total, baseline.total, costs.hasShares)} with ${toName(name)}`,
    isSeparated: (arm, next) => findSlower(arm, others, contrasts).has(next.name)
  })
  const answer = costs.answer && others.every(({ total }) => total > baseline.total) ? `${costs.answer}: ` : ''
  const when = costs.when ? ` ${costs.when}` : ''
  const shared = plan.cores === 'shared' ? ', which the load shares' : ''
  return [
    `${answer}CPU time per request${when}, on ${plural(cores.served.length, 'core')}${shared}: ${
      twoDigits.format(baseline.total)} µs with ${toName(baseline.name)}; ${added}.`,
    ...costs.addedMicros ? [computedSentence(others, baseline, { addedMicros: costs.addedMicros, toName })] : []
  ]
}

/**
 * Reports the bytes of a response, headers included.
 * @param {Pick<Question, 'bytes' | 'names'>} question
 * @param {RunRecord} record
 * @returns {string[]} one sentence at most
 */
export function bytesSentence ({ bytes = [], names = {} }, { arms }) {
  const measured = bytes.flatMap(name => arms.find(arm => arm.name === name && arm.bytesPerResponse) ?? [])
  const list = measured.map(({ name, bytesPerResponse }) => `${count(bytesPerResponse)} with ${names[name] ?? name}`)
  return list.length === 0 ? [] : [`Bytes per response: ${listing(list)}.`]
}

/**
 * Computes which share the same added CPU time is of the CPU time of an app that uses more than the baseline.
 * @param {Cost[]} others
 * @param {Cost} baseline
 * @param {{ addedMicros: number, toName: (name: string) => string }} words addedMicros: CPU time that the app uses more
 */
function computedSentence (others, baseline, { addedMicros, toName }) {
  const app = baseline.total + addedMicros
  const shares = others.map(({ name, total }, i) =>
    `${printPercent((total - baseline.total) / app)}${i === 0 ? ' more CPU time' : ''} with ${toName(name)}`)
  const subject = `an app that uses ${count(addedMicros)} µs more`
  return `By calculation, if the added time stayed the same, ${subject} would need ${listing(shares)}; at a lower ` +
    'rate a request costs more.'
}

/**
 * @param {ArmResult | undefined} arm
 * @returns {Cost[]} empty: not measured
 */
function toCost (arm) {
  if (!arm || arm.invalid || !arm.cpuMicrosPerRequest) return []
  const { name, rps, cpuMicrosPerRequest: { proxy, server } } = arm
  return [{ name, rps, total: proxy + server }]
}

/**
 * Prints the difference of a CPU time from that of the baseline with its sign: "+24 µs (15 %)".
 * @param {number} total
 * @param {number} baseline
 * @param {boolean} [hasShare]
 */
function printAdded (total, baseline, hasShare = false) {
  const added = total - baseline
  const share = hasShare ? ` (${printPercent(added / baseline)})` : ''
  return `${added < 0 ? '−' : '+'}${twoDigits.format(Math.abs(added))} µs${share}`
}

/**
 * Names the proxies that use more CPU time per request than the app behind them, and those that use less.
 * @param {CostQuestion} question
 * @param {RunRecord} record
 * @returns {string[]} one sentence; empty: fewer than two proxies were compared
 */
export function bottleneckSentence ({ names = {} }, { arms }) {
  const behind = Object.keys(names).flatMap(name => arms.filter(arm => arm.name === name && !arm.invalid))
    .filter(({ topology: { proxy, server }, cpuMicrosPerRequest }) => proxy && server && cpuMicrosPerRequest)
  const proxies = new Set(behind.map(({ topology: { proxy } }) => proxy?.name))
  if (proxies.size < 2) return []
  const isLimit = (/** @type {ArmResult} */ { cpuMicrosPerRequest: cpu }) => cpu !== null && cpu.proxy > cpu.server
  const list = (/** @type {ArmResult[]} */ some) => listing(some.map(({ name }) => names[name]))
  const [limits, others] = [behind.filter(isLimit), behind.filter(arm => !isLimit(arm))]
  const clauses = compact([
    others.length > 0 && `the app is the bottleneck behind ${list(others)}`,
    limits.length > 0 && `${list(limits)} would limit the rate, with more CPU time per request than this app uses`
  ])
  return [`With a core each for proxy and app ${clauses.join('; ')}.`]
}
