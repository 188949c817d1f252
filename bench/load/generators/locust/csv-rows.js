/** Reads CSV (RFC 4180, pure). */

/** A field with or without quotes, and the separator after it. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y

/**
 * Reads all rows, without empty lines. Every row must have as many fields as the first one.
 *
 * @param {string} text
 * @returns {string[][]}
 * @throws {TypeError} a quote is missing, or a row has another number of fields
 */
export function readCsv (text) {
  /** @type {string[][]} */
  const rows = []
  /** @type {string[]} */
  let row = []
  for (let at = 0; at < text.length || row.length > 0;) {
    FIELD.lastIndex = at
    const field = FIELD.exec(text)
    if (!field) throw new TypeError(`line ${rows.length + 1} of the CSV has a wrong quote`)
    const [whole, quoted, plain, separator] = field
    at += whole.length
    row.push(quoted?.replaceAll('""', '"') ?? plain)
    if (separator === ',') continue
    if (row.length > 1 || whole.trim() !== '') rows.push(row)
    row = []
  }
  const uneven = rows.findIndex(({ length }) => length !== rows[0].length)
  if (uneven >= 0) throw new TypeError(`line ${uneven + 1} of the CSV has ${rows[uneven].length} fields`)
  return rows
}
