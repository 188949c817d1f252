// @ts-check
/** Faults of layout and accessibility of a page in a browser. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** @import { Page } from 'playwright-core' */

export const LAPTOP = 1280 // Width in pixels from which on no table may scroll.
const TALL = 300 // Pixels of a cell from which on its row is mostly white.
/** Impacts of axe that a page must not have. */
const SERIOUS = ['serious', 'critical']
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Lists faults of the layout: horizontal scrolling of the page, elements beyond its edge, cells and headings whose text
 * is cut off, and tall cells with little text.
 *
 * @param {Page} page
 */
export const findFaults = page => page.evaluate(({ tall, laptop }) => {
  const width = document.documentElement.clientWidth
  const isShown = (/** @type {Element} */ element) => element.getClientRects().length > 0
  const name = (/** @type {Element} */ element) =>
    `${element.tagName}: ${element.textContent?.trim().slice(0, 60)}`
  const blocks = [...document.querySelectorAll('h1, h2, h3, p, li, dt, dd, figure, summary, .scroll')].filter(isShown)
  const cells = [...document.querySelectorAll('th, td')].filter(isShown)
  const texts = [...blocks, ...cells].filter(element => !element.matches('.scroll') && element.clientWidth > 0)
  const tables = [...document.querySelectorAll('.scroll')].filter(isShown)
  return [
    ...document.documentElement.scrollWidth > width ? [`the page is ${document.documentElement.scrollWidth} wide`] : [],
    ...blocks.filter(element => element.getBoundingClientRect().right > width + 1)
      .map(element => `beyond: ${name(element)}`),
    ...texts.filter(element => element.scrollWidth > element.clientWidth + 1)
      .map(element => `cut off: ${name(element)}`),
    ...cells.filter(element => element.getBoundingClientRect().height > tall)
      .map(element => `tall: ${name(element)}`),
    ...tables.filter(box => width >= laptop && box.scrollWidth > box.clientWidth + 1)
      .map(box => `clipped table: ${box.scrollWidth} in ${box.clientWidth}: ${name(box)}`)
  ]
}, { tall: TALL, laptop: LAPTOP })

/**
 * Lists the serious findings of axe.
 * @param {Page} page
 */
export async function findSerious (page) {
  await page.evaluate(axe)
  // The elements that keep a rule are most of a result, and take time to list and to send. Style sheets are not loaded
  // once more, which a browser does not allow for files.
  const { violations } = await page.evaluate(
    "axe.run({ preload: false, resultTypes: ['violations'] }).then(({ violations }) => ({ violations }))")
  return violations.filter((/** @type {any} */ { impact }) => SERIOUS.includes(impact))
    .map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes[0].html.slice(0, 120)} (${nodes.length})`)
}
