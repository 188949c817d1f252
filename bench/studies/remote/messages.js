/** What machines ask each other in a run, what an answer looks like, and how long one may take. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { faultOfMeasurement } from '../../load/measurement.js'
import { readSchema } from '../../store/record-format.js'
import { isPlainPath } from './received.js'

/** @import { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js' */

/** For what is only looked up, started or stopped: a machine at its limits answers within seconds. */
const ANSWER_SECONDS = 60
const START_SECONDS = 240 // An engine that has to be fetched, or whose workers a person starts.
/** Of a file that is copied back: a log may have a line for every answer. */
export const KEPT_BYTES = 1 << 20
/** Of all of them together. */
export const ALL_KEPT_BYTES = 24 << 20
/** What an engine said, for the run's folder. */
export const LOG_BYTES = 16_384
const SAMPLE_CHARACTERS = 1 << 20 // A line of samples.jsonl; one with every second of half an hour has a tenth of it.

/** @typedef {object} Message
 * @property {object} [params] JSON schema
 * @property {object} [answer] JSON schema
 * @property {(answer: any) => string | null} [fault] what the schema cannot check: what is wrong, null: nothing is
 * @property {number} [seconds] for the answer, where the caller gives none */

const defs = (/** @type {string} */ name) => ({ $ref: `urn:hopbench:run:1#/$defs/${name}` })
const text = (maxLength = 20_000) => ({ type: 'string', maxLength })
const anyText = { type: 'string' }
const orNull = (/** @type {object} */ schema) => ({ anyOf: [schema, { type: 'null' }] })
const list = (/** @type {object} */ items, maxItems = 10_000) => ({ type: 'array', items, maxItems })
/** @param {Record<string, object>} properties @param {Record<string, object>} [optional] */
const object = (properties, optional = {}) => ({
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties, ...optional },
  additionalProperties: false
})
const map = (/** @type {object} */ values, maxProperties = 1000) =>
  ({ type: 'object', additionalProperties: values, maxProperties })
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
  slowerUsers: orNull(object({
    capacity: amount,
    share: amount,
    arms: list(object({ arm: name, users: count, wanted: amount, used: amount }), 1000)
  }))
}
const bucket = { type: 'array', items: amount, minItems: 2, maxItems: 2 }
const histogram = object({ count, max: amount, counts: list(bucket, 100_000) })
const lag = orNull(object({ p50: amount, p99: amount, max: amount }))
const measurement = object({
  requests: count,
  errors: defs('errors'),
  bytes: orNull(amount),
  seconds: orNull(amount),
  latencyMs: orNull(defs('latency'))
}, {
  lagMs: lag,
  histograms: object({ latency: histogram }, { lag: histogram }),
  users: list(defs('userPoint'), 100_000),
  failures: list(defs('kindCount')),
  notes: list(text())
})
const report = object({ report: orNull(object({ measurement, sampled: count })), logs: map(text(LOG_BYTES), 100) })
const target = object({ url: { type: 'string', pattern: '^https?://[\\w.:[\\]-]+$' }, socketPath: orNull(text()) }, {
  expectBody: orNull(object({ file: text(), sha256: text(100), bytes: count })),
  expectByPath: map(text(100), 100_000),
  caFile: orNull(text()),
  http2: { type: 'boolean' },
  body: orNull(anyText),
  certificate: orNull(text(100_000))
})
const load = {
  allOf: [defs('load'), { type: 'object', properties: { engine: pluginName, path, paths: list(path, 1_000_000) } }]
}
const part = object({ role: { const: 'worker' }, host: text(300), port: count })
const order = object({ name, load, target, maxSeconds: { type: 'number', minimum: 0, maximum: 1e7 } }, { part })

/** @param {{ report: { measurement: any } | null, logs: Record<string, string> }} answer */
function faultOfReport ({ report, logs }) {
  const stranger = Object.keys(logs).find(file => !isPlainPath(file, 1) || !/\.(err|log)$/.test(file))
  if (stranger !== undefined) return `"${stranger}" is no name of a log`
  return report && faultOfMeasurement(report.measurement)
}

/** @type {Record<string, Message>} */
export const MESSAGES = {
  beat: { params: nothing },
  'host/environment': { answer: defs('environment') },
  'rig/note': { params: text() },
  'rig/open': {
    answer: object({
      ...state,
      engine: pluginName,
      switchedFor: orNull(object({ arm: name, share: amount })),
      instead: orNull(object({ wanted: name, why: text() }))
    })
  },
  'rig/trial': {
    answer: object({ ...state, sample: defs('sample') }),
    fault: ({ sample }) => JSON.stringify(sample).length > SAMPLE_CHARACTERS ? 'the sample is too large' : null
  },
  'rig/finish': { answer: reasons, seconds: 2 * ANSWER_SECONDS },
  'rig/close': { answer: map(text(KEPT_BYTES), 5000), seconds: 2 * ANSWER_SECONDS },
  'load/engine': { params: pluginName, answer: object({ version: text(200) }), seconds: START_SECONDS },
  'load/start': { params: object({ engine: pluginName, order }), answer: count, seconds: START_SECONDS },
  ...Object.fromEntries(['thaw', 'freeze', 'look', 'kill'].map(what =>
    [`load/${what}`, { params: count, answer: nothing }])),
  'load/cpu': { params: count, answer: object({ seconds: amount, atSeconds: amount, alive: { type: 'boolean' } }) },
  'load/errors': {
    params: count,
    answer: object({ mismatches: count, timeouts: count, resets: count }, { non2xx: count })
  },
  'load/counts': { params: count, answer: object({ requests: count, atSeconds: amount, isIdle: { type: 'boolean' } }) },
  'load/failure': { params: count, answer: orNull(object({ code: orNull(name), details: { type: 'object' } })) },
  'load/end': { params: count, answer: report, fault: faultOfReport },
  'load/finished': { params: object({ id: count, graceSeconds: amount }), answer: report, fault: faultOfReport }
}

export const secondsFor = (/** @type {string} */ method) => MESSAGES[method]?.seconds ?? ANSWER_SECONDS

/** Compiled on first use. @type {Map<object, ValidateFunction>} */
const compiled = new Map()
/** @type {Ajv2020 | undefined} */
let ajv

/** @param {Message} message @param {'params' | 'answer'} part @param {unknown} value as received
 * @returns {string | null} the first thing that is wrong with it, null: nothing is */
export function faultIn (message, part, value) {
  const schema = message[part]
  if (schema) {
    const validate = compiled.get(schema) ?? compile(schema)
    if (!validate(value)) {
      const { instancePath, message } = /** @type {ErrorObject[]} */ (validate.errors)[0]
      return `${instancePath.slice(1, 200).replaceAll('/', '.') || 'it'} ${message}`
    }
  }
  return part === 'answer' ? message.fault?.(value) ?? null : null
}

/** @param {object} schema */
function compile (schema) {
  ajv ??= new Ajv2020({ strict: false }).addSchema(readSchema())
  const validate = ajv.compile(schema)
  compiled.set(schema, validate)
  return validate
}
