// Elements of the live page.

/**
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export const byId = (id, type) => {
  const element = document.getElementById(id)
  if (!(element instanceof type)) throw new Error(`no #${id} of that kind in this page`)
  return element
}

/**
 * @param {string} id
 * @param {string} text
 */
export const say = (id, text) => { byId(id, HTMLElement).textContent = text }

/**
 * @param {number | null | undefined} value
 * @param {number} [digits]
 */
export const number = (value, digits = 4) =>
  typeof value === 'number' && Number.isFinite(value)
    ? value.toLocaleString('en-US', { maximumSignificantDigits: digits })
    : '–'

/**
 * Creates an element.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number>} properties
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element (tag, properties, ...children) {
  const created = Object.assign(document.createElement(tag), properties)
  created.append(...children)
  return created
}

/**
 * @param {string[]} words
 * @param {string[]} figures
 */
export const row = ([name, ...words], figures) => element('tr', {},
  element('th', { scope: 'row' }, name),
  ...words.map(text => element('td', {}, text)),
  ...figures.map(text => element('td', { className: 'number' }, text)))
