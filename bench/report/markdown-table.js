/** Parts of Markdown: escaped text and tables (pure). */

/**
 * @param {{ head: { text: string, numeric?: boolean }[], rows: string[][] }} table
 * @returns {string[]} lines
 */
export const markdownTable = ({ head, rows }) => [
  row(head.map(({ text }) => text)),
  row(head.map(({ numeric }) => numeric ? '---:' : '---')),
  ...rows.map(row)
]

const row = (/** @type {string[]} */ cells) => `| ${cells.map(cell).join(' | ')} |`

/** Characters of HTML, which Markdown reads as markup and entities. @type {Record<string, string>} */
const ENTITIES = { '<': '&lt;', '&': '&amp;' }

/** Escapes text from other programs, so that it is not markup. */
export const cell = (/** @type {string} */ text) =>
  text.replace(/[\\`*_[\]<>|~&]/g, letter => ENTITIES[letter] ?? `\\${letter}`).replace(/\s+/g, ' ')
