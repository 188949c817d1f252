/** Reads configuration files in which a directive is a line, as lists of directives with their lines (pure). */

/** @import { Directive } from '../types.js' */

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
