/**
 * Charts as SVG text, drawn without a browser so that the page needs no script. Colours are CSS variables of page.css,
 * so one drawing serves light mode, dark mode and paper.
 */
import * as Plot from '@observablehq/plot'
import { withoutControls } from '../../errors.js'
import { SvgDocument } from './svg-document.js'

/** @import { PlotOptions } from '@observablehq/plot' */

/** Widths of a drawing in pixels, for phones and for larger screens, because a drawing that shrinks is illegible. */
const WIDTHS = { narrow: 330, wide: 860 }

/** Rules of page.css for a chart, for a file of its own. */
const CHART_CSS = '.chart { color: var(--ink); font-size: 12px; }\n.chart text { white-space: pre; }\n'

/** @typedef {(width: number) => PlotOptions} Chart drawing for a width in pixels */

/**
 * @param {Chart} chart
 * @param {string} label alternative text
 * @returns {{ narrow: string, wide: string }} SVG text
 */
export const draw = (chart, label) => ({
  narrow: toSvg(chart, label, WIDTHS.narrow),
  wide: toSvg(chart, label, WIDTHS.wide)
})

/**
 * Draws a chart for a file of its own, with its colours.
 * @param {Chart} chart
 * @param {string} label
 * @param {string} css variables of the colours
 */
export function drawFile (chart, label, css) {
  const drawn = toSvg(chart, label, WIDTHS.wide)
    .replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ')
    .replace('>', `><style>${css}${CHART_CSS}</style><rect width="100%" height="100%" fill="var(--paper)"/>`)
  return withoutControls(`<?xml version="1.0" encoding="UTF-8"?>\n${drawn}\n`)
}

/**
 * Draws a chart as SVG text.
 * @param {Chart} chart
 * @param {string} label
 * @param {number} width
 */
function toSvg (chart, label, width) {
  const drawn = Plot.plot({
    width,
    marginRight: 24,
    marginBottom: 36,
    ...chart(width),
    className: 'chart',
    ariaLabel: label,
    document: /** @type {any} */ (new SvgDocument())
  })
  drawn.setAttribute('role', 'img')
  // page.css contains the style of the library once, for all charts.
  const style = [...drawn.children].find(({ tagName }) => tagName.toLowerCase() === 'style')
  if (style) drawn.removeChild(style)
  return roundAttributes(drawn.outerHTML)
}

/**
 * Rounds coordinates to a tenth of a pixel, which halves the size of a page. Leaves text content unchanged. Renames the
 * labels of groups, which are not allowed within an image that has a label.
 */
const roundAttributes = (/** @type {string} */ svg) => svg.replace(/<[^>]*>/g, tag =>
  (tag.startsWith('<g ') ? tag.replace(' aria-label=', ' data-mark=') : tag)
    .replace(/(?<=[\s",(MLHVC])-?\d+\.\d{2,}/g, number => String(Math.round(Number(number) * 10) / 10)))
