/** An experiment of a person's own, from a file: JSON, or a module whose default export is one. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { getErrorMessage, HopbenchError } from '../errors.js'
import { describeFileError } from '../machine/file-failures.js'
import { parse, withCommands } from '../plan/word.js'
import { aboutProtocol, missingPart, pluginNames } from '../plugins.js'
import { callerCwd } from '../machine/caller-cwd.js'
import { bodyOf, commandFrom } from './own-request.js'
import { isUrl, urlFrom } from './urls.js'

/** @import { AppCommand, Experiment, Load } from '../types.js' */
/** @import { Asked } from './typed-experiment.js' */

const SCHEMA = new URL('../../results/experiment.schema.json', import.meta.url)
/** A module that says so much of an experiment is one; any other may be a server, and is not run to find out. */
const HAS_ARMS = /(^|[\s{,])(["']?)arms\2\s*[:=]/m

/** @param {string} word as typed */
export function isExperimentFile (word) {
  if (word.endsWith('.json')) return true
  const file = resolve(callerCwd(), word)
  return /^\.{0,2}\/.*\.m?js$/.test(word) && existsSync(file) && HAS_ARMS.test(readFileSync(file, 'utf8'))
}

/**
 * @param {string} word
 * @returns {Promise<Asked>}
 * @throws {HopbenchError} bad-experiment, naming line and field
 */
export async function ownExperiment (word) {
  const file = resolve(callerCwd(), word)
  const text = textOf(file, word)
  const fail = (/** @type {string} */ why, /** @type {string[]} */ path = [], line = lineOf(text, path)) =>
    new HopbenchError('bad-experiment', { file: word, line, field: path.join('.') || null, why })
  const given = word.endsWith('.json') ? fromJson(text, fail) : await fromModule(file, fail)
  refuseAgainstSchema(given, fail)
  for (const name of Object.keys(given.servers ?? {})) {
    if (!pluginNames('server').includes(name)) continue
    throw fail('hopbench has a server of this name, which it would hide: choose another', ['servers', name])
  }
  const commands = Object.fromEntries(Object.entries(given.servers ?? {}).map(([name, server]) =>
    [name, commandOf(/** @type {OwnServer} */ (server), path => fail(path, ['servers', name]))]))
  const read = (/** @type {string} */ word) => withCommands(parse(word), commands)
  const experiment = experimentOf(given, { read, fail })
  const protocol = await aboutProtocol(experiment.protocol).catch(error => { throw fail(error.message, ['protocol']) })
  const missing = missingPart('experiment', { default: experiment }, protocol)
  if (missing) throw fail(`it requires ${missing}`, missing.startsWith('contrasts') ? ['contrasts'] : [])
  return { name: nameOf(word), experiment, parse: read }
}

/** @typedef {{ command: string, listen?: string, cwd?: string, readySeconds?: number }} OwnServer */
/** @typedef {(why: string, path?: string[], line?: number | null) => HopbenchError} Fail */

/**
 * @param {any} given
 * @param {{ read: (word: string) => any, fail: Fail }} how
 * @returns {Experiment}
 */
function experimentOf ({ servers, arms, load, ...given }, { read, fail }) {
  const entries = Object.entries(arms).map(([name, entry]) => {
    const arm = typeof entry === 'string' ? { topology: entry } : entry
    const path = ['arms', name]
    try {
      if (isUrl(arm.topology)) {
        const { origin, path } = urlFrom(arm.topology)
        return [name, { ...arm, topology: origin, load: { path, ...loadOf(arm.load) } }]
      }
      read(arm.topology)
      return [name, { ...arm, load: loadOf(arm.load) }]
    } catch (error) {
      throw fail(getErrorMessage(error).replace(/\.$/, ''), path)
    }
  })
  const hasUrl = entries.some(([, { topology }]) => isUrl(topology))
  return {
    title: given.question ?? Object.keys(arms).join(' against '),
    question: `How do ${Object.keys(arms).slice(1).join(' and ')} compare with ${Object.keys(arms)[0]}?`,
    source: null,
    protocol: hasUrl ? 'window' : 'gang',
    unit: 'requests',
    ...given,
    arms: Object.fromEntries(entries),
    load: loadOf(load)
  }
}

/**
 * A body as people write it, and as engines get it.
 *
 * @param {any} [load]
 * @returns {Partial<Load>}
 */
const loadOf = ({ body, ...load } = {}) => body === undefined
  ? load
  : {
      method: 'POST',
      ...load,
      headers: { ...typeof body !== 'string' && { 'Content-Type': 'application/json' }, ...load.headers },
      body: bodyOf(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)))
    }

/**
 * @param {OwnServer} server
 * @param {(why: string) => HopbenchError} fail
 * @returns {AppCommand}
 */
function commandOf ({ command, listen, cwd, readySeconds }, fail) {
  try {
    const made = /** @type {AppCommand} */ (commandFrom({ app: command, listen, readyWithin: readySeconds }))
    return { ...made, cwd: resolve(callerCwd(), cwd ?? '.') }
  } catch (error) {
    throw fail(getErrorMessage(error).replace(/\.$/, ''))
  }
}

/**
 * @param {string} file
 * @param {string} word
 */
function textOf (file, word) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const why = describeFileError(error)
    throw new HopbenchError('bad-experiment', { file: word, line: null, field: null, why }, { cause: error })
  }
}

/**
 * @param {string} text
 * @param {Fail} fail
 */
function fromJson (text, fail) {
  try {
    return JSON.parse(text)
  } catch (error) {
    const message = getErrorMessage(error)
    const at = /position (\d+)/.exec(message)?.[1]
    const line = at === undefined ? text.trimEnd().split('\n').length : text.slice(0, Number(at)).split('\n').length
    throw fail(`it is no JSON: ${message.split('\n')[0]}`, [], line)
  }
}

/**
 * @param {string} file
 * @param {Fail} fail
 */
async function fromModule (file, fail) {
  try {
    const { default: experiment } = await import(pathToFileURL(file).href)
    return experiment ?? {}
  } catch (error) {
    const { message, stack = '' } = /** @type {Error} */ (error)
    const line = new RegExp(`${escaped(file)}:(\\d+)`).exec(stack)?.[1]
    throw fail(`it cannot be loaded: ${message.split('\n')[0]}`, [], line === undefined ? null : Number(line))
  }
}

/**
 * @param {unknown} given
 * @param {Fail} fail
 */
function refuseAgainstSchema (given, fail) {
  const validate = new Ajv2020({ strict: false, allErrors: false }).compile(JSON.parse(readFileSync(SCHEMA, 'utf8')))
  if (validate(given)) return
  const [{ instancePath, message, params }] = validate.errors ?? []
  const path = instancePath.split('/').slice(1).map(part => part.replace(/~1/g, '/').replace(/~0/g, '~'))
  if (params.additionalProperty) throw fail('there is no such field', [...path, params.additionalProperty])
  throw fail(params.allowedValues ? `it is one of ${params.allowedValues.join(', ')}` : `it ${message}`, path)
}

/**
 * The line on which a field stands: its names, one after the other, as keys.
 *
 * @param {string} text
 * @param {string[]} path
 * @returns {number | null} null: it is nowhere to be seen
 */
export function lineOf (text, path) {
  let at = 0
  for (const key of path.filter(part => !/^\d+$/.test(part))) {
    const found = new RegExp(`(^|[\\s{,])(["']?)${escaped(key)}\\2\\s*:`, 'm').exec(text.slice(at))
    if (!found) break
    at += found.index + found[0].length
  }
  return at === 0 ? null : text.slice(0, at).split('\n').length
}

/** @param {string} text */
const escaped = text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** What its runs are called. @param {string} word */
const nameOf = word =>
  (word.split('/').at(-1) ?? '').replace(/\.\w+$/, '').toLowerCase().replace(/[^a-z0-9-]+/g, '-') || 'own'
