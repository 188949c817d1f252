/** Text that keeps within a number of columns. */

/**
 * What a terminal would obey rather than show has no place in a report: names and reasons come from outside.
 * @param {string} text
 */
// eslint-disable-next-line no-control-regex
export const plain = text => text.replace(/\x1b\[[0-9;?]*[ -/]*[@-~]/g, '').replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')

/**
 * Lines of at most `width` characters, broken at spaces; a longer word is broken as a topology is, at its joints.
 * @param {string} text
 * @param {number} width
 * @param {{ first?: string, rest?: string }} [indents] what the first line and the others start with
 * @returns {string[]}
 */
export function wrap (text, width, { first = '', rest = first.replace(/./gu, ' ') } = {}) {
  /** @type {string[]} */
  const lines = []
  let line = first
  let empty = true
  const room = Math.max(8, width - rest.length)
  for (const word of glued(plain(text)).split(' ').filter(Boolean).flatMap(word => breakWord(word, room))) {
    if (!empty && length(line) + 1 + length(word) > width) {
      lines.push(line)
      line = rest
      empty = true
    }
    line += (empty ? '' : ' ') + word
    empty = false
  }
  return [...lines, line].map(text => text.replaceAll(GLUE, ' '))
}

/**
 * @param {string} word
 * @param {number} room
 * @returns {string[]} the pieces, each at most `room` long
 */
export function breakWord (word, room) {
  const letters = [...word]
  if (letters.length <= room) return [word]
  const end = joint(letters, room)
  return [letters.slice(0, end).join(''), ...breakWord(letters.slice(end).join(''), room)]
}

/** Where to break: between two hops or options if there is such a place in the second half, else within a name. @type {(letters: string[], room: number) => number} */
function joint (letters, room) {
  const last = (/** @type {(index: number) => boolean} */ isJoint) => {
    for (let index = room; index >= room / 2; index--) if (isJoint(index)) return index
  }
  return last(index => '+@'.includes(letters[index]) || letters[index - 1] === '/') ??
    last(index => '-_.:,='.includes(letters[index - 1])) ?? room
}

/** A number stays with its unit, a program with its version, an option with its value. */
const glued = (/** @type {string} */ text) => text
  .replace(/(\d) (?=(%|s|min|h|µs|MiB|req\/s)(?![\w/]))/g, `$1${GLUE}`)
  .replace(/ (?=\d+\.\d+\.\d)/g, GLUE)
  .replace(/(?<=--[a-z]+) (?=\w)/g, GLUE)
const GLUE = '\u00a0'

/** Characters as a terminal counts them, nearly: report text has no wide ones of its own. */
const length = (/** @type {string} */ text) => [...text].length

/** One letter for one, so that what was aligned stays aligned. @type {Record<string, string>} */
const ASCII = { '–': '-', '—': '-', µ: 'u', '×': 'x', '…': '~', '≥': '>', '≤': '<', '±': '~', '“': '"', '”': '"', '’': '\'', '█': '#' }

/** For terminals that show nothing else. */
export const toAscii = (/** @type {string} */ text) => text.replace(/[–—µ×…≥≤±“”’█]/g, letter => ASCII[letter])
