/**
 * Checks plans, records and samples against results/schema.json.
 * @import { ErrorObject, Schema, ValidateFunction } from 'ajv/dist/2020.js'
 */
import { readFileSync } from 'node:fs'
import { getErrorMessage } from '../errors.js'
import { findOverlap } from '../plan/file-prefixes.js'
import { parse } from '../plan/spec.js'
import { attempt } from '../shared/attempt.js'
import { isTooDeep } from '../shared/nesting.js'
import { createAjv, describeSchemaError } from '../shared/schema.js'

/** @import { Plan, RunRecord } from '../types.js' */

/** Format of records. Another one is not read. */
export const SCHEMA = 3

/**
 * Most arms, and most contrasts, of a plan that is read, because the analysis evaluates each in all blocks. The largest
 * plan of the project has 31 arms.
 */
const MOST_ARMS = 1000

const SCHEMA_FILE = new URL('../../results/schema.json', import.meta.url)

/**
 * Validators, compiled on first use because half of the commands do not read a run.
 * @type {Map<string, ValidateFunction>}
 */
const compiled = new Map()

/** @returns {Schema & Record<string, any>} */
export const readSchema = () => JSON.parse(readFileSync(SCHEMA_FILE, 'utf8'))

/**
 * Returns the first fault of a value, in words.
 * @param {'record' | 'plan' | 'sample'} kind
 * @param {unknown} value
 * @returns {string | null} null: the value is valid
 */
export function findFault (kind, value) {
  if (compiled.size === 0) compileAll()
  const validate = /** @type {ValidateFunction} */ (compiled.get(kind))
  if (validate(value)) {
    if (kind === 'sample') return isTooDeep(value) ? 'it is nested too deeply' : null
    const record = kind === 'record' ? /** @type {RunRecord} */ (value) : null
    const plan = record?.plan ?? /** @type {Plan} */ (value)
    return strangerIn(plan) ?? findBadArm(plan) ?? findBadWord(plan, record)
  }
  return describeSchemaError(/** @type {ErrorObject[]} */ (validate.errors)[0], `the ${kind}`)
}

/**
 * Finds a contrast or a twin with an unknown arm, a repeated name of an arm, or too many arms. The schema does not
 * express these rules.
 * @param {Plan} plan
 * @returns {string | null} the fault
 */
function strangerIn ({ arms, contrasts, twin }) {
  if (arms.length > MOST_ARMS || contrasts.length > MOST_ARMS) {
    return `the plan has more than ${MOST_ARMS} arms or contrasts`
  }
  const names = arms.map(({ name }) => name)
  const known = new Set(names)
  const stranger = [...contrasts.flat(), ...twin ? [twin.arm, twin.of] : []].find(name => !known.has(name))
  if (stranger !== undefined) return `the plan names "${stranger}", and has no such arm`
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  return twice === undefined ? null : `the plan has two arms "${twice}"`
}

/**
 * Finds an arm whose sequence names a missing request, or whose prefixes of files overlap.
 * @param {Plan} plan
 * @returns {string | null} the fault
 */
function findBadArm ({ arms }) {
  for (const { name, load, topology } of arms) {
    const most = (load.requests?.length ?? load.paths?.length ?? 1) - 1
    const missing = load.sequence?.find(index => index > most)
    if (missing !== undefined) {
      return `the sequence of the arm "${name}" names the request ${missing}, the last is ${most}`
    }
    const overlap = findOverlap(topology.files ?? [])
    if (overlap) return `the prefixes ${overlap.join(' and ')} of the arm "${name}" overlap`
  }
  return null
}

/**
 * Finds a spec that is not a topology. Reports print words in commands to copy, and the grammar of words has no
 * character that a shell interprets.
 * @param {Plan} plan
 * @param {RunRecord | null} record
 * @returns {string | null} the fault
 */
function findBadWord (plan, record) {
  const { topologies = [], table = [], refuted = [], verified = [], verification = null } = record?.sizing ?? {}
  const words = new Set([
    ...[...plan.arms, ...record?.arms ?? [], ...topologies].map(({ spec }) => spec),
    ...[...table, ...refuted, ...verified, ...verification ? [verification] : []].map(({ topology }) => topology)
  ])
  for (const spec of words) {
    const why = attempt(() => { parse(spec) }, getErrorMessage)
    if (why !== undefined) return why.replace(/\.$/, '')
  }
  return null
}

function compileAll () {
  const schema = readSchema()
  const rules = { strict: true, allowUnionTypes: true, strictRequired: false, strictTypes: false }
  // Compiles each part once, in place of wherever it is used, which takes half the time.
  const ajv = createAjv({ ...rules, inlineRefs: false })
  compiled.set('record', ajv.compile(schema))
  for (const kind of ['plan', 'sample']) compiled.set(kind, ajv.compile({ $ref: `${schema.$id}#/$defs/${kind}` }))
}
