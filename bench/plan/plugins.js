/** Loads plug-ins. A plug-in is a file in the folder of its kind and has the file's name; there is no registry. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { completeExperiment, findExperimentFault } from './experiment.js'
import { HopbenchError, getErrorMessage } from '../errors.js'
import { nearest } from '../shared/nearest.js'
import { createAjv, describeSchemaError } from '../shared/schema.js'

/** @import { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js' */
/** @import { EngineAbout, Experiment, PluginModules, ProtocolAbout } from '../types.js' */

/** Defaults of plug-ins. The contract of each kind is its type in bench/types/plugins.d.ts. */

/** @typedef {keyof PluginModules} Kind */

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
  requests: false,
  headers: true,
  counted: null,
  mostConnections: null,
  timeouts: null,
  timesItself: true,
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

/**
 * Adds the optional fields that a module leaves out, by its kind.
 * @type {Partial<Record<Kind, (module: any) => any>>}
 */
const withDefaults = {
  engine: module => ({ ...module, default: { ...module.default, about: { ...ENGINE, ...module.default?.about } } }),
  experiment: module => ({ ...module, default: completeExperiment(module.default ?? {}) }),
  protocol: module => ({ ...module, about: { ...PROTOCOL, ...module.about } })
}

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

/** Folder of each kind. @type {Record<Kind, string>} */
const FOLDERS = {
  server: 'servers',
  proxy: 'proxy',
  engine: 'bench/engines',
  experiment: 'bench/experiments',
  protocol: 'bench/measure/protocols',
  scenario: 'bench/scenarios',
  rule: 'bench/features/advise/rules'
}

/** Returns the names of all plug-ins of a kind, sorted. @param {Kind} kind */
export const pluginNames = kind => readdirSync(join(PROJECT, FOLDERS[kind]))
  .filter(file => file.endsWith('.js')).map(file => file.slice(0, -3)).sort()

/**
 * @param {Kind} kind
 * @param {string} name
 */
export const pluginFile = (kind, name) => join(PROJECT, FOLDERS[kind], `${name}.js`)

/**
 * Imports a plug-in and checks its contract.
 * @param {Kind} kind
 * @param {string} name
 * @returns {Promise<any>} The module, with defaults.
 * @throws {HopbenchError} unknown-plugin, bad-plugin
 */
export async function loadPlugin (kind, name) {
  const folder = FOLDERS[kind]
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
  module = withDefaults[kind]?.(module) ?? module
  const fault = findContractFault(kind, module) ??
    (kind === 'experiment' ? await findFamilyFault(module.default) : null)
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

/** Created on first use. It compiles the contract of each kind once. @type {Ajv2020 | undefined} */
let ajv

/**
 * Returns the first violation of a kind's contract.
 * @param {Kind} kind
 * @param {unknown} module Any value, with defaults.
 * @returns {string | null}
 */
export function findContractFault (kind, module) {
  ajv ??= createContracts()
  const validate = /** @type {ValidateFunction} */ (ajv.getSchema(`contracts#/$defs/PluginModules/properties/${kind}`))
  if (validate(module)) return null
  // After an anyOf, the last error is that of the whole field; those before it are of its alternatives.
  return describeSchemaError(/** @type {ErrorObject} */ (validate.errors?.at(-1)), 'the module')
}

function createContracts () {
  const { $defs } = JSON.parse(readFileSync(join(PROJECT, 'bench/plan/contracts.schema.json'), 'utf8'))
  const isFunction = {
    keyword: 'isFunction',
    validate: (/** @type {true} */ _, /** @type {unknown} */ value) => typeof value === 'function',
    error: { message: 'must be a function' }
  }
  return createAjv({ strict: false, keywords: [isFunction] }).addSchema({ $defs }, 'contracts')
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
