/** Tables in Markdown (pure). */

/** @param {{ head: { text: string, numeric?: boolean }[], rows: string[][] }} table @returns {string[]} lines */
export const markdownTable = ({ head, rows }) => [
  row(head.map(({ text }) => text)),
  row(head.map(({ numeric }) => numeric ? '---:' : '---')),
  ...rows.map(row)
]

const row = (/** @type {string[]} */ cells) => `| ${cells.map(cell).join(' | ')} |`

/** Text from elsewhere is no markup here. */
export const cell = (/** @type {string} */ text) =>
  text.replace(/[\\`*_[\]<>|~]/g, letter => letter === '<' ? '&lt;' : `\\${letter}`).replace(/\s+/g, ' ')
