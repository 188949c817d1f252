/** Text within a number of columns, and the style of a terminal. */
import pc from 'picocolors'
import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'

/** @import { Colors } from 'picocolors/types.js' */

/**
 * @typedef {object} Style
 * @property {number} columns of the terminal
 * @property {Colors} colors
 */

const LEAST_COLUMNS = 40 // Tables are illegible in fewer columns.
const DEFAULT_COLUMNS = 80
const LEAST_ROOM = 8
const NO_BREAK_SPACE = '\u00a0'

/**
 * Returns the style of a terminal.
 * @param {number} [columns]
 * @param {boolean} [color]
 * @returns {Style}
 */
export const toStyle = (columns, color = false) =>
  ({ columns: Math.max(LEAST_COLUMNS, columns || DEFAULT_COLUMNS), colors: pc.createColors(color) })

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

/** Removes terminal control sequences, because names and reasons can come from other programs. */
export const plain = (/** @type {string} */ text) =>
  // eslint-disable-next-line no-control-regex
  text.replace(/\x1b\[[0-9;?]*[ -/]*[@-~]/g, '').replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')

/**
 * Wraps each text at spaces. Breaks a longer word, such as a topology, between its parts.
 * @param {string | string[]} texts
 * @param {number} width most columns of a line
 * @param {{ first?: string, rest?: string }} [indents] prefix of the first line of each text, and of its other lines
 * @returns {string[]} lines
 */
export function wrap (texts, width, { first = '', rest = first.replace(/./gu, ' ') } = {}) {
  const room = Math.max(LEAST_ROOM, width - stringWidth(rest))
  return [texts].flat().flatMap(text => {
    const words = glue(plain(text)).split(' ').filter(Boolean).flatMap(word => breakWord(word, room)).join(' ')
    const [head] = wrapAnsi(words, Math.max(LEAST_ROOM, width - stringWidth(first))).split('\n')
    const tail = words.slice(head.length + 1)
    const lines = tail === '' ? [] : wrapAnsi(tail, room).split('\n').map(line => rest + line)
    return [first + head, ...lines].map(line => line.replaceAll(NO_BREAK_SPACE, ' '))
  })
}

/** @type {(text: string, style: Style) => string[]} */
export const heading = (text, { columns, colors }) => wrap(text, columns).map(line => colors.bold(line))

/**
 * Prints a heading above lines. Prints nothing if there are no lines.
 * @param {string} title
 * @param {string[]} lines
 * @param {Style} style
 */
export const titled = (title, lines, style) => lines.length === 0 ? [] : [...heading(title, style), ...lines]

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
  if (stringWidth(word) <= room) return [word]
  const letters = [...word]
  const end = findBreak(letters, room)
  return [letters.slice(0, end).join(''), ...breakWord(letters.slice(end).join(''), room)]
}

/**
 * Returns the number of letters of the first piece. Prefers a break before an option or after a hop in the second half,
 * then one after punctuation.
 * @param {string[]} letters
 * @param {number} room
 */
function findBreak (letters, room) {
  let fitting = 0
  for (let width = stringWidth(letters[0]); width <= room; width += stringWidth(letters[fitting])) fitting++
  fitting = Math.max(1, fitting)
  const findLast = (/** @type {(index: number) => boolean} */ isJoint) => {
    for (let index = fitting; index >= fitting / 2; index--) if (isJoint(index)) return index
  }
  return findLast(index => '+@'.includes(letters[index]) || letters[index - 1] === '/') ??
    findLast(index => '-_.:,='.includes(letters[index - 1])) ?? fitting
}

/** Joins a number to its unit, a program to its version and an option to its value by a no-break space. */
const glue = (/** @type {string} */ text) => text
  .replace(/(\d) (?=(%|s|min|h|µs|MiB|req\/s)(?![\w/]))/g, `$1${NO_BREAK_SPACE}`)
  .replace(/ (?=\d+\.\d+\.\d)/g, NO_BREAK_SPACE)
  .replace(/(?<=--[a-z]+) (?=\w)/g, NO_BREAK_SPACE)
