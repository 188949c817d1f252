/** Loads plug-ins. A plug-in is a file in the folder of its kind and has the file's name; there is no registry. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { completeExperiment, findExperimentFault, GROUPS } from './plan/experiment.js'
import { getErrorMessage, HopbenchError } from './errors.js'
import { nearest } from './shared/nearest.js'
import { createAjv, describeSchemaError } from './shared/schema.js'

/** @import { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js' */
/** @import { EngineAbout, Experiment, ProtocolAbout } from './types.js' */

export const PROJECT = fileURLToPath(new URL('..', import.meta.url))

/** @typedef {'server' | 'proxy' | 'engine' | 'experiment' | 'protocol'} Kind */

/** Values of an engine's `about` that the engine does not state. */
const ENGINE = /** @satisfies {Partial<EngineAbout>} */ ({
  packages: null,
  closedLoop: true,
  rate: false,
  unixTarget: false,
  tls: true,
  http2: false,
  plain: true,
  keepAlive: true,
  freshConnections: false,
  resumption: null,
  paths: false,
  headers: true,
  counted: null,
  mostConnections: null,
  timeouts: null,
  timesItself: true,
  latencyResolutionMicros: null,
  stop: null,
  checksBodies: false,
  errorLog: null
})
/** Values of a protocol's `about` that the protocol does not state. @type {ProtocolAbout} */
const PROTOCOL = {
  paused: false,
  clientCounts: false,
  windowSeconds: null,
  steps: null,
  warm: false,
  series: false,
  starts: false,
  elsewhere: null,
  result: 'throughput'
}

// Parts of the schemas below. `isFunction` is a keyword of our own.
const text = { type: 'string', minLength: 1 }
const fn = { isFunction: true }
const list = { type: 'array' }
const positive = { type: 'number', exclusiveMinimum: 0 }
/**
 * @param {Record<string, object>} required
 * @param {Record<string, object>} [optional]
 */
const object = (required, optional) =>
  ({ type: 'object', required: Object.keys(required), properties: { ...required, ...optional } })
const nullable = (/** @type {{ type: string }} */ schema) => ({ ...schema, type: [schema.type, 'null'] })
/** Returns a schema for each boolean among default values. @param {object} defaults */
const booleans = defaults => Object.fromEntries(Object.entries(defaults).flatMap(([name, value]) =>
  typeof value === 'boolean' ? [[name, { type: 'boolean' }]] : []))
const version = object({ args: list, parse: fn })
const names = { ...list, items: text }
const claimTest = {
  anyOf: [
    object({ kind: { const: 'ratio' }, arm: text, baseline: text }),
    object({ kind: { const: 'first-error-at' }, arm: text }),
    object({ kind: { enum: ['errors', 'logged'] }, in: names, notIn: names }),
    object({ kind: { enum: ['order', 'flat'] }, arms: names })
  ]
}

const answerWords = object({}, {
  by: { enum: ['pairs', 'errors', 'origin', 'latency', 'users', 'first-errors'] },
  subject: text,
  pairs: { ...list, items: { ...names, minItems: 2, maxItems: 3 } },
  names: { type: 'object', additionalProperties: text }
})

/**
 * Contracts of the plug-ins: what a module of each kind exports. `withDefaults` adds what the plug-in may leave out.
 * @type {Record<Kind, { folder: string, withDefaults?: (module: any) => any, exports: () => object }>}
 */
export const kinds = {
  server: {
    folder: 'servers',
    exports: () => object({
      default: fn,
      about: object({
        title: text,
        package: nullable(text),
        serves: { ...list, items: { enum: ['json', 'static', 'pages'] }, minItems: 1 },
        bytesFrom: { enum: ['memory', 'disk'] },
        compression: { enum: ['none', 'on-the-fly', 'precompressed'] }
      }, { vulnerable: text })
    })
  },
  proxy: {
    folder: 'proxy',
    exports: () => object({
      default: object({
        about: object({ title: text, program: text, options: object({}) }),
        version,
        render: fn,
        command: fn,
        check: fn,
        counters: {
          ...object({ parseLogLine: fn }, { parse: fn, read: fn }),
          oneOf: [{ required: ['parse'] }, { required: ['read'] }]
        }
      })
    })
  },
  engine: {
    folder: 'bench/engines',
    withDefaults: module =>
      ({ ...module, default: { ...module.default, about: { ...ENGINE, ...module.default?.about } } }),
    exports: () => object({
      default: object({
        about: object({
          title: text,
          program: text,
          latencyNote: text,
          ...booleans(ENGINE),
          resumption: { enum: ['always', 'never', 'chosen', null] },
          timeouts: { enum: ['all', 'late', null] },
          mostConnections: nullable(positive),
          stop: { type: ['string', 'null'], pattern: '^SIG[A-Z0-9]+$' }
        }, {
          users: { type: 'boolean' },
          python: object({ requirements: text, least: { type: 'string', pattern: '^\\d+\\.\\d+$' } }),
          methods: object({ withBody: list, without: list })
        }),
        version: { anyOf: [{ const: 'own' }, object({ npm: text }), version] },
        command: fn,
        parse: fn
      })
    })
  },
  experiment: {
    folder: 'bench/experiments',
    withDefaults: module => ({ ...module, default: completeExperiment(module.default ?? {}) }),
    exports: () => {
      const experiment = object({
        title: text,
        question: text,
        arms: { ...object({}), minProperties: 2 },
        protocol: { enum: pluginNames('protocol') },
        unit: { enum: ['requests', 'connections', 'handshakes', 'bytes'] }
      }, {
        group: { enum: Object.keys(GROUPS) },
        answer: answerWords,
        steps: { ...list, items: { type: 'integer', minimum: 1 }, minItems: 1 },
        shares: { ...list, items: { ...positive, exclusiveMaximum: 1 }, minItems: 1 },
        twin: text,
        contrasts: { ...list, items: { ...names, minItems: 2, maxItems: 2 } },
        claims: { ...list, items: object({ source: object({}), test: claimTest }) }
      })
      const variants = { type: 'object', additionalProperties: experiment }
      return object({ default: { ...experiment, properties: { ...experiment.properties, variants } } })
    }
  },
  protocol: {
    folder: 'bench/measure/protocols',
    withDefaults: module => ({ ...module, about: { ...PROTOCOL, ...module.about } }),
    exports: () => object({
      open: fn,
      about: {
        ...object({
          ...booleans(PROTOCOL),
          windowSeconds: nullable(object({ full: positive, quick: positive, smoke: positive })),
          steps: { enum: ['connections', 'shares', null] },
          elsewhere: { enum: [...pluginNames('protocol'), null] },
          result: { enum: ['throughput', 'first-errors', 'latency'] }
        }),
        additionalProperties: false
      }
    })
  }
}

/** Returns the names of all plug-ins of a kind, sorted. @param {Kind} kind */
export function pluginNames (kind) {
  return readdirSync(join(PROJECT, kinds[kind].folder))
    .filter(file => file.endsWith('.js')).map(file => file.slice(0, -3)).sort()
}

/**
 * @param {Kind} kind
 * @param {string} name
 */
export const pluginFile = (kind, name) => join(PROJECT, kinds[kind].folder, `${name}.js`)

/**
 * Imports a plug-in and checks its contract.
 * @param {Kind} kind
 * @param {string} name
 * @returns {Promise<any>} The module, with defaults.
 * @throws {HopbenchError} unknown-plugin, bad-plugin
 */
export async function loadPlugin (kind, name) {
  const { folder, withDefaults } = kinds[kind]
  const known = pluginNames(kind)
  if (!known.includes(name)) {
    throw new HopbenchError('unknown-plugin', { kind, name, folder, known, nearest: nearest(name, known) })
  }
  const file = `${folder}/${name}.js`
  let module
  try {
    module = await import(pathToFileURL(pluginFile(kind, name)).href)
  } catch (error) {
    throw new HopbenchError('bad-plugin', { file, why: `it cannot be imported: ${getErrorMessage(error)}` },
      { cause: error })
  }
  module = withDefaults?.(module) ?? module
  const fault = findFault(kind, module) ?? (kind === 'experiment' ? await findFamilyFault(module.default) : null)
  if (fault !== null) throw new HopbenchError('bad-plugin', { file, why: fault })
  return module
}

/**
 * Returns all experiments, and the variants of each.
 * @returns {Promise<{ name: string, experiment: Experiment, variantOf?: string }[]>} By name.
 * @throws {HopbenchError} bad-plugin
 */
export async function loadExperiments () {
  const families = await Promise.all(pluginNames('experiment').map(async name => {
    const { default: experiment } = await loadPlugin('experiment', name)
    const variants = Object.entries(experiment.variants).map(([suffix, variant]) =>
      ({ name: `${name}-${suffix}`, experiment: variant, variantOf: name }))
    return [{ name, experiment }, ...variants]
  }))
  return families.flat().sort((a, b) => a.name < b.name ? -1 : 1)
}

/**
 * Returns an experiment, which has a file of its own or is a variant in the file of another: `tls-by-cpu` is the
 * variant `by-cpu` of `tls`.
 * @param {string} name
 * @returns {Promise<Experiment | null>} null: there is no such experiment
 * @throws {HopbenchError} bad-plugin
 */
export async function findExperiment (name) {
  const files = pluginNames('experiment')
  if (files.includes(name)) return (await loadPlugin('experiment', name)).default
  for (const file of files.filter(file => name.startsWith(`${file}-`))) {
    const { variants } = (await loadPlugin('experiment', file)).default
    const suffix = name.slice(file.length + 1)
    if (Object.hasOwn(variants, suffix)) return variants[suffix]
  }
  return null
}

/**
 * @param {string} name
 * @returns {Promise<ProtocolAbout>}
 * @throws {HopbenchError} unknown-plugin, bad-plugin
 */
export const aboutProtocol = async name => (await loadPlugin('protocol', name)).about

/** Validators by kind, compiled on first use. @type {Map<Kind, ValidateFunction>} */
const compiled = new Map()

/**
 * Returns the first violation of a kind's contract.
 * @param {Kind} kind
 * @param {unknown} module Any value, with defaults.
 * @returns {string | null}
 */
export function findFault (kind, module) {
  const validate = compiled.get(kind) ?? compile(kind)
  if (validate(module)) return null
  // After an anyOf, the last error is that of the whole field; those before it are of its alternatives.
  return describeSchemaError(/** @type {ErrorObject} */ (validate.errors?.at(-1)), 'the module')
}

/** @param {Kind} kind */
function compile (kind) {
  const ajv = createAjv({ strict: false })
  ajv.addKeyword({
    keyword: 'isFunction',
    validate: (/** @type {true} */ _, /** @type {unknown} */ value) => typeof value === 'function',
    error: { message: 'must be a function' }
  })
  const validate = ajv.compile(kinds[kind].exports())
  compiled.set(kind, validate)
  return validate
}

/**
 * Returns the first violation of an experiment or one of its variants that their schema cannot express.
 * @param {Experiment} experiment
 */
async function findFamilyFault (experiment) {
  for (const member of [experiment, ...Object.values(experiment.variants ?? {})]) {
    const fault = findExperimentFault(member, await aboutProtocol(member.protocol))
    if (fault !== null) return fault
  }
  return null
}
