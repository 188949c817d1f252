/** The advised topology as an SVG file: a box for each hop, from left to right (pure). */
import { withoutControls } from '../../errors.js'
import { colors } from './page.js'

/** Width of a letter and sizes of boxes, in pixels. Letters of a proportional font are narrower on average. */
const LETTER = 7.2
const BOX = { padding: 14, gap: 44, title: 26, line: 17, least: 90 }
const MARGIN = 8
const STYLE = [
  'text { font: 13px system-ui, sans-serif; fill: var(--ink); }',
  '.small { font-size: 12px; fill: var(--quiet); } .title { font-weight: 600; }',
  'rect { fill: var(--raised); stroke: var(--line-strong); stroke-width: 1.5; }',
  'path { stroke: var(--quiet); stroke-width: 1.5; fill: none; }'
].join('\n')

/** @typedef {{ title: string, details: string[] }} Hop */

/**
 * @param {Hop[]} hops
 * @param {string} label alternative text
 * @returns {string} a file
 */
export function advicePicture (hops, label) {
  const height = Math.max(...hops.map(({ details }) => BOX.title + BOX.line * details.length)) + 12
  let x = MARGIN
  const boxes = hops.map(hop => {
    const width = toWidth(hop)
    const box = { ...hop, x, width }
    x += width + BOX.gap
    return box
  })
  const width = x - BOX.gap + MARGIN
  const middle = MARGIN + height / 2
  const parts = boxes.flatMap((box, i) => [
    ...i === 0 ? [] : [arrow(box.x - BOX.gap + 6, box.x - 6, middle)],
    `<rect x="${box.x}" y="${MARGIN}" width="${box.width}" height="${height}" rx="6"/>`,
    ...texts(box)
  ])
  return withoutControls([
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height + 2 * MARGIN}" width="${width}" ` +
      `role="img" aria-label="${escape(label)}">`,
    `<style>${colors}${STYLE}</style>`,
    `<rect x="0" y="0" width="${width}" height="${height + 2 * MARGIN}" style="fill:var(--paper);stroke:none"/>`,
    ...parts,
    '</svg>\n'
  ].join('\n'))
}

/** @param {Hop} hop */
const toWidth = ({ title, details }) =>
  Math.max(BOX.least, Math.ceil(Math.max(...[title, ...details].map(text => text.length)) * LETTER) + 2 * BOX.padding)

/**
 * @param {number} from
 * @param {number} to
 * @param {number} y
 */
const arrow = (from, to, y) => `<path d="M${from} ${y}H${to}m-6 -5l6 5l-6 5"/>`

/** @param {Hop & { x: number, width: number }} box */
const texts = ({ title, details, x }) => [title, ...details].map((text, i) =>
  `<text class="${i === 0 ? 'title' : 'small'}" x="${x + BOX.padding}" y="${MARGIN + BOX.title - 4 + i * BOX.line}">` +
    `${escape(text)}</text>`)

/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** @param {string} text */
const escape = text => text.replace(/[&<>"]/g, letter => ENTITIES[letter])
