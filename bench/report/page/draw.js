/** Draws charts as SVG text, without a browser and so without a script in the page. Colours are CSS variables of
 * page.css: one drawing serves light, dark and paper. @import { PlotOptions } from '@observablehq/plot' */
import * as Plot from '@observablehq/plot'
import { parseHTML } from 'linkedom'

/** Widths in pixels: one for telephones, one for the rest. A drawing that is shrunk cannot be read. */
const WIDTHS = { narrow: 330, wide: 860 }

/** @typedef {(width: number) => PlotOptions} Chart what to draw for a width */
/** @typedef {{ narrow: string, wide: string }} Drawn SVG text */

/** @param {Chart} chart @param {string} label what it shows, for those who do not see it @returns {Drawn} */
export const draw = (chart, label) => ({
  narrow: svg(chart, label, WIDTHS.narrow),
  wide: svg(chart, label, WIDTHS.wide)
})

/** What page.css says of a chart, for a file of its own. */
const ALONE = '.chart { color: var(--ink); font-size: 12px; }\n.chart text { white-space: pre; }\n'

/** One drawing as a file of its own, with the colours in it. @param {Chart} chart @param {string} label
 * @param {string} css the variables that it uses @returns {string} */
export function drawFile (chart, label, css) {
  const drawn = svg(chart, label, WIDTHS.wide)
    .replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ')
    .replace('>', `><style>${css}${ALONE}</style><rect width="100%" height="100%" fill="var(--paper)"/>`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${drawn}\n`
}

/** @param {Chart} chart @param {string} label @param {number} width */
function svg (chart, label, width) {
  const { document } = parseHTML('<!doctype html><html><body></body></html>')
  const drawn = Plot.plot({
    width,
    marginRight: 24,
    marginBottom: 36,
    ...chart(width),
    className: 'chart',
    ariaLabel: label,
    document
  })
  drawn.setAttribute('role', 'img')
  // The library's style is the same in every chart, and stands in page.css.
  drawn.querySelector('style')?.remove()
  return rounded(drawn.outerHTML)
}

/** A tenth of a pixel is enough: half the size of the file. What is written in the drawing stays as it is. */
const rounded = (/** @type {string} */ svg) => svg.replace(/<[^>]*>/g, tag =>
  tag.replace(/(?<=[\s",(MLHVC])-?\d+\.\d{2,}/g, number => String(Math.round(Number(number) * 10) / 10)))
