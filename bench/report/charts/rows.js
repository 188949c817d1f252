/** Layout of charts with a row for each arm or pair: names beside their rows, or above them on a narrow chart. */
import * as Plot from '@observablehq/plot'

/** @import { Markish } from '@observablehq/plot' */

const MIN_WIDTH_BESIDE = 500 // Pixels; a narrower chart has names above its rows.
const MAX_SHARE_BESIDE = 0.45 // Share of the width for names beside their rows.
/** Pixels of one letter at the font size of page.css, rounded up. */
export const LETTER_WIDTH = 6.6
/** Hides grid lines behind a text. */
const HALO = { fill: 'currentColor', stroke: 'var(--paper)', strokeWidth: 4 }
const ROW_HEIGHT = { beside: 34, above: 48 }

/**
 * @param {string[]} names from the top
 * @param {number} width of the chart, in pixels
 * @returns {{ beside: boolean, names: Markish[], drop: number, frame: { height: number, marginLeft: number,
 * y: { axis: null, domain: [number, number] } } }} beside: whether names are beside their rows; drop: distance of the
 * drawing below the middle of its row, in rows; frame: options of the chart, in which y is a scale in rows, row 0 on
 * top, each from -0.5 to 0.5 around its number
 */
export function layOutRows (names, width) {
  const longest = Math.max(0, ...names.map(name => name.length)) * LETTER_WIDTH + 12
  const beside = width >= MIN_WIDTH_BESIDE && longest < width * MAX_SHARE_BESIDE
  const rows = names.map((name, row) => ({ name, row }))
  const text = beside
    ? Plot.text(rows, { y: 'row', text: 'name', frameAnchor: 'left', textAnchor: 'end', dx: -10, ...HALO })
    : Plot.text(rows, { y: ({ row }) => row - 0.32, text: 'name', frameAnchor: 'left', textAnchor: 'start', ...HALO })
  return {
    beside,
    frame: {
      height: names.length * (beside ? ROW_HEIGHT.beside : ROW_HEIGHT.above) + 50,
      marginLeft: beside ? longest : 8,
      y: { axis: null, domain: [names.length - 0.5, -0.5] }
    },
    names: [text],
    drop: beside ? 0 : 0.1
  }
}
