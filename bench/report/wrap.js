/** Text that keeps within a number of columns. */
import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'

/** What a terminal would obey rather than show has no place in a report: names and reasons come from outside.
 * @param {string} text */
// eslint-disable-next-line no-control-regex
export const plain = text => text.replace(/\x1b\[[0-9;?]*[ -/]*[@-~]/g, '').replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')

/** Lines of at most `width` columns, broken at spaces; a longer word is broken as a topology is, at its joints.
 * @param {string} text @param {number} width
 * @param {{ first?: string, rest?: string }} [indents] what the first line and the others start with
 * @returns {string[]} */
export function wrap (text, width, { first = '', rest = first.replace(/./gu, ' ') } = {}) {
  const room = Math.max(8, width - stringWidth(rest))
  const words = glued(plain(text)).split(' ').filter(Boolean).flatMap(word => breakWord(word, room)).join(' ')
  const [head] = wrapAnsi(words, Math.max(8, width - stringWidth(first))).split('\n')
  const others = words.slice(head.length + 1)
  return [first + head, ...others === '' ? [] : wrapAnsi(others, room).split('\n').map(line => rest + line)]
    .map(line => line.replaceAll(GLUE, ' '))
}

/** @param {string} word @param {number} room @returns {string[]} the pieces, each at most `room` columns wide */
export function breakWord (word, room) {
  if (stringWidth(word) <= room) return [word]
  const letters = [...word]
  const end = joint(letters, room)
  return [letters.slice(0, end).join(''), ...breakWord(letters.slice(end).join(''), room)]
}

/** Where to break: between two hops or options if there is such a place in the second half, else within a name.
 * @type {(letters: string[], room: number) => number} */
function joint (letters, room) {
  let fitting = 0
  for (let width = stringWidth(letters[0]); width <= room; width += stringWidth(letters[fitting])) fitting++
  fitting = Math.max(1, fitting)
  const last = (/** @type {(index: number) => boolean} */ isJoint) => {
    for (let index = fitting; index >= fitting / 2; index--) if (isJoint(index)) return index
  }
  return last(index => '+@'.includes(letters[index]) || letters[index - 1] === '/') ??
    last(index => '-_.:,='.includes(letters[index - 1])) ?? fitting
}

/** A number stays with its unit, a program with its version, an option with its value. */
const glued = (/** @type {string} */ text) => text
  .replace(/(\d) (?=(%|s|min|h|µs|MiB|req\/s)(?![\w/]))/g, `$1${GLUE}`)
  .replace(/ (?=\d+\.\d+\.\d)/g, GLUE)
  .replace(/(?<=--[a-z]+) (?=\w)/g, GLUE)
const GLUE = '\u00a0'

/** One letter for one, so that what was aligned stays aligned. @type {Record<string, string>} */
const ASCII = {
  '–': '-',
  '—': '-',
  µ: 'u',
  '×': 'x',
  '…': '~',
  '≥': '>',
  '≤': '<',
  '±': '~',
  '“': '"',
  '”': '"',
  '’': "'",
  '█': '#'
}

/** For terminals that show nothing else. */
export const toAscii = (/** @type {string} */ text) =>
  text.replace(/[–—µ×…≥≤±“”’█]/g, letter => ASCII[letter])
