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

/** Escapes text from other programs, so that it is not markup. */
export const cell = (/** @type {string} */ text) =>
  text.replace(/[\\`*_[\]<>|~]/g, letter => letter === '<' ? '&lt;' : `\\${letter}`).replace(/\s+/g, ' ')
