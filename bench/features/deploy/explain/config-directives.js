/** Reads the directives of a proxy's configuration, and compares two configurations (pure). */

/** @import { ConfigChange } from '../types.js' */
/** @import { ConfigSyntax } from '../../../types.js' */

/**
 * @typedef {object} Directive
 * @property {string} text in one line
 * @property {Directive[] | null} inner of a block; null: not a block
 */

/** @typedef {Exclude<ConfigSyntax, 'indents'>} LineSyntax whose lines say where a block begins and ends */

/**
 * Lines of each syntax. Comments are lines of their own, as in the templates.
 * @type {Record<LineSyntax, { isContinued: RegExp, opens: RegExp, closes: RegExp }>}
 */
const SYNTAXES = {
  // nginx and VCL: statements end with a semicolon. `C{` and `}C` enclose C in VCL.
  statements: { isContinued: /[^;{}]$(?<!\}C)/, opens: /\{$/, closes: /^\}/ },
  // Apache.
  tags: { isContinued: /\\$/, opens: /^<[^/]/, closes: /^<\// },
  // HAProxy: a line without indentation begins a section, which the next one ends.
  sections: { isContinued: /\\$/, opens: /^\S/, closes: /^\S/ },
  // Caddy.
  lines: { isContinued: /\\$/, opens: /\{$/, closes: /^\}/ }
}

/** Fewest lines that two blocks have in common if they are the same block. One line can be equal by chance. */
const FEWEST_COMMON = 3

/**
 * Reads a configuration that the templates rendered.
 * @param {string} text
 * @param {ConfigSyntax} syntax
 * @returns {Directive[]}
 */
export function readDirectives (text, syntax) {
  if (syntax === 'indents') return readIndented(text)
  const { opens, closes } = SYNTAXES[syntax]
  /** @type {Directive[]} */
  const top = []
  const open = [top]
  for (const line of joinLines(text, syntax)) {
    if (closes.test(line) && open.length > 1) open.pop()
    const inner = open[open.length - 1]
    if (opens.test(line)) {
      /** @type {Directive[]} */
      const block = []
      inner.push({ text: line.replace(/^\} */, ''), inner: block })
      open.push(block)
    } else if (!closes.test(line)) {
      inner.push({ text: line.trim(), inner: null })
    }
  }
  return top
}

/**
 * Reads a configuration in YAML, whose blocks are indented. Items of a list may have the indentation of its key.
 * @param {string} text
 */
function readIndented (text) {
  const lines = text.split('\n').filter(line => !/^\s*($|#)/.test(line))
    .map(line => ({ text: line.trim(), depth: line.search(/\S/) + (/^\s*- /.test(line) ? 1 : 0) }))
  /** @type {Directive[]} */
  const top = []
  const open = [{ depth: -1, inner: top }]
  for (const [i, { text, depth }] of lines.entries()) {
    while (open[open.length - 1].depth >= depth) open.pop()
    /** @type {Directive[] | null} */
    const inner = lines[i + 1]?.depth > depth ? [] : null
    open[open.length - 1].inner.push({ text, inner })
    if (inner) open.push({ depth, inner })
  }
  return top
}

/**
 * Returns the arguments of a program as directives: each option with its value.
 * @param {string[]} args
 * @returns {Directive[]}
 */
export const readArguments = args => args.flatMap((arg, i) => {
  if (!arg.startsWith('-')) return []
  const value = args[i + 1]?.startsWith('-') === false ? ` ${args[i + 1]}` : ''
  return [{ text: `${arg}${value}`, inner: null }]
})

/**
 * Returns the directives that only one of two configurations has. A block without a counterpart is one directive.
 * @param {Directive[]} measured
 * @param {Directive[]} recommended
 * @returns {ConfigChange[]} in the order of the recommended configuration, then of the measured one
 */
export function compareDirectives (measured, recommended) {
  const leavesOf = (/** @type {Directive[]} */ list) => list.filter(({ inner }) => inner === null)
  const pairs = pairBlocks(measured, recommended)
  const paired = new Set(pairs.flat())
  const alone = (/** @type {Directive[]} */ list) => list.filter(one => one.inner !== null && !paired.has(one))
    .map(closeBlock)
  const leaves = [leavesOf(measured), leavesOf(recommended)].map(list => list.map(({ text }) => text))
  return [
    ...without(leaves[1], leaves[0]).map(text => toChange('recommended', text)),
    ...without(leaves[0], leaves[1]).map(text => toChange('measured', text)),
    ...pairs.flatMap(([before, after]) => [
      ...before.text === after.text
        ? []
        : [toChange('recommended', after.text), toChange('measured', before.text)],
      ...compareDirectives(before.inner ?? [], after.inner ?? [])
    ]),
    ...alone(recommended).map(text => toChange('recommended', text)),
    ...alone(measured).map(text => toChange('measured', text))
  ]
}

/**
 * @param {ConfigChange['only']} only
 * @param {string} text
 * @returns {ConfigChange}
 */
const toChange = (only, text) => ({ only, text })

/** Returns a block in one line with its first directive only. @param {Directive} block */
function closeBlock ({ text, inner }) {
  const first = inner?.find(({ inner }) => inner === null)
  return [text, ...first ? [first.text] : [], '…', ...text.endsWith('{') ? ['}'] : []].join(' ')
}

/**
 * Returns the lines of a configuration without comments and empty lines, each directive in one line.
 * @param {string} text
 * @param {LineSyntax} syntax
 */
function joinLines (text, syntax) {
  const { isContinued } = SYNTAXES[syntax]
  /** @type {string[]} */
  const joined = []
  let begun = ''
  for (const line of text.split('\n')) {
    if (/^\s*($|#|\/\*)/.test(line)) continue
    const whole = begun === '' ? indented(line, syntax) : `${begun} ${line.trim()}`
    begun = isContinued.test(whole) ? whole.replace(/\s*\\$/, '') : ''
    if (begun === '') joined.push(whole)
  }
  return joined
}

/**
 * Keeps the indentation of a line only where it has a meaning.
 * @param {string} line
 * @param {LineSyntax} syntax
 */
const indented = (line, syntax) => syntax === 'sections' ? line.trimEnd() : line.trim()

/**
 * Removes each text as often as it is in another list.
 * @param {string[]} texts
 * @param {string[]} others
 */
function without (texts, others) {
  const left = [...others]
  return texts.filter(text => {
    const found = left.indexOf(text)
    if (found === -1) return true
    left.splice(found, 1)
    return false
  })
}

/**
 * Pairs the blocks of two configurations: those whose first line is in each of them once, and others that begin with
 * the same spec, those with the most common lines first.
 * @param {Directive[]} measured
 * @param {Directive[]} recommended
 * @returns {[Directive, Directive][]}
 */
function pairBlocks (measured, recommended) {
  const isOnly = (/** @type {Directive[]} */ list, /** @type {Directive} */ { text }) =>
    list.filter(other => other.text === text).length === 1
  const candidates = measured.flatMap(before => recommended.flatMap(after => {
    if (before.inner === null || after.inner === null || firstWord(before) !== firstWord(after)) return []
    const isSame = before.text === after.text && isOnly(measured, before) && isOnly(recommended, after)
    const common = isSame ? Infinity : countCommon(before, after)
    return common >= FEWEST_COMMON ? [{ before, after, common }] : []
  })).sort((a, b) => a.common === b.common ? 0 : b.common - a.common)
  const taken = new Set()
  /** @type {[Directive, Directive][]} */
  const pairs = []
  for (const { before, after } of candidates) {
    if (taken.has(before) || taken.has(after)) continue
    taken.add(before).add(after)
    pairs.push([before, after])
  }
  return pairs
}

/** @param {Directive} directive */
const firstWord = ({ text }) => text.split(/\s/, 1)[0]

/**
 * Counts the lines that two blocks have in common, the first lines included.
 * @param {Directive} a
 * @param {Directive} b
 */
function countCommon (a, b) {
  const [linesOfA, linesOfB] = [flatten(a), flatten(b)]
  return linesOfA.length - without(linesOfA, linesOfB).length
}

/**
 * @param {Directive} directive
 * @returns {string[]}
 */
const flatten = ({ text, inner }) => [text, ...(inner ?? []).flatMap(flatten)]
