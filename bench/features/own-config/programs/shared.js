/** Parts of several programs: a reader of files with a directive in each line, decisions, remedies and edits (pure). */
import { findAll, getValue } from '../model.js'
import { addTo } from '../mend.js'

/** @import { Directive, OwnSubject } from '../types.js' */
/** @import { Edit, Texts } from '../mend.js' */

/** Signs of a file: line breaks, blanks with a break after a backslash, comments, texts of several lines, words. */
const SIGNS = [
  /\n/, /(?:[ \t\r\f\v]|\\\r?\n)+/, /(?<![^\s{}])#[^\n]*/, /<<(\w+)\n[^]*?\n[ \t]*\1\b/,
  /"(?:\\[^]|[^"\\])*"?/, /`[^`]*`?/, /'[^'\n]*'/, /(?:\\[^\n]|[^\s\\])+/, /[^]/
]
const SIGN = new RegExp(SIGNS.map(({ source }) => source).join('|'), 'g')
const QUOTES = /^(["'`])([^]*)\1$/

/**
 * Kind of a line: it opens a block, closes one, is a directive, or begins a section, which ends before the next one.
 * @typedef {'open' | 'close' | 'directive' | 'section'} LineKind
 */

/**
 * Returns the directives of a file.
 * @param {string} text
 * @param {string} file path in the room
 * @param {(words: string[]) => { kind: LineKind, isJoined?: boolean }} classify isJoined: the next line belongs to it
 * @returns {Directive[]}
 */
export function parseLines (text, file, classify) {
  /** @type {Directive[]} */
  const top = []
  /** @type {Directive[]} */
  let open = []
  /** @type {Directive['args']} */
  let words = []
  let line = 1
  let first = 1
  const endLine = () => {
    const { kind, isJoined } = classify(words.map(({ value }) => value))
    if (words.length === 0 || isJoined) return
    const [{ value: name, from }, ...args] = words
    const to = words[words.length - 1].to
    words = []
    if (kind === 'close') {
      const block = open.pop()
      if (block) block.to = to
      return
    }
    if (kind === 'section') open = []
    const siblings = open.at(-1)?.children ?? top
    siblings.push({ name, args, file, line: first, from, to, ...kind === 'directive' ? {} : { children: [] } })
    for (const block of open) if (kind === 'directive') block.to = to
    if (kind !== 'directive') open.push(siblings[siblings.length - 1])
  }
  for (const { 0: sign, index } of text.matchAll(SIGN)) {
    if (sign === '\n') endLine()
    else if (!/^(?:\s|\\\r?\n|#)/.test(sign)) {
      if (words.length === 0) first = line
      words.push({ value: sign.replace(QUOTES, '$2'), from: index, to: index + sign.length })
    }
    line += sign.split('\n').length - 1
  }
  endLine()
  return top
}

/** Returns the values of a directive. @param {Directive} directive */
export const toWords = ({ args }) => args.map(({ value }) => value)

/** Sentence about a restart that the proxy does not bridge. */
export const FAILING_RESTART =
  'Pages fail or take long while the processes of the app are restarted one after the other.'

/**
 * Returns the setting with which a configuration decides itself, or null: what it states is no failure.
 * @param {string} name of a directive anywhere
 */
export const findSetting = name => (/** @type {Pick<OwnSubject, 'tree'>} */ { tree }) => {
  const [found] = findAll(tree, name)
  return found ? `it sets ${name} ${getValue(found.directive)} itself (line ${found.directive.line})` : null
}

/**
 * Adds lines to the block of a directive, which gets one if it has none.
 * @param {Texts} texts
 * @param {Directive} directive
 * @param {string[]} lines
 * @returns {Edit[]}
 */
export function addInside (texts, directive, lines) {
  if (lines.length === 0) return []
  if (directive.children && directive.children.length > 0) return addTo(texts, directive, lines)
  const { file, from, to, children } = directive
  const text = texts.get(file) ?? ''
  const [indent] = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', from - 1) + 1)) ?? ['']
  const block = `{\n${lines.map(line => `${indent}\t${line}\n`).join('')}${indent}}`
  return children
    ? [{ file, from: text.lastIndexOf('{', to), to, text: block }]
    : [{ file, from: to, to, text: ` ${block}` }]
}

/**
 * Supplies the first thing that a text names as missing. Returns whether it was missing and is there now.
 * @param {string} text
 * @param {[supply: (name: string) => boolean, pattern: RegExp][]} remedies pattern: its group is the name
 */
export function supplyFirst (text, remedies) {
  for (const [supply, pattern] of remedies) {
    const [, name] = pattern.exec(text) ?? []
    if (name) return supply(name)
  }
  return false
}
