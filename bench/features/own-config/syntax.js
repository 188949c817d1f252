/** Reads nginx's configuration files as lists of directives with their lines, by the rules of nginx's lexer (pure). */

/** @import { Directive } from './types.js' */

const SPACE = /\s/
/** Escape sequences by the sign after the backslash. */
const ESCAPES = new Map([['t', '\t'], ['r', '\r'], ['n', '\n'], ['"', '"'], ["'", "'"], ['\\', '\\']])
/** Depth of blocks beyond which a text is not read, because nginx itself has no such contexts. */
const MAX_DEPTH = 50

/**
 * Returns the directives of a file. Reads any text: what nginx would reject is left out.
 * @param {string} text
 * @param {string} file path in the room
 * @returns {Directive[]}
 */
export function parseConfig (text, file) {
  const reader = { text, at: 0, line: 1 }
  /** @type {Directive[]} */
  const top = []
  /** @type {Directive[]} */
  const open = []
  /** @type {Directive | null} */
  let current = null
  for (let token = readToken(reader); token; token = readToken(reader)) {
    const siblings = open.at(-1)?.children ?? top
    if (token.kind === 'word') {
      const { value, from, to, line } = token
      if (!current) current = { name: value, args: [], file, line, from, to }
      else current.args.push({ value, from, to })
    } else if (token.kind === '}') {
      const block = open.pop()
      if (block) block.to = token.to
      current = null
    } else if (current) {
      current.to = token.to
      siblings.push(current)
      if (token.kind === '{') {
        current.children = []
        if (open.push(current) > MAX_DEPTH) return top
      }
      current = null
    }
  }
  return top
}

/**
 * @typedef {object} Token
 * @property {'word' | ';' | '{' | '}'} kind
 * @property {string} value
 * @property {number} from offset in the text
 * @property {number} to
 * @property {number} line from 1
 */

/**
 * Reads the next token, and moves the reader behind it.
 * @param {{ text: string, at: number, line: number }} reader
 * @returns {Token | null}
 */
function readToken (reader) {
  skipBlank(reader)
  const { text, at: from, line } = reader
  if (from >= text.length) return null
  const first = text[from]
  if (first === ';' || first === '{' || first === '}') {
    reader.at++
    return { kind: first, value: first, from, to: reader.at, line }
  }
  const quote = first === '"' || first === "'" ? first : null
  if (quote) reader.at++
  let value = ''
  while (reader.at < text.length && !isEnd(reader, quote)) value += readSign(reader)
  if (quote) reader.at++
  return { kind: 'word', value, from, to: reader.at, line }
}

/** @param {Parameters<typeof readToken>[0]} reader */
function skipBlank (reader) {
  const { text } = reader
  while (reader.at < text.length) {
    if (text[reader.at] === '#') while (reader.at < text.length && text[reader.at] !== '\n') reader.at++
    else if (SPACE.test(text[reader.at])) readSign(reader)
    else return
  }
}

/**
 * Returns whether a word ends. A brace after "$" is part of a variable.
 * @param {Parameters<typeof readToken>[0]} reader
 * @param {string | null} quote
 */
function isEnd ({ text, at }, quote) {
  if (quote) return text[at] === quote
  return SPACE.test(text[at]) || text[at] === ';' || (text[at] === '{' && text[at - 1] !== '$')
}

/** Reads a sign, or a backslash with the next one. @param {Parameters<typeof readToken>[0]} reader */
function readSign (reader) {
  const sign = reader.text[reader.at++]
  if (sign === '\n') reader.line++
  if (sign !== '\\' || reader.at >= reader.text.length) return sign
  const next = reader.text[reader.at++]
  if (next === '\n') reader.line++
  return ESCAPES.get(next) ?? sign + next
}
