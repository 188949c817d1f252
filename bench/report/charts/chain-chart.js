/** Picture of a topology: a box for each hop, from the clients down to the app. */
import * as Plot from '@observablehq/plot'

/** @import { ChartHop } from '../../types.js' */
/** @import { Chart } from './draw.js' */

/** Sizes in pixels. Letters of a proportional font are narrower on average. */
const BOX = { least: 280, letter: 7.2, line: 17, padding: 10, gap: 26 }

/**
 * @param {ChartHop[]} hops
 * @returns {Chart}
 */
export function chainChart (hops) {
  let bottom = 1 - BOX.gap
  const boxes = hops.map(({ title, details }) => {
    const top = bottom + BOX.gap
    bottom = top + BOX.line * (1 + details.length) + 2 * BOX.padding
    return { top, bottom, title, details }
  })
  const lines = boxes.flatMap(({ top, title, details }) => [title, ...details].map((text, i) =>
    ({ text, y: top + BOX.padding + BOX.line * (i + 0.5), isTitle: i === 0 })))
  const width = Math.max(BOX.least, ...lines.map(({ text }) => text.length * BOX.letter)) + 2 * BOX.padding
  return () => ({
    width: width + 2,
    height: bottom + 1,
    axis: null,
    x: { type: 'identity' },
    y: { type: 'identity' },
    marks: [
      Plot.rect(boxes, {
        x1: 1, x2: width, y1: 'top', y2: 'bottom', rx: 6, fill: 'var(--raised)', stroke: 'var(--line-strong)'
      }),
      Plot.arrow(boxes.slice(1), { x1: 30, x2: 30, y1: ({ top }) => top - BOX.gap, y2: 'top', stroke: 'var(--quiet)' }),
      ...[true, false].map(isTitle => Plot.text(lines.filter(line => line.isTitle === isTitle), {
        x: BOX.padding,
        y: 'y',
        text: 'text',
        textAnchor: 'start',
        fill: isTitle ? 'var(--ink)' : 'var(--quiet)',
        fontWeight: isTitle ? 600 : 400
      }))
    ]
  })
}
