/** Checks the options for requests and for the command that starts an app. */
import { createHmac, randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { badOption, getErrorMessage, HopbenchError } from '../errors.js'
import { describeFileError } from '../machine/files/file-failures.js'
import { readPlainFile } from '../machine/files/plain-files.js'
import { METHODS } from '../load/request-body.js'
import { attempt } from '../shared/attempt.js'
import { callerCwd } from '../machine/caller-cwd.js'

/** @import { AppCommand, Load } from '../types.js' */
/** @import { RunFlags } from './types.js' */

/** Limit of a request body, because engines hold it in memory once per connection. */
const BODY_FILE = { maxBytes: 16 * 1024 * 1024, followsLinks: true }
/** Headers that the engines set. */
const OWN_HEADERS = ['content-length', 'transfer-encoding', 'connection']
const COMPARABLE = ['status', 'length']
const READY_SECONDS = 60 // Apps that compile at their start take tens of seconds. --ready-within sets another limit.
const FIRST_PORT = 1024 // The served side does not run as root, so it cannot listen on lower ports.

/**
 * @param {Partial<RunFlags>} options
 * @returns {Partial<Load>} fields that differ from those of a plain GET
 * @throws {HopbenchError} bad-option, bad-header
 */
export function requestFrom ({ method, header = [], body, bodyFile, ignoreBody, compare }) {
  const content = bodyFrom(body, bodyFile)
  const checkedMethod = methodFrom(method, content !== null)
  const headers = Object.fromEntries(header.map(headerFrom))
  if (content && !Object.keys(headers).some(name => name.toLowerCase() === 'content-type')) {
    headers['Content-Type'] = isJson(content) ? 'application/json' : 'text/plain; charset=utf-8'
  }
  return {
    ...checkedMethod !== 'GET' && { method: checkedMethod },
    ...Object.keys(headers).length > 0 && { headers },
    ...content && { body: toBody(content) },
    ...ignoreBody !== undefined && { ignoreBody: patternFrom(ignoreBody) },
    ...compare !== undefined && { compare: comparableFrom(compare) }
  }
}

/**
 * @param {Pick<RunFlags, 'listen' | 'readyWithin' | 'quietApp'> & { app?: string }} options app: one command
 * @returns {AppCommand | null} null: --app is missing
 * @throws {HopbenchError} bad-option
 */
export function commandFrom ({ app, listen, readyWithin, quietApp }) {
  if (app === undefined) {
    const given = Object.entries({ '--listen': listen, '--ready-within': readyWithin, '--quiet-app': quietApp })
      .find(([, value]) => value !== undefined)
    if (!given) return null
    throw badOption(...given, 'it requires --app, the command that starts your app')
  }
  if (app.trim() === '') throw badOption('--app', app, 'it is the command that starts your app')
  return {
    run: app,
    listen: (listen ?? '$PORT').split(',').map(way => wayFrom(way.trim())),
    cwd: callerCwd(),
    readySeconds: readyWithin ?? READY_SECONDS,
    ...quietApp && { quiet: true }
  }
}

/**
 * @param {string} way
 * @returns {AppCommand['listen'][number]}
 */
function wayFrom (way) {
  if (/^\$\{?PORT\}?$/.test(way)) return 'tcp'
  if (/^\$\{?SOCKET\}?$/.test(way)) return 'unix'
  const port = /^\d{1,5}$/.test(way) ? Number(way) : NaN
  if (port >= FIRST_PORT && port <= 65535) return port
  throw badOption('--listen', way,
    `it takes '$PORT', '$SOCKET' (in quotes: they are your app's to read), both with a comma, or a port from ${
      FIRST_PORT} to 65535`)
}

/**
 * @param {string} text
 * @returns {[name: string, value: string]}
 */
function headerFrom (text) {
  const colon = text.indexOf(':')
  const name = (colon === -1 ? text : text.slice(0, colon)).trim()
  const fail = (/** @type {string} */ why) => new HopbenchError('bad-header', { name: name.slice(0, 40), why })
  if (colon === -1) throw fail('there is no colon between a name and a value')
  const value = text.slice(colon + 1).trim()
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) throw fail('its name contains an invalid character')
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(value)) throw fail('its value contains control characters')
  if (OWN_HEADERS.includes(name.toLowerCase())) throw fail('the load generator sets this header')
  return [name, value]
}

/**
 * @param {string | undefined} method
 * @param {boolean} hasBody
 */
function methodFrom (method, hasBody) {
  const upperCase = (method ?? (hasBody ? 'POST' : 'GET')).toUpperCase()
  if (!METHODS.includes(upperCase)) {
    throw badOption('--method', method, upperCase === 'HEAD'
      ? 'its responses have no body, and generators wait for one'
      : `it takes one of ${METHODS.join(', ')}`)
  }
  if (upperCase === 'GET' && hasBody) throw badOption('--method', method, 'a GET has no body, and --body is one')
  return upperCase
}

/**
 * Returns the methods of a list with commas.
 * @param {string} option
 * @param {string} text
 * @returns {string[]}
 * @throws {HopbenchError} bad-option
 */
export function listMethods (option, text) {
  const methods = text.split(',').map(method => method.trim().toUpperCase())
  const wrong = methods.find(method => !METHODS.includes(method))
  if (wrong === undefined) return methods.filter(method => method !== 'GET')
  throw badOption(option, text, `it takes ${METHODS.slice(1).join(', ')}, several with a comma`)
}

/**
 * @param {string} [body]
 * @param {string} [file]
 * @returns {Buffer | null}
 */
function bodyFrom (body, file) {
  if (body !== undefined && file !== undefined) {
    throw badOption('--body-file', file, 'it and --body are mutually exclusive')
  }
  if (body !== undefined) return Buffer.from(body)
  if (file === undefined) return null
  return attempt(() => readPlainFile(resolve(callerCwd(), file), BODY_FILE), error => {
    throw badOption('--body-file', file, `${describeFileError(error)} (looked up in ${callerCwd()})`,
      'Name it relative to this folder, or by its whole path.')
  })
}

/** Key of the ids of bodies. It is stored nowhere, because a plain hash reveals a small body that can be guessed. */
const BODY_KEY = randomBytes(32)

/**
 * @param {Buffer} bytes
 * @returns {NonNullable<Load['body']>}
 */
export const toBody = bytes => ({
  base64: bytes.toString('base64'),
  bytes: bytes.length,
  id: createHmac('sha256', BODY_KEY).update(bytes).digest('hex')
})

/** @param {Buffer} bytes */
const isJson = bytes => attempt(() => JSON.parse(bytes.toString()) !== undefined, () => false)

/** @param {string} text */
const patternFrom = text => attempt(() => new RegExp(text, 'g').source, error => {
  throw badOption('--ignore-body', text, getErrorMessage(error))
})

/**
 * @param {string} text
 * @returns {NonNullable<Load['compare']>}
 */
function comparableFrom (text) {
  const parts = text.split(',').map(part => part.trim())
  if (parts.every(part => COMPARABLE.includes(part))) return /** @type {NonNullable<Load['compare']>} */ (parts)
  throw badOption('--compare', text, 'it takes status, length, or both with a comma; by default everything is compared')
}
