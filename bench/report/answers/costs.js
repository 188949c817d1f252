/** CPU time that arms add to each request, which carries over to other machines better than rates do (pure). */
import { listing, micros, percent, plural } from '../../shared/format.js'

/** @import { ArmResult, RunRecord } from '../../types.js' */
/** @import { Question } from './questions.js' */

/** CPU time of the app to which the cost of a hop is related, in microseconds: a small page with a database query. */
const APP_MICROS = 1000

/**
 * Says how much CPU time each arm adds to that of the first one, which is the baseline.
 * @param {Question} question
 * @param {RunRecord} record
 * @returns {string[]} one sentence at most
 */
export function costSentence ({ costs, names = {} }, { arms, plan, environment: { cores } }) {
  if (!costs) return []
  const toName = (/** @type {string} */ name) => names[name] ?? name
  const found = costs.arms.flatMap(name => {
    const arm = arms.find(arm => arm.name === name)
    return arm && !arm.invalid && arm.cpuMicrosPerRequest ? [{ name, total: sumOf(arm.cpuMicrosPerRequest) }] : []
  })
  const [baseline, ...others] = found
  if (!baseline || baseline.name !== costs.arms[0] || others.length === 0) return []
  const compared = costs.of === 'app' ? APP_MICROS : baseline.total
  const added = others.sort((a, b) => a.total - b.total).map(({ name, total }) =>
    `${signed(total - baseline.total)} µs (${percent((total - baseline.total) / compared)}) with ${toName(name)}`)
  const basis = costs.of === 'app' ? `; in parentheses: the share of an app that uses ${APP_MICROS / 1000} ms` : ''
  const shared = plan.cores === 'shared' ? ', which the load shares' : ''
  return [`CPU time per request: ${micros(baseline.total)} µs with ${toName(baseline.name)}; ${
    listing(added)}${basis}. All ran on ${plural(cores.served.length, 'core')}${shared}.`]
}

/** @param {NonNullable<ArmResult['cpuMicrosPerRequest']>} cpu */
const sumOf = ({ proxy, server }) => proxy + server

/** @param {number} value */
const signed = value => `${value < 0 ? '−' : '+'}${micros(Math.abs(value))}`
