/** Text within a number of columns, and the style of a terminal. */
import pc from 'picocolors'
import stringWidth from 'string-width'
import { plain as withoutSequences } from '../errors.js'

/** @import { Colors } from 'picocolors/types.js' */

/**
 * @typedef {object} Style
 * @property {number} columns of the terminal
 * @property {Colors} colors
 */

const MIN_COLUMNS = 40 // Tables are illegible in fewer columns.
const DEFAULT_COLUMNS = 80
const MIN_ROOM = 8
/** Letters of one text that are printed: more than any sentence has, and few enough to be wrapped at once. */
const MAX_LETTERS = 5000
/** Letters of one word that are printed: more than any topology or path has. */
const MAX_LETTERS_OF_WORD = 500
const NO_BREAK_SPACE = '\u00a0'

/**
 * Returns the style of a terminal.
 * @param {number} [columns]
 * @param {boolean} [color]
 * @returns {Style}
 */
export const toStyle = (columns, color = false) =>
  ({ columns: Math.max(MIN_COLUMNS, columns || DEFAULT_COLUMNS), colors: pc.createColors(color) })

/**
 * Joins sections by empty lines and leaves out empty sections.
 * @param {string[][]} sections lines of each
 * @returns {string} ends with a line break
 */
export const joinSections = sections =>
  sections.filter(lines => lines.length > 0).map(lines => lines.join('\n')).join('\n\n') + '\n'

/** Removes the sentences whose condition failed, as in `[isOld && 'The price is old.']`. */
export const compact = (/** @type {(string | false | null | undefined)[]} */ sentences) =>
  sentences.filter(sentence => typeof sentence === 'string')

/**
 * Returns text in one line without control characters, because names and reasons can come from other programs.
 * @param {string} text
 */
export function toPlainLine (text) {
  const line = withoutSequences(text.slice(0, 2 * MAX_LETTERS).replace(/[\n\v\f\r\u0085\u2028\u2029]+/g, ' '))
  return line.length > MAX_LETTERS ? `${line.slice(0, MAX_LETTERS)}…` : line
}

/**
 * Wraps each text at spaces. Breaks a longer word, such as a topology, between its parts.
 * @param {string | string[]} texts
 * @param {number} width most columns of a line
 * @param {{ first?: string, rest?: string }} [indents] prefix of the first line of each text, and of its other lines
 * @returns {string[]} lines
 */
export function wrap (texts, width, { first = '', rest = first.replace(/./gu, ' ') } = {}) {
  const [firstRoom, room] = [first, rest].map(indent => Math.max(MIN_ROOM, width - getWidth(indent)))
  return [texts].flat().flatMap(text => {
    const words = glue(toPlainLine(text)).split(' ').filter(Boolean).flatMap(word => breakWord(word, room))
    return fillLines(words, firstRoom, room).map((line, i) =>
      (i === 0 ? first : rest) + line.replaceAll(NO_BREAK_SPACE, ' '))
  })
}

/**
 * Fills lines with words.
 * @param {string[]} words
 * @param {number} firstRoom columns of the first line
 * @param {number} room columns of the other lines
 * @returns {string[]} lines; without a word an empty one
 */
function fillLines (words, firstRoom, room) {
  const lines = ['']
  let left = firstRoom
  for (const word of words) {
    const line = lines[lines.length - 1]
    const width = getWidth(word)
    if (line === '') {
      lines[lines.length - 1] = word
      left -= width
    } else if (width < left) {
      lines[lines.length - 1] = `${line} ${word}`
      left -= width + 1
    } else {
      lines.push(word)
      left = room - width
    }
  }
  return lines
}

/** @type {(text: string, style: Style) => string[]} */
export const heading = (text, { columns, colors }) => wrap(text, columns).map(line => colors.bold(line))

/**
 * Prints a heading above lines. Prints nothing if there are no lines.
 * @param {string} title empty: the lines have no heading
 * @param {string[]} lines
 * @param {Style} style
 */
export const titled = (title, lines, style) =>
  lines.length === 0 || title === '' ? lines : [...heading(title, style), ...lines]

/**
 * Wraps each text as an item of a list.
 * @param {string[]} texts
 * @param {Style} style
 */
export const wrapItems = (texts, { columns }) => wrap(texts, columns, { first: '- ' })

/**
 * Breaks a word into pieces of at most `room` columns.
 * @param {string} word
 * @param {number} room
 * @returns {string[]}
 */
export function breakWord (word, room) {
  if (word.length <= room && isPlainAscii(word)) return [word]
  const letters = [...word]
  if (letters.length > MAX_LETTERS_OF_WORD) letters.splice(MAX_LETTERS_OF_WORD, Infinity, '…')
  /** @type {string[]} */
  const pieces = []
  for (let from = 0; from < letters.length;) {
    const end = findBreak(letters, from, room)
    pieces.push(letters.slice(from, end).join(''))
    from = end
  }
  return pieces
}

/**
 * Returns the index after a piece. Prefers a break before an option or after a hop in the second half, then one after
 * punctuation.
 * @param {string[]} letters
 * @param {number} from first letter of the piece
 * @param {number} room
 */
function findBreak (letters, from, room) {
  let end = from + 1
  for (let width = getWidth(letters[from]); end < letters.length; end++) {
    width += getWidth(letters[end])
    if (width > room) break
  }
  if (end === letters.length) return end
  const findLast = (/** @type {(index: number) => boolean} */ isJoint) => {
    for (let index = end; index > (from + end) / 2; index--) if (isJoint(index)) return index
  }
  return findLast(index => '+@'.includes(letters[index]) || letters[index - 1] === '/') ??
    findLast(index => '-_.:,='.includes(letters[index - 1])) ?? end
}

const isPlainAscii = (/** @type {string} */ text) => /^[ -~]*$/.test(text)

/** Returns the columns of a text. Avoids the slow library for most texts. @param {string} text */
const getWidth = text => isPlainAscii(text) ? text.length : stringWidth(text)

/** Joins a number to its unit, a program to its version and an option to its value by a no-break space. */
const glue = (/** @type {string} */ text) => text
  .replace(/(\d) (?=(%|s|min|h|µs|MiB|req\/s)(?![\w/]))/g, `$1${NO_BREAK_SPACE}`)
  .replace(/ (?=\d+\.\d+\.\d)/g, NO_BREAK_SPACE)
  .replace(/(?<=--[a-z]+) (?=\w)/g, NO_BREAK_SPACE)
