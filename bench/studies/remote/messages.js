/** Describes the messages between the machines of a run: the schemas of requests and responses, and the timeouts. */
import { findMeasurementFault } from '../../load/measurement.js'
import { createAjv, describeSchemaError, object } from '../../shared/schema.js'
import { readSchema, SCHEMA } from '../../store/record-format.js'

/** Default timeout. A saturated machine responds within seconds. */
const RESPONSE_SECONDS = 60
/** Timeout for starting an engine, which may have to be downloaded, or whose workers are started by hand. */
const START_SECONDS = 240
/** Limit for a file that is copied back, because a log may have a line per response. */
export const KEPT_BYTES = 1 << 20
/** Limit for all files that are copied back. */
export const ALL_KEPT_BYTES = 24 << 20
/** Limit for the output of an engine, which is stored in the run's folder. */
export const LOG_BYTES = 16_384
/** Limit for a line of samples.jsonl: ten times the length of a sample with a figure per second for half an hour. */
const SAMPLE_CHARACTERS = 1 << 20

/**
 * @typedef {object} Message
 * @property {object} [params] JSON schema
 * @property {object} [response] JSON schema
 * @property {(response: any) => string | null} [findFault] validates what the schema cannot describe; null: valid
 * @property {number} [seconds] default timeout
 */

const defs = (/** @type {string} */ name) => ({ $ref: `urn:hopbench:run:${SCHEMA}#/$defs/${name}` })
const text = (maxLength = 20_000) => ({ type: 'string', maxLength })
const anyText = { type: 'string' }
const orNull = (/** @type {object} */ schema) => ({ anyOf: [schema, { type: 'null' }] })
const list = (/** @type {object} */ items, maxItems = 10_000) => ({ type: 'array', items, maxItems })
/**
 * @param {Record<string, object>} properties
 * @param {Record<string, object>} [optional]
 */
const closed = (properties, optional) => ({ ...object(properties, optional), additionalProperties: false })
const map = (/** @type {object} */ values, maxProperties = 1000, names = '') =>
  ({ type: 'object', additionalProperties: values, maxProperties, propertyNames: { pattern: names } })
const count = { type: 'integer', minimum: 0 }
const amount = { type: 'number', minimum: 0 }
const name = text(1000)
const nothing = { type: 'null' }
const pluginName = { type: 'string', pattern: '^[a-z][a-z0-9-]{0,60}$' }
const path = { type: 'string', pattern: '^/', maxLength: 16_384 }
const reasons = list({ type: 'array', prefixItems: [name, defs('reason')], items: false, minItems: 2 }, 1000)
const state = {
  lost: list(name, 1000),
  refused: reasons,
  tools: map(text(200)),
  slowerUsers: orNull(closed({
    capacity: amount,
    share: amount,
    arms: list(closed({ arm: name, users: count, wanted: amount, used: amount }), 1000)
  }))
}
const bucket = { type: 'array', items: amount, minItems: 2, maxItems: 2 }
const histogram = closed({ count, max: amount, counts: list(bucket, 100_000) })
const lag = orNull(closed({ p50: amount, p99: amount, max: amount }))
const measurement = closed({
  requests: count,
  errors: defs('errors'),
  bytes: orNull(amount),
  seconds: orNull(amount),
  latencyMs: orNull(defs('latency'))
}, {
  lagMs: lag,
  histograms: closed({ latency: histogram }, {
    lag: histogram, byKind: closed({ app: histogram, files: histogram })
  }),
  users: list(defs('userPoint'), 100_000),
  failures: list(defs('kindCount')),
  notes: list(text())
})
const report = closed({
  report: orNull(closed({ measurement, sampled: count })),
  logs: map(text(LOG_BYTES), 100, '^[\\w.-]{1,100}\\.(err|log)$')
})
const target = closed({ url: { type: 'string', pattern: '^https?://[\\w.:[\\]-]+$' }, socketPath: orNull(text()) }, {
  expectBody: orNull(closed({ file: text(), sha256: text(100), bytes: count })),
  expectMix: list(closed({ status: { type: 'integer' }, sha256: orNull(text(100)), bytes: orNull(count) }), 100_000),
  filePrefixes: list(text(), 1000),
  caFile: orNull(text()),
  http2: { type: 'boolean' },
  body: orNull(anyText),
  certificate: orNull(text(100_000))
})
const load = {
  allOf: [
    defs('load'),
    {
      type: 'object',
      properties: { engine: pluginName, path, paths: list(path, 1_000_000), requests: list({}, 1_000_000) }
    }
  ]
}
const part = closed({ role: { const: 'worker' }, host: text(300), port: count })
const order = closed({ name, load, target, maxSeconds: { type: 'number', minimum: 0, maximum: 1e7 } }, { part })

/** @param {{ report: { measurement: any } | null }} response */
const findReportFault = ({ report }) => report && findMeasurementFault(report.measurement)

/** @type {Record<string, Message>} */
export const MESSAGES = {
  beat: { params: nothing },
  'host/environment': { response: defs('environment') },
  'rig/note': { params: text() },
  'rig/open': {
    response: closed({
      ...state,
      engine: pluginName,
      switchedFor: orNull(closed({ arm: name, share: amount })),
      instead: orNull(closed({ wanted: name, why: text() }))
    })
  },
  'rig/trial': {
    response: closed({ ...state, sample: defs('sample') }),
    findFault: ({ sample }) => JSON.stringify(sample).length > SAMPLE_CHARACTERS ? 'the sample is too large' : null
  },
  'rig/finish': { response: reasons, seconds: 2 * RESPONSE_SECONDS },
  'rig/close': { response: map(text(KEPT_BYTES), 5000), seconds: 2 * RESPONSE_SECONDS },
  'load/engine': { params: pluginName, response: closed({ version: text(200) }), seconds: START_SECONDS },
  'load/start': { params: closed({ engine: pluginName, order }), response: count, seconds: START_SECONDS },
  ...Object.fromEntries(['resume', 'pause', 'look', 'kill'].map(what =>
    [`load/${what}`, { params: count, response: nothing }])),
  'load/cpu': { params: count, response: closed({ seconds: amount, atSeconds: amount, alive: { type: 'boolean' } }) },
  'load/errors': {
    params: count,
    response: closed({ mismatches: count, timeouts: count, resets: count }, { non2xx: count })
  },
  'load/counts': {
    params: count,
    response: closed({ requests: count, atSeconds: amount, isIdle: { type: 'boolean' } })
  },
  'load/failure': { params: count, response: orNull(closed({ code: orNull(name), details: { type: 'object' } })) },
  'load/end': { params: count, response: report, findFault: findReportFault },
  'load/finished': { params: closed({ id: count, graceSeconds: amount }), response: report, findFault: findReportFault }
}

/**
 * @param {string} method
 * @returns {number} seconds
 */
export const getTimeout = method => MESSAGES[method]?.seconds ?? RESPONSE_SECONDS

/** Created on first use. It compiles each schema once. @type {ReturnType<typeof createAjv> | undefined} */
let ajv

/**
 * Validates a part of a message.
 *
 * @param {Message} message
 * @param {'params' | 'response'} part
 * @param {unknown} value as received
 * @returns {string | null} the first fault; null: valid
 */
export function findMessageFault (message, part, value) {
  ajv ??= createAjv({ strict: false }).addSchema(readSchema())
  const schema = message[part]
  const isValid = schema === undefined || ajv.validate(schema, value)
  if (!isValid && ajv.errors) return describeSchemaError(ajv.errors[0], 'it')
  return part === 'response' ? message.findFault?.(value) ?? null : null
}
