/** Compares the measured configuration of a topology with the recommended one, directive by directive. */
import { getProgramKey } from '../../../shared/releases.js'
import { describeAtHome } from '../../../topology/describe/recommended-config.js'
import { groupBy } from '../../../shared/group-by.js'
import { joinSections, toStyle, wrap } from '../../../report/wrap.js'

/** @import { ConfigSyntax, ProxyDescription, ProxyPlugin, ProxyProgram, Topology } from '../../../types.js' */

/** A directive that only one of two configurations has.
 * @typedef {{ only: 'measured' | 'recommended', text: string }} ConfigChange */
/** Directives that differ for one reason. name: their first words; reason: null: not written down
 * @typedef {{ name: string, measured: string[], recommended: string[], reason: string | null }} ConfigDifference */
/** title: of the program @typedef {{ title: string, differences: ConfigDifference[] }} ConfigExplanation */

/**
 * Renders both configurations for the same server, and explains where they differ.
 * @param {Topology} topology
 * @param {{ clients: number, programs: Map<string, ProxyProgram> }} options
 * @returns {ConfigExplanation[]} of the proxy, and of a proxy in the server's place
 * @throws {HopbenchError} bad-option
 */
export function explainConfig (topology, { clients, programs }) {
  // Modules are looked up where a package installs them, so that their folders on this machine are no difference.
  const installed = new Map([...programs].map(([name, program]) => [name, {
    ...program, modules: program.modules && { ...program.modules, folder: program.modules.installed }
  }]))
  const measured = describeAtHome(topology, { clients, programs: installed }, 'measure')
  const recommended = describeAtHome(topology, { clients, programs: installed }, 'home')
  const { proxy, server } = topology
  const explain = (/** @type {Topology['proxy' | 'server']} */ hop, /** @type {'proxy' | 'origin'} */ role) => {
    const plugin = hop && installed.get(getProgramKey(hop))?.plugin
    const [before, after] = [measured[role], recommended[role]]
    if (!plugin?.explain || !before || !after) return []
    return [{ title: plugin.about.title, differences: toDifferences(plugin.explain, before, after) }]
  }
  return [...explain(proxy, 'proxy'), ...explain(server, 'origin')]
}

/**
 * @param {NonNullable<ProxyPlugin['explain']>} explain
 * @param {ProxyDescription} measured
 * @param {ProxyDescription} recommended
 * @returns {ConfigDifference[]}
 */
function toDifferences ({ syntax, reasons }, measured, recommended) {
  const changes = [
    ...Object.entries(syntax).flatMap(([file, kind]) => compareDirectives(
      readDirectives(measured.files[file] ?? '', kind), readDirectives(recommended.files[file] ?? '', kind))),
    ...compareDirectives(readArguments(measured.argv), readArguments(recommended.argv))
  ]
  const toTexts = (/** @type {ConfigChange[]} */ all, /** @type {ConfigChange['only']} */ side) =>
    all.filter(({ only }) => only === side).map(({ text }) => text)
  return [...groupBy(changes, ({ text }) => findName(text, reasons) ?? text)].map(([name, all]) => ({
    name,
    measured: toTexts(all, 'measured'),
    recommended: toTexts(all, 'recommended'),
    reason: reasons[name] ?? null
  }))
}

/**
 * Returns the longest name in the reasons with which a directive begins.
 * @param {string} text
 * @param {Record<string, string>} reasons
 * @returns {string | null}
 */
const findName = (text, reasons) =>
  Object.keys(reasons).filter(name => text.startsWith(name) && !/^[\w-]/.test(text.slice(name.length)))
    .sort((a, b) => b.length - a.length)[0] ?? null

/**
 * @typedef {object} Directive
 * @property {string} text in one line
 * @property {Directive[] | null} inner of a block; null: not a block
 */

/** @typedef {Exclude<ConfigSyntax, 'indents'>} LineSyntax in which lines mark the begin and the end of a block */

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
const MIN_COMMON = 3

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
  const pairs = pairBlocks(measured, recommended)
  const paired = new Set(pairs.flat())
  const toLeaves = (/** @type {Directive[]} */ list) =>
    list.filter(({ inner }) => inner === null).map(({ text }) => text)
  const toAlone = (/** @type {Directive[]} */ list, /** @type {ConfigChange['only']} */ only) =>
    list.filter(one => one.inner !== null && !paired.has(one)).map(block => ({ only, text: closeBlock(block) }))
  return [
    ...compareTexts(toLeaves(measured), toLeaves(recommended)),
    ...pairs.flatMap(([before, after]) => [
      ...compareTexts([before.text], [after.text]),
      ...compareDirectives(before.inner ?? [], after.inner ?? [])
    ]),
    ...toAlone(recommended, 'recommended'),
    ...toAlone(measured, 'measured')
  ]
}

/**
 * @param {string[]} measured
 * @param {string[]} recommended
 * @returns {ConfigChange[]} without the texts that are in both
 */
const compareTexts = (measured, recommended) => [
  ...without(recommended, measured).map(text => ({ only: /** @type {const} */ ('recommended'), text })),
  ...without(measured, recommended).map(text => ({ only: /** @type {const} */ ('measured'), text }))
]

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
    return common >= MIN_COMMON ? [{ before, after, common }] : []
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

/** Most directives of a difference that are printed whole. Of more, the first one and the names of the others are. */
const MAX_WHOLE = 4

/** @param {ConfigDifference} difference */
const isForProduction = ({ recommended }) => recommended.length > 0

/**
 * @param {ConfigExplanation[]} explanations of the proxy, and of a proxy in the server's place
 * @param {{ spec: string, columns?: number }} options spec: topology
 */
export function explainText (explanations, { spec, columns }) {
  const width = toStyle(columns).columns
  const count = explanations.flatMap(({ differences }) => differences)
    .flatMap(({ measured, recommended }) => [...measured, ...recommended]).length
  return joinSections([
    wrap(`${spec}: ${count} directives are only in the measured (-) or only in the recommended configuration (+).`,
      width),
    ...explanations.flatMap(({ title, differences }) => [
      ...titledList(`${title}, for production:`, differences.filter(isForProduction), width),
      ...titledList(`${title}, for the measurement only:`, differences.filter(one => !isForProduction(one)), width)
    ])
  ])
}

/**
 * Prints differences under a title, those with the same reason together.
 * @param {string} title
 * @param {ConfigDifference[]} differences
 * @param {number} width
 * @returns {string[][]}
 */
function titledList (title, differences, width) {
  if (differences.length === 0) return []
  const toLines = (/** @type {string[][]} */ texts, /** @type {string} */ first) =>
    wrap(texts.flatMap(shorten), width, { first, rest: '    ' })
  const groups = groupBy(differences, ({ reason }) => reason ?? 'The reason is not written down.')
  return [[title], ...[...groups].map(([reason, group]) => [
    ...toLines(group.map(({ measured }) => measured), '- '),
    ...toLines(group.map(({ recommended }) => recommended), '+ '),
    ...wrap(reason, width, { first: '    ' })
  ])]
}

/**
 * Shortens many directives that differ in one word only.
 * @param {string[]} texts
 */
function shorten (texts) {
  if (texts.length <= MAX_WHOLE) return texts
  const words = texts.map(text => text.split(/[\s;]+/))
  const varying = words[0].findIndex((spec, i) => words.some(other => other[i] !== spec))
  return [texts[0], `… and the same with ${words.slice(1).map(list => list[varying]).join(', ')}`]
}
