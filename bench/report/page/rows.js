/** Charts with a row for each arm or pair: names on the left where there is room for them, else above what is drawn.
 * @import { Markish } from '@observablehq/plot' */
import * as Plot from '@observablehq/plot'

const ROOM_FOR_NAMES = 500 // Charts narrower than this have names above their rows.
export const LETTER_WIDTH = 6.6 // Of a letter at the size in page.css, somewhat generous.
const ROW_HEIGHT = { beside: 34, above: 48 }

/** @typedef {object} Rows
 * @property {number} height of the chart
 * @property {boolean} beside names stand beside their rows, and not above them
 * @property {number} marginLeft
 * @property {{ axis: null, domain: [number, number] }} y scale in rows: row 0 on top, each from -0.5 to 0.5 around its
 * number
 * @property {Markish[]} names
 * @property {number} drop by so many rows what is drawn lies lower than the middle of its row */

/** @param {string[]} names from the top @param {number} width of the chart, in pixels @returns {Rows} */
export function rowsOf (names, width) {
  const longest = Math.max(0, ...names.map(name => name.length)) * LETTER_WIDTH + 12
  const beside = width >= ROOM_FOR_NAMES && longest < width * 0.45
  const at = names.map((name, row) => ({ name, row }))
  const text = beside
    ? Plot.text(at, { y: 'row', text: 'name', frameAnchor: 'left', textAnchor: 'end', dx: -10 })
    : Plot.text(at, { y: row => row.row - 0.32, text: 'name', frameAnchor: 'left', textAnchor: 'start' })
  return {
    height: names.length * (beside ? ROW_HEIGHT.beside : ROW_HEIGHT.above) + 50,
    beside,
    marginLeft: beside ? longest : 8,
    y: { axis: null, domain: [names.length - 0.5, -0.5] },
    names: [text],
    drop: beside ? 0 : 0.1
  }
}
