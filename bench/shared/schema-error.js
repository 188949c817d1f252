/** @import { ErrorObject } from 'ajv/dist/2020.js' */

/**
 * Describes why a JSON schema rejected a value: the field, the rule and the allowed values.
 * @param {Pick<ErrorObject, 'instancePath' | 'message' | 'params'>} error
 * @param {string} whole Name of the value itself.
 */
export function describeSchemaError ({ instancePath, message, params }, whole) {
  const details = params.allowedValues?.join(', ') ?? params.additionalProperty
  return `${instancePath.slice(1).replaceAll('/', '.') || whole} ${message}${details ? ` (${details})` : ''}`
}
