/** Reads a user's experiment from a file: JSON, or a module with an experiment as its default export. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { getErrorMessage, HopbenchError } from '../errors.js'
import { describeFileError } from '../machine/files/file-failures.js'
import { readOwnText } from '../machine/files/own-files.js'
import { readPlainFile } from '../machine/files/plain-files.js'
import { findExperimentFault, OF_SCENARIO, toQuestion } from '../plan/experiment.js'
import { parse, withCommands } from '../plan/spec.js'
import { aboutProtocol, findContractFault, pluginNames } from '../plan/plugins.js'
import { attempt } from '../shared/attempt.js'
import { isTooDeep } from '../shared/nesting.js'
import { createAjv } from '../shared/schema.js'
import { callerCwd } from '../machine/caller-cwd.js'
import { rejectUnused } from './user-apps.js'
import { toBody, commandFrom } from './user-request.js'
import { isUrl, urlFrom } from './urls.js'

/** @import { AppCommand, Experiment, Load, Topology } from '../types.js' */
/** @import { Apps } from './user-apps.js' */
/** @import { experimentFrom } from './typed-experiment.js' */

const SCHEMA = new URL('../../results/experiment.schema.json', import.meta.url)
/** Limits of an experiment, or of a module that may be one. */
const EXPERIMENT_FILE = { maxBytes: 2 ** 25, followsLinks: true }
/** Matches the field `arms`. Only experiments have it, so that a server is recognised without being imported. */
const HAS_ARMS = /(^|[\s{,])(["']?)arms\2\s*[:=]/m

/** @param {string} spec as typed */
export function isExperimentFile (spec) {
  if (spec.endsWith('.json')) return true
  const file = resolve(callerCwd(), spec)
  return /^\.{0,2}\/.*\.m?js$/.test(spec) && existsSync(file) && HAS_ARMS.test(readTyped(spec))
}

/**
 * @param {string} spec
 * @throws {HopbenchError} bad-experiment
 */
function readTyped (spec) {
  try {
    return readPlainFile(resolve(callerCwd(), spec), EXPERIMENT_FILE).toString()
  } catch (error) {
    const why = describeFileError(error)
    throw new HopbenchError('bad-experiment', { file: spec, line: null, field: null, why }, { cause: error })
  }
}

/**
 * @param {string} spec
 * @param {Apps} [apps] of --app, which replace servers of the same name
 * @returns {ReturnType<typeof experimentFrom>}
 * @throws {HopbenchError} bad-experiment with line and field; bad-option
 */
export async function userExperiment (spec, apps = {}) {
  const file = resolve(callerCwd(), spec)
  const text = readTyped(spec)
  const fail = (/** @type {string} */ why, /** @type {string[]} */ path = [], line = findLine(text, path)) =>
    new HopbenchError('bad-experiment', { file: spec, line, field: path.join('.') || null, why })
  const given = spec.endsWith('.json') ? fromJson(text, fail) : await fromModule(file, fail)
  if (isTooDeep(given)) throw fail('it is nested too deeply')
  rejectAgainstSchema(given, fail)
  for (const name of Object.keys(given.servers ?? {})) {
    if (!pluginNames('server').includes(name)) continue
    throw fail('hopbench has a server of this name, which it would hide: choose another', ['servers', name])
  }
  const commands = Object.fromEntries(Object.entries(given.servers ?? {}).map(([name, server]) =>
    [name, toCommand(server, why => fail(why, ['servers', name]))]))
  const parseTyped = (/** @type {string} */ spec) => withCommands(parse(spec), { ...commands, ...apps })
  const experiment = createExperiment(given, parseTyped, fail)
  rejectUnused(apps, Object.values(experiment.arms).map(entry =>
    parseTyped(typeof entry === 'string' ? entry : entry.topology)))
  const protocol = await aboutProtocol(experiment.protocol).catch(error => { throw fail(error.message, ['protocol']) })
  const fault = findContractFault('experiment', { default: experiment }) ?? findExperimentFault(experiment, protocol)
  if (fault) throw fail(fault, fault.startsWith('contrasts') ? ['contrasts'] : [])
  return { name: toExperimentName(spec), experiment, parse: parseTyped }
}

/** @typedef {(why: string, path?: string[], line?: number | null) => HopbenchError} Fail */

/**
 * @param {any} given content of the file, which matches the schema
 * @param {(spec: string) => Topology} parseTyped
 * @param {Fail} fail
 * @returns {Experiment}
 */
function createExperiment ({ servers, arms, load, ...fields }, parseTyped, fail) {
  const entries = Object.entries(arms).map(([name, entry]) => {
    const arm = typeof entry === 'string' ? { topology: entry } : entry
    try {
      if (isUrl(arm.topology)) {
        const { origin, path } = urlFrom(arm.topology)
        return [name, { ...arm, topology: origin, load: { path, ...toLoad(arm.load) } }]
      }
      parseTyped(arm.topology)
      return [name, { ...arm, load: toLoad(arm.load) }]
    } catch (error) {
      throw fail(getErrorMessage(error).replace(/\.$/, ''), ['arms', name])
    }
  })
  const names = Object.keys(arms)
  const hasUrl = entries.some(([, { topology }]) => isUrl(topology))
  return {
    title: fields.question ?? names.join(' against '),
    question: toQuestion(names),
    source: null,
    protocol: hasUrl ? 'window' : 'gang',
    unit: 'requests',
    ...fields.scenario !== undefined && OF_SCENARIO,
    ...fields,
    arms: Object.fromEntries(entries),
    load: toLoad(load)
  }
}

/**
 * Converts a load as written in an experiment. A body is text or JSON there.
 *
 * @param {any} [load]
 * @returns {Partial<Load>}
 */
function toLoad ({ body, ...load } = {}) {
  if (body === undefined) return load
  const isText = typeof body === 'string'
  return {
    method: 'POST',
    ...load,
    headers: { ...!isText && { 'Content-Type': 'application/json' }, ...load.headers },
    body: toBody(Buffer.from(isText ? body : JSON.stringify(body)))
  }
}

/**
 * @param {{ command: string, listen?: string, cwd?: string, readySeconds?: number, quiet?: boolean }} server
 * @param {(why: string) => HopbenchError} fail
 * @returns {AppCommand}
 */
function toCommand ({ command, listen, cwd, readySeconds, quiet }, fail) {
  try {
    const flags = { app: command, listen, readyWithin: readySeconds, quietApp: quiet }
    const appCommand = /** @type {AppCommand} */ (commandFrom(flags))
    return { ...appCommand, cwd: resolve(callerCwd(), cwd ?? '.') }
  } catch (error) {
    throw fail(getErrorMessage(error).replace(/\.$/, ''))
  }
}

/**
 * @param {string} text
 * @param {Fail} fail
 */
const fromJson = (text, fail) => attempt(() => JSON.parse(text), error => {
  const message = getErrorMessage(error)
  const position = /position (\d+)/.exec(message)?.[1]
  const before = position === undefined ? text.trimEnd() : text.slice(0, Number(position))
  throw fail(`it is not JSON: ${message.split('\n')[0]}`, [], before.split('\n').length)
})

/**
 * @param {string} file
 * @param {Fail} fail
 */
async function fromModule (file, fail) {
  try {
    const { default: experiment } = await import(pathToFileURL(file).href)
    return experiment ?? {}
  } catch (error) {
    const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
    const line = new RegExp(`${escapeRegExp(file)}:(\\d+)`).exec(stack)?.[1]
    throw fail(`it cannot be loaded: ${message.split('\n')[0]}`, [], line === undefined ? null : Number(line))
  }
}

/**
 * @param {unknown} given
 * @param {Fail} fail
 */
function rejectAgainstSchema (given, fail) {
  const validate = createAjv({ strict: false }).compile(JSON.parse(readOwnText(SCHEMA)))
  if (validate(given)) return
  const [{ instancePath, message, params }] = validate.errors ?? []
  const path = instancePath.split('/').slice(1).map(part => part.replace(/~1/g, '/').replace(/~0/g, '~'))
  if (params.additionalProperty) throw fail('there is no such field', [...path, params.additionalProperty])
  throw fail(params.allowedValues ? `it is one of ${params.allowedValues.join(', ')}` : `it ${message}`, path)
}

/**
 * Finds the line of a field by searching for the keys of its path, each after the one before.
 *
 * @param {string} text
 * @param {string[]} path
 * @returns {number | null} null: not found
 */
function findLine (text, path) {
  let at = 0
  for (const key of path.filter(part => !/^\d+$/.test(part))) {
    const found = new RegExp(`(^|[\\s{,])(["']?)${escapeRegExp(key)}\\2\\s*:`, 'm').exec(text.slice(at))
    if (!found) break
    at += found.index + found[0].length
  }
  return at === 0 ? null : text.slice(0, at).split('\n').length
}

/** @param {string} text */
const escapeRegExp = text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/**
 * Name of the experiment's runs.
 *
 * @param {string} spec
 */
const toExperimentName = spec =>
  (spec.split('/').at(-1) ?? '').replace(/\.\w+$/, '').toLowerCase().replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'own'
