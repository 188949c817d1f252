/** Rows as CSV (RFC 4180), for spreadsheets (pure). */

/** @typedef {string | { key: string, header: string }} Column key: path of a property, as in rps.median */

/** Beginnings of a text that a spreadsheet would evaluate as a formula, in ASCII and in full width. */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/

/** @param {unknown} value */
function toField (value) {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value)
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Returns a property, or undefined if an object on the path is missing.
 *
 * @param {any} row
 * @param {string} path
 */
const getValue = (row, path) => path.split('.').reduce((value, key) => value?.[key], row)

/**
 * Prints a heading and a line for each row.
 *
 * @param {object[]} rows
 * @param {readonly Column[]} columns
 */
export function toCsv (rows, columns) {
  const specs = columns.map(column => typeof column === 'string' ? { key: column, header: column } : column)
  const lines = [specs.map(({ header }) => header), ...rows.map(row => specs.map(({ key }) => getValue(row, key)))]
  return lines.map(fields => `${fields.map(toField).join(',')}\n`).join('')
}
