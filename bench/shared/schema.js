/** JSON schemas: their validators, and descriptions of what violates them. */
import { Ajv2020 } from 'ajv/dist/2020.js'

/** @import { ErrorObject, Options } from 'ajv/dist/2020.js' */

/**
 * Creates a compiler of the project's own schemas. To compile takes longer than the rest of a short command, so that
 * it is kept short: the schemas are not compared with the metaschema, which test/store/schema.test.js does, and the
 * code is not optimized, because it validates few values.
 * @param {Options} options
 */
export const createAjv = options =>
  new Ajv2020({ discriminator: true, validateSchema: false, meta: false, code: { optimize: false }, ...options })

/**
 * Describes why a JSON schema rejected a value: the field, the rule and the allowed values.
 * @param {Pick<ErrorObject, 'instancePath' | 'message' | 'params'>} error
 * @param {string} whole Name of the value itself.
 */
export function describeSchemaError ({ instancePath, message, params }, whole) {
  const details = params.allowedValues?.join(', ') ?? params.additionalProperty
  return `${instancePath.slice(1).replaceAll('/', '.') || whole} ${message}${details ? ` (${details})` : ''}`
}
