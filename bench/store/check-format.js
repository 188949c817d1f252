/** Validates the stored results of checks of servers and of caches. */
import { createAjv, describeSchemaError, nullable, object } from '../shared/schema.js'

/** @import { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js' */

/** Text without control characters, because it is printed in one line. */
const line = { type: 'string', pattern: '^[^\\p{Cc}]*$', maxLength: 10_000 }
const text = { type: 'string', maxLength: 100_000 }
const flag = { type: 'boolean' }
const amount = { type: 'number', minimum: 0 }
const list = (/** @type {object} */ items) => ({ type: 'array', items, maxItems: 10_000 })

const probe = object({ name: line, title: line, topic: line, rfc: nullable(line), safety: flag })
const result = object({
  probe: line, outcome: { enum: ['pass', 'fail', 'differs-by-design', 'untested'] }, saw: text, died: flag
}, { ms: amount })
const chain = object({
  spec: line, proxy: nullable(line), transport: nullable(line), error: nullable(text), results: list(result)
})
const production = {
  anyOf: [
    object({ settings: { type: 'object', propertyNames: line, additionalProperties: list(line), maxProperties: 100 } }),
    object({ none: line })
  ]
}
const about = { type: ['object', 'null'], properties: { production } }
const server =
  object({ name: line, checkedAt: line, node: line, chains: list(chain) }, { version: nullable(line), about })
const test = object({
  id: line, name: text, topic: line, kind: { enum: ['required', 'optimal', 'check'] }, needs: list(line), passed: flag
}, { saw: text, setup: flag })
const cache = object({ spec: line, proxy: line, version: line, checkedAt: line, results: list(test) })

const SCHEMAS = {
  servers: object({ servers: list(server), probes: list(probe) }),
  caches: object({ caches: list(cache) })
}

/** Compiled on first use. @type {Map<string, ValidateFunction>} */
const compiled = new Map()

/**
 * Returns the first fault of a stored check, in words.
 * @param {keyof typeof SCHEMAS} kind
 * @param {unknown} value
 * @returns {string | null} null: the value is valid
 */
export function findCheckFault (kind, value) {
  const validate = compiled.get(kind) ?? createAjv({ allowUnionTypes: true }).compile(SCHEMAS[kind])
  compiled.set(kind, validate)
  if (validate(value)) return null
  return describeSchemaError(/** @type {ErrorObject[]} */ (validate.errors)[0], 'the check')
}
