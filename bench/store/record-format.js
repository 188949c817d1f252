/**
 * Checks stored values against results/schema.json.
 * @import { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
 */
import { getErrorMessage } from '../errors.js'
import { readOwnText } from '../machine/files/own-files.js'
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
const MAX_ARMS = 1000

const SCHEMA_FILE = new URL('../../results/schema.json', import.meta.url)

/** Types of stored values, by kind. */
const TYPES = {
  record: 'RunRecord',
  plan: 'Plan',
  sample: 'Sample',
  suite: 'SuiteRecord',
  advice: 'StoredAdvice',
  check: 'CheckRecord',
  caches: 'CachesRecord'
}
/** Types of fields that few records have. To compile them takes a third of the time, so only these records need it. */
const RARE = /** @type {const} */ ({
  sizing: 'Sizing', deployed: 'Deployed', selftest: 'SelfTest', diff: 'RunDiff', rollout: 'RunRollout'
})

/** Created on first use, because half of the commands do not read a run. @type {Ajv2020 | undefined} */
let ajv

/**
 * Returns the first fault of a value, in words.
 * @param {keyof typeof TYPES} kind
 * @param {unknown} value
 * @returns {string | null} null: the value is valid
 */
export function findFault (kind, value) {
  const fault = findTypeFault(TYPES[kind], value, `the ${kind}`)
  if (fault !== null) return fault
  switch (kind) {
    case 'record': return findRecordFault(/** @type {RunRecord} */ (value))
    case 'plan': return findPlanFault(/** @type {Plan} */ (value))
    case 'sample': return isTooDeep(value) ? 'it is nested too deeply' : null
    default: return null
  }
}

/**
 * @param {string} type
 * @param {unknown} value
 * @param {string} whole the value, or the value of which it is a field
 * @param {string} [path] of the field
 * @returns {string | null} the fault
 */
function findTypeFault (type, value, whole, path = '') {
  ajv ??= createValidators()
  const validate = /** @type {ValidateFunction} */ (ajv.getSchema(`stored#/$defs/${type}`))
  if (validate(value)) return null
  const [error] = /** @type {ErrorObject[]} */ (validate.errors)
  return describeSchemaError({ ...error, instancePath: path + error.instancePath }, whole)
}

/** @param {RunRecord} record */
function findRecordFault (record) {
  for (const field of /** @type {(keyof typeof RARE)[]} */ (Object.keys(RARE))) {
    const value = record[field]
    const fault = value === undefined ? null : findTypeFault(RARE[field], value, 'the record', `/${field}`)
    if (fault !== null) return fault
  }
  return findPlanFault(record.plan, record)
}

/**
 * Finds a violation of what the schema does not express.
 * @param {Plan} plan
 * @param {RunRecord | null} [record] of the plan
 * @returns {string | null}
 */
const findPlanFault = (plan, record = null) => strangerIn(plan) ?? findBadArm(plan) ?? findBadSpec(plan, record)

/**
 * Finds a contrast or a twin with an unknown arm, a repeated name of an arm, or too many arms.
 * @param {Plan} plan
 * @returns {string | null} the fault
 */
function strangerIn ({ arms, contrasts, twin }) {
  if (arms.length > MAX_ARMS || contrasts.length > MAX_ARMS) {
    return `the plan has more than ${MAX_ARMS} arms or contrasts`
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
 * Finds a spec that is not a topology. Reports print specs in commands to copy, and the grammar of specs has no
 * character that a shell interprets.
 * @param {Plan} plan
 * @param {RunRecord | null} record
 * @returns {string | null} the fault
 */
function findBadSpec (plan, record) {
  const { topologies = [], table = [], refuted = [], emulated = [] } = record?.sizing ?? {}
  const specs = new Set([
    ...[...plan.arms, ...record?.arms ?? [], ...topologies].map(({ spec }) => spec),
    ...[...table, ...refuted, ...emulated].map(({ topology }) => topology)
  ])
  for (const spec of specs) {
    const why = attempt(() => { parse(spec) }, getErrorMessage)
    if (why !== undefined) return why.replace(/\.$/, '')
  }
  return null
}

function createValidators () {
  const { $defs } = JSON.parse(readOwnText(SCHEMA_FILE))
  for (const field of Object.keys(RARE)) $defs.RunRecord.properties[field] = true
  // Compiles each definition once, in place of wherever it is used.
  return createAjv({ allowUnionTypes: true, strictRequired: false, strictTypes: false, inlineRefs: false })
    .addSchema({ $defs }, 'stored')
}
