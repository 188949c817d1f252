/** Many points as one path: a hundred thousand circles would be a page of ten megabytes. */

/** @import { RenderFunction } from '@observablehq/plot' */

/** @typedef {{ x: number, y: number }} Point in the units of the scales */

const DOT = 3

/** A mark for Observable Plot. Points that would cover each other are drawn once. @param {Point[]} points
 * @param {string} color @returns {RenderFunction} */
export const pointsMark = (points, color) => (_index, scales, _values, _dimensions, context) => {
  const { x, y } = /** @type {Record<'x' | 'y', (value: number) => number>} */ (/** @type {unknown} */ (scales))
  /** @type {Set<string>} */
  const places = new Set()
  for (const point of points) places.add(`${Math.round(x(point.x))},${Math.round(y(point.y))}`)
  const path = context.document.createElementNS('http://www.w3.org/2000/svg', 'path')
  path.setAttribute('d', [...places].map(place => `M${place}h0`).join(''))
  path.setAttribute('stroke', color)
  path.setAttribute('stroke-width', String(DOT))
  path.setAttribute('stroke-linecap', 'round')
  path.setAttribute('fill', 'none')
  return path
}
