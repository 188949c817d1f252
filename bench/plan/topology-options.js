/** Resolves the options of a hop: adds defaults and rejects wrong values (pure). */
import { HopbenchError } from '../errors.js'
import { isOn } from './predicates.js'
import { nearest } from '../shared/nearest.js'
import { isRelease, RELEASE_VALUES } from '../shared/releases.js'

/** @import { OptionSpec, OptionValue } from '../types.js' */

const DURATION = /^\d+(ms|s|m|h|d)?$/
/** Options that users try and that no hop supports, with the reason. @type {Record<string, string>} */
const NOT_HERE = {
  zstd: 'zstd is not measured: Debian\'s nginx and the compression middleware have none, and Node 20 cannot undo it',
  http3: 'HTTP/3 is not measured: no load generator here speaks it, and of the servers here only nginx does'
}
const WHOLE_SECONDS = /^\d+[smhd]?$/

/**
 * @param {string} owner plug-in name, for messages
 * @param {Record<string, OptionSpec>} specs
 * @param {Record<string, OptionValue>} given
 * @param {Record<string, string>} [lacks] reasons for options that the owner cannot have
 * @returns {Record<string, OptionValue>}
 * @throws {HopbenchError} bad-option
 */
export function resolveOptions (owner, specs, given, lacks = {}) {
  const resolved = Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, getValue(spec, given[name])]))
  for (const [name, value] of Object.entries(given)) {
    const spec = specs[name]
    const option = `The option ${name} of ${owner}`
    const reject = (/** @type {string} */ why) => {
      throw new HopbenchError('bad-option', { option, value, why, remedy: getRemedy(owner, specs, name) })
    }
    const reason = lacks[name] ?? NOT_HERE[name]
    if (!spec && reason) reject(reason)
    if (!spec) {
      const close = nearest(name, Object.keys(specs))
      reject(`there is no such option${close ? `; did you mean ${close}` : ''}`)
    } else if (!fits(spec, resolved[name])) {
      const close = spec.choices && nearest(String(value), spec.choices.map(String))
      reject(`it takes ${wanted(spec)}${close ? `; did you mean ${close}` : ''}`)
    }
    if (spec?.needs && !isOn(resolved[spec.needs])) reject(`it requires ${spec.needs}`)
  }
  return resolved
}

/**
 * Returns the text "off" where it is a choice of the option. In a spec, "off" is parsed as false.
 * @param {OptionSpec} spec
 * @param {OptionValue} [value]
 */
const getValue = (spec, value = spec.default) => value === false && spec.choices?.includes('off') ? 'off' : value

/**
 * @param {OptionSpec} spec
 * @param {OptionValue} value
 */
function fits (spec, value) {
  if (value === spec.default) return true
  if (spec.choices && !spec.choices.includes(value)) return false
  switch (spec.type) {
    case 'boolean':
      return typeof value === 'boolean'
    case 'number':
      return typeof value === 'number' && (spec.choices !== undefined || (value > 0 && Number.isInteger(value)))
    case 'duration':
      return fitsDuration(spec, value)
    case 'release':
      return isRelease(value)
    default:
      return typeof value === 'string' || typeof value === 'number'
  }
}

/**
 * A time of zero is not accepted in place of off, because programs differ in what they do with it.
 * @param {OptionSpec} spec
 * @param {OptionValue} value
 */
function fitsDuration ({ default: usual, wholeSeconds }, value) {
  if (!isOn(value)) return !isOn(usual)
  const text = String(value)
  return (wholeSeconds ? WHOLE_SECONDS : DURATION).test(text) && (isOn(usual) || /[1-9]/.test(text))
}

/** @param {OptionSpec} spec */
const wanted = spec => spec.choices
  ? `one of ${spec.choices.map(choice => typeof choice === 'boolean' ? (choice ? 'on' : 'off') : choice).join(', ')}`
  : {
      boolean: 'on or off',
      number: 'a whole number above zero',
      duration:
        `a time${spec.wholeSeconds ? ' of whole seconds' : ''}${isOn(spec.default) ? '' : ' above zero'} such as 5s` +
        (isOn(spec.default) ? '' : ', or off'),
      string: 'a word',
      release: RELEASE_VALUES
    }[spec.type]

/**
 * @param {string} owner
 * @param {Record<string, OptionSpec>} specs
 * @param {string} name
 */
function getRemedy (owner, specs, name) {
  if (Object.keys(specs).length === 0) return `Leave it out, because ${owner} has no options.`
  if (specs[name]) return `Set ${name} as described: ${specs[name].help}.`
  return `Use one of: ${Object.keys(specs).join(', ')}.`
}
