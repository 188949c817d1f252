/** Mutates valid JSON values by a seeded generator of random numbers. */

/** @import { seeded } from '../random.js' */

/** @typedef {ReturnType<typeof seeded>} Random */

/** Placeholder for 1e999, which JSON.parse reads as Infinity, but JSON.stringify cannot write. */
const INFINITE = '@1e999@'
/** Placeholders for deeply nested values. JSON.stringify would exhaust the stack, because it writes by recursion. */
const NESTED = { array: '@nested-array@', object: '@nested-object@' }
/** Levels of the nested values. */
const LEVELS = 20_000
/** File that the planted commands and paths would create. */
export const PLANTED_FILE = 'hostile-file'
/** Markup that a page may contain only in escaped form. */
export const PLANTED_MARKUP = '<img src=x onerror=hostile()>'
/** Command that a script or a command to paste may contain only as a quoted spec. */
export const PLANTED_COMMAND = `touch ${PLANTED_FILE}`

const TEXTS = [
  // Characters that end a text, a line or a quotation, or that a terminal interprets.
  '', ' ', '\0', '\n', '\r\nX-Hostile: 1', '\t', '"', "'", '\\', '`', '$', '\u001b[2J\u001b]0;hostile\u0007',
  '\u009b31m', '\u007f', '\u202Ehostile\u2066', '\u200f', '\u2028', '\ud800', '\ufeff', '\uFDFD'.repeat(30),
  // Commands and directives.
  `\n${PLANTED_COMMAND}\n`, `'; ${PLANTED_COMMAND} #`, `"; ${PLANTED_COMMAND} #`, `$(${PLANTED_COMMAND})`,
  `\`${PLANTED_COMMAND}\``, `x\nExecStartPre=+/bin/sh -c "${PLANTED_COMMAND}"`, 'x; } include /etc/passwd; {',
  // Markup, formulas and templates.
  PLANTED_MARKUP, `</script>${PLANTED_MARKUP}`, `"${PLANTED_MARKUP}`, `[x](javascript:hostile()) ${PLANTED_MARKUP}`,
  '=1+1', '{{constructor}}', '%s%n',
  // Paths, options, names of properties, and texts that look like values.
  '%00', '%2e%2e%2f', '..', '.', '/', '../../hostile-file', '/dev/zero', '/etc/passwd', 'nginx:tcp/../../x.js',
  'http://a@b/', '--help', '-e', '__proto__', 'constructor', 'toString', 'NaN', 'Infinity', '-Infinity', '1e999', '-1',
  '0x10', '9007199254740993', 'null', 'undefined', '[object Object]', '2024-13-45T99:99:99Z'
]
/** Lengths of long texts. */
const LONG = [10_000, 100_000, 1_000_000]
const NUMBERS = [-1, 0, 0.5, 1e-320, 1e21, 1e308, -1e308, Number.MAX_SAFE_INTEGER, 2 ** 31, 2 ** 32, 1e5, NaN, INFINITE]
/** Numbers of items that are added to an array. */
const MANY = [2, 30, 1000]

/** Returns one or two of TEXTS, or a long text. @type {(random: Random) => string} */
export function hostileText (random) {
  if (random.chance(0.03)) return random.pick(['x', '/', ' ', '"', '\u202e', 'ab ']).repeat(random.pick(LONG))
  return random.chance(0.2) ? random.pick(TEXTS) + random.pick(TEXTS) : random.pick(TEXTS)
}

/**
 * Inserts a hostile text into a valid one, so that the result passes patterns that match only a part of the text.
 * @param {Random} random
 * @param {string} text
 */
export function spoil (random, text) {
  const at = random.pick([0, text.length, random.below(text.length + 1)])
  return text.slice(0, at) + hostileText(random) + text.slice(at)
}

/** Returns a value of any type. @type {(random: Random) => unknown} */
function hostileValue (random) {
  switch (random.below(7)) {
    case 0: return random.pick(NUMBERS)
    case 1: return random.pick([null, true, false])
    case 2: return random.pick([[], {}, [[]], [null], { '': null }])
    case 3: return random.pick(Object.values(NESTED))
    default: return hostileText(random)
  }
}

/**
 * Lists the paths of all parts of a value.
 * @param {any} value
 * @param {string[]} [path]
 * @returns {string[][]}
 */
export const pathsIn = (value, path = []) => [
  path,
  ...value && typeof value === 'object' ? Object.keys(value).flatMap(key => pathsIn(value[key], [...path, key])) : []
]

/**
 * @typedef {object} Mutated
 * @property {any} value
 * @property {string} mutation the changes, in one line
 */

/**
 * Changes one to three parts of a value.
 * @param {Random} random
 * @param {unknown} valid JSON
 * @param {string[][]} [paths] of the parts that may be changed; left out: all
 * @returns {Mutated}
 */
export function mutate (random, valid, paths = pathsIn(valid)) {
  const value = structuredClone(valid)
  const times = 1 + Number(random.chance(0.3)) + Number(random.chance(0.1))
  const box = { value }
  const mutation = Array.from({ length: times }, () => change(random, box, random.pick(paths)))
  return { value: box.value, mutation: mutation.join('; ') }
}

/**
 * Replaces or changes the part of a value at a path.
 * @param {Random} random
 * @param {{ value: any }} box contains the value, so that the whole value can be replaced too
 * @param {string[]} path
 * @returns {string} description of the change
 */
function change (random, box, path) {
  const keys = ['value', ...path]
  const key = /** @type {string} */ (keys.pop())
  const parent = keys.reduce((/** @type {any} */ at, part) => at?.[part], box)
  // An earlier change has removed this part.
  if (parent === null || typeof parent !== 'object') return `${path.join('.')} is gone`
  const old = parent[key]
  const set = (/** @type {unknown} */ next) => {
    Object.defineProperty(parent, key, { value: next, enumerable: true, writable: true, configurable: true })
    return `${path.join('.') || 'all'} = ${shorten(next)}`
  }
  if (typeof old === 'string' && random.chance(0.6)) return set(spoil(random, old))
  if (typeof old === 'number' && random.chance(0.5)) return set(random.pick([...NUMBERS, -old, old * 1e6, String(old)]))
  if (old && typeof old === 'object' && random.chance(0.6)) return changeEntries(random, old, path)
  return set(hostileValue(random))
}

/**
 * Repeats, removes or adds an entry of an object or an array.
 * @param {Random} random
 * @param {any} object object or array
 * @param {string[]} path of the object, for the description
 * @returns {string} description of the change
 */
function changeEntries (random, object, path) {
  const keys = Object.keys(object)
  const key = keys.length > 0 ? random.pick(keys) : ''
  const name = [...path, key].join('.')
  if (Array.isArray(object) && random.chance(0.5)) {
    const times = random.pick(MANY)
    const item = object[Number(key)] ?? 0
    // All items are the same object, so that many large items take no memory here.
    object.push(...Array.from({ length: times }, () => item))
    return `${name} ${times} times more`
  }
  if (random.chance(0.4)) {
    // Not splice(), which would call a constructor that an earlier change has planted.
    if (Array.isArray(object)) object.copyWithin(Number(key), Number(key) + 1).pop()
    else delete object[key]
    return `${name} removed`
  }
  const added = random.pick(['__proto__', 'constructor', 'toString', hostileText(random).slice(0, 200)])
  const value = random.chance(0.5) ? object[key] : hostileValue(random)
  Object.defineProperty(object, added, { value, enumerable: true, writable: true, configurable: true })
  return `${[...path, shorten(added)].join('.')} added`
}

/**
 * Serializes a mutated value. Replaces the placeholders by texts that JSON.stringify cannot write.
 * @param {unknown} value
 * @returns {string}
 */
export const toJson = value => String(JSON.stringify(value))
  .replaceAll(`"${INFINITE}"`, '1e999')
  .replaceAll(`"${NESTED.array}"`, `${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`)
  .replaceAll(`"${NESTED.object}"`, `${'{"x":'.repeat(LEVELS)}0${'}'.repeat(LEVELS)}`)

/** Describes a value in one line of limited length. @param {unknown} value */
export function shorten (value) {
  const text = String(typeof value === 'object' && value !== null ? typeof value : JSON.stringify(value))
  return text.length > 90 ? `${text.slice(0, 90)}… (${text.length})` : text
}
