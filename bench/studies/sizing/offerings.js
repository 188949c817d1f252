/** Plans of platforms, as data: those that come with the project, and a person's own. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { HopbenchError } from '../../errors.js'
import { nearest } from '../../plan/nearest.js'

/** @import { Offering } from '../../types.js' */

const OWN = fileURLToPath(new URL('plans.json', import.meta.url))

/** What each field must be.
 * @type {Record<string, { holds: (value: any) => boolean, wanted: string, optional?: boolean }>} */
const FIELDS = {
  provider: { holds: isText, wanted: 'a text' },
  plan: { holds: isText, wanted: 'a text' },
  vcpu: {
    holds: value => value === null || (Number.isFinite(value) && value > 0),
    wanted: 'a number above 0, or null where none is promised'
  },
  memoryMiB: { holds: value => Number.isFinite(value) && value > 0, wanted: 'a number above 0' },
  price: {
    holds: value => value === null || (Number.isFinite(value) && value >= 0),
    wanted: 'a number from 0, or null where it is not told'
  },
  currency: { holds: value => isText(value), wanted: 'a text such as "USD"' },
  source: { holds: isText, wanted: 'a text: where the figures come from' },
  most: { holds: value => Number.isInteger(value) && value > 0, wanted: 'a whole number above 0', optional: true },
  date: {
    holds: value => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value),
    wanted: 'a day such as "2026-05-04"'
  }
}

/** @param {any} value */
function isText (value) {
  return typeof value === 'string' && value.trim() !== ''
}

/** @param {string} [file] a person's own, beside those of the project; the same provider and plan replace one
 * @returns {Offering[]} @throws {HopbenchError} bad-plans */
export function readPlans (file) {
  const own = plansIn(OWN)
  if (file === undefined) return own
  const more = plansIn(file)
  return [...own.filter(plan => !more.some(other => nameOf(other) === nameOf(plan))), ...more]
}

/** "Render Standard": what a plan is called wherever one is asked for. @param {Offering} plan */
export const nameOf = ({ provider, plan }) => `${provider} ${plan}`

/** @param {Offering[]} plans @param {string} name in any case @returns {Offering} @throws {HopbenchError} unknown-plan
 */
export function planNamed (plans, name) {
  const same = (/** @type {string} */ text) => text.toLowerCase().replaceAll(/[\s-]+/g, ' ')
  const found = plans.find(plan => same(nameOf(plan)) === same(name))
  if (!found) throw new HopbenchError('unknown-plan', { name, nearest: nearest(name, plans.map(nameOf)) })
  return found
}

/** @param {string} file @returns {Offering[]} */
function plansIn (file) {
  const bad = (/** @type {string} */ why) => new HopbenchError('bad-plans', { file, why })
  let read
  try {
    read = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw bad(error instanceof SyntaxError ? 'it is not JSON' : /** @type {Error} */ (error).message)
  }
  if (!Array.isArray(read?.plans)) throw bad('it has no list "plans"')
  for (const [i, plan] of read.plans.entries()) {
    const which = `plan ${i + 1}${isText(plan?.plan) ? `, "${plan.plan}",` : ''}`
    for (const [field, { holds, wanted, optional }] of Object.entries(FIELDS)) {
      if (plan?.[field] === undefined && optional) continue
      if (plan?.[field] === undefined) throw bad(`${which} lacks "${field}", which is ${wanted}`)
      if (!holds(plan[field])) throw bad(`${which} has "${field}": ${JSON.stringify(plan[field])}, and it is ${wanted}`)
    }
  }
  return read.plans
}
