/** What providers sell, as data: what comes with the project, a file for each provider, and a person's own. */
import { readFileSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { HopbenchError } from '../../errors.js'
import { nearest } from '../../shared/nearest.js'

/** @import { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js' @import { Offering } from '../../types.js' */

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url))
const OWN = here('offerings/')
/** Prices change: an older figure is marked as such. */
const OLD_DAYS = 180
const DAY_MS = 24 * 60 * 60 * 1000
/** @type {ValidateFunction | undefined} */
let valid

/** @param {string} [file] a person's own, beside those of the project; the same provider and plan replace one
 * @returns {Offering[]} @throws {HopbenchError} bad-plans */
export function readPlans (file) {
  const own = readdirSync(OWN).filter(name => name.endsWith('.json')).sort().flatMap(name => plansIn(OWN + name))
  if (file === undefined) return own
  const more = plansIn(file)
  return [...own.filter(plan => !more.some(other => nameOf(other) === nameOf(plan))), ...more]
}

/** "Render Starter": what a plan is called wherever one is named. @param {Offering} plan */
export const nameOf = ({ provider, plan }) => `${provider} ${plan}`

/** Cores' worth of CPU time to calculate with: as promised, else as assumed; null: neither. @param {Offering} plan */
export const cpuOf = ({ vcpu, assumed }) => vcpu ?? assumed?.vcpu ?? null

/** Whether its figures are older than half a year, or of no known day. @param {Pick<Offering, 'read'>} plan
 * @param {string} today "2026-11-22" or a moment of that day */
export const isOld = ({ read }, today) =>
  read === null || Date.parse(today.slice(0, 10)) - Date.parse(read) > OLD_DAYS * DAY_MS

/** @param {Offering[]} plans @param {string} name in any case @returns {Offering} @throws {HopbenchError} unknown-plan
 */
export function planNamed (plans, name) {
  const same = (/** @type {string} */ text) => text.toLowerCase().replaceAll(/[\s-]+/g, ' ').trim()
  const found = plans.find(plan => same(nameOf(plan)) === same(name))
  if (!found) throw new HopbenchError('unknown-plan', { name, nearest: nearest(name, plans.map(nameOf)) })
  return found
}

/** Replaces what plans promise by what a person knows of them. @param {Offering[]} plans
 * @param {string[]} assumptions as typed: "Heroku Standard-1X=0.5" @param {number} [cores] of this machine
 * @returns {Offering[]} @throws {HopbenchError} bad-option, unknown-plan, assumed-too-much */
export function assume (plans, assumptions, cores = availableParallelism()) {
  return assumptions.reduce((all, typed) => {
    const [, name = '', share = ''] = /^(.*)=\s*(\d+(?:\.\d+)?)\s*$/.exec(typed) ?? []
    const vcpu = Number(share)
    if (!name.trim() || !(vcpu > 0)) {
      const why = "it takes a plan and a number of cores above 0, as in 'Heroku Standard-1X=0.5'"
      throw new HopbenchError('bad-option', { option: '--assume-vcpu', value: typed, why })
    }
    const plan = planNamed(all, name)
    if (vcpu > cores) throw new HopbenchError('assumed-too-much', { name: nameOf(plan), vcpu, cores })
    const assumed = { vcpu, why: 'set with --assume-vcpu' }
    return all.map(other => other === plan ? { ...plan, vcpu: null, assumed } : other)
  }, plans)
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
  const { plans, ...common } = read
  const merged = plans.map((/** @type {any} */ plan) => ({ ...common, ...plan }))
  valid ??= new Ajv2020({ strict: false }).compile(JSON.parse(readFileSync(here('offerings.schema.json'), 'utf8')))
  if (!valid({ plans: merged })) throw bad(faultIn(merged, /** @type {ErrorObject[]} */ (valid.errors)[0]))
  return merged
}

/** @param {any[]} plans @param {ErrorObject} error */
function faultIn (plans, { instancePath, keyword, params, message, schemaPath }) {
  const [, , at = '', ...path] = instancePath.split('/')
  if (at === '') return `its list "plans" ${message}`
  const { plan } = plans[Number(at)]
  const which = `plan ${Number(at) + 1}${typeof plan === 'string' ? `, "${plan}",` : ''}`
  if (keyword === 'required') return `${which} has no "${[...path, params.missingProperty].join('.')}"`
  if (keyword === 'additionalProperties') {
    return `${which} has a field that nothing reads: "${[...path, params.additionalProperty].join('.')}"`
  }
  const value = path.reduce((part, name) => part?.[name], plans[Number(at)])
  const wanted = schemaPath.endsWith('/text/pattern') ? 'must be a text that is not empty' : message
  return `${which} has "${path.join('.')}": ${JSON.stringify(value)}, which ${wanted}`
}
