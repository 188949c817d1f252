/** CPU time that arms add to each request, which carries over to other machines better than rates do (pure). */
import { listing, micros, percent, plural } from '../../shared/format.js'

/** @import { ArmResult, RunRecord } from '../../types.js' */
/** @import { Question } from './questions.js' */

/** CPU time of an app whose share the cost of a proxy is, in microseconds: that of a small page with a query. */
const APP_MICROS = 1000

/**
 * Reports the CPU time that each arm adds to that of the first one, which is the baseline.
 * @param {Question} question
 * @param {RunRecord} record
 * @returns {string[]} one sentence at most
 */
export function costSentence ({ costs, names = {} }, { arms, plan, environment: { cores } }) {
  if (!costs) return []
  const toName = (/** @type {string} */ name) => names[name] ?? name
  const found = costs.arms.flatMap(name => {
    const arm = arms.find(arm => arm.name === name)
    return arm && !arm.invalid && arm.cpuMicrosPerRequest ? [{ name, total: toTotal(arm.cpuMicrosPerRequest) }] : []
  })
  const [baseline, ...others] = found
  if (!baseline || baseline.name !== costs.arms[0] || others.length === 0) return []
  const compared = costs.relativeTo === 'app' ? APP_MICROS : baseline.total
  const added = others.sort((a, b) => a.total - b.total).map(({ name, total }) =>
    `${toSigned(total - baseline.total)} µs (${percent((total - baseline.total) / compared)}) with ${toName(name)}`)
  const basis = costs.relativeTo === 'app'
    ? `; in parentheses: the share of an app that uses ${APP_MICROS / 1000} ms`
    : ''
  const shared = plan.cores === 'shared' ? ', which the load shares' : ''
  return [`CPU time per request: ${micros(baseline.total)} µs with ${toName(baseline.name)}; ${
    listing(added)}${basis}. All ran on ${plural(cores.served.length, 'core')}${shared}.`]
}

/** Adds the CPU time of proxy and server. @param {NonNullable<ArmResult['cpuMicrosPerRequest']>} cpu */
const toTotal = ({ proxy, server }) => proxy + server

/** Prints microseconds with their sign. @param {number} value */
const toSigned = value => `${value < 0 ? '−' : '+'}${micros(Math.abs(value))}`
