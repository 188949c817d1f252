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

/** @type {(low: number | null, high: number | null) => string} */
export const range = (low, high) => low !== null && high !== null ? `${number(low, 3)} to ${number(high, 3)}` : '–'

/**
 * @param {string[]} words
 * @param {string[]} figures
 */
export function row (words, figures) {
  const line = document.createElement('tr')
  words.forEach((text, i) => {
    const cell = line.appendChild(document.createElement(i === 0 ? 'th' : 'td'))
    if (i === 0) cell.setAttribute('scope', 'row')
    cell.textContent = text
  })
  for (const text of figures) {
    const cell = line.appendChild(document.createElement('td'))
    cell.className = 'number'
    cell.textContent = text
  }
  return line
}

/**
 * @param {string[]} words
 * @param {string[]} figures
 * @param {HTMLElement[]} rows
 */
export function table (words, figures, rows) {
  const wrapper = document.createElement('div')
  wrapper.className = 'scroll'
  wrapper.tabIndex = 0
  const table = wrapper.appendChild(document.createElement('table'))
  const head = table.appendChild(document.createElement('thead')).appendChild(document.createElement('tr'))
  for (const [text, numeric] of [...words.map(text => [text, false]), ...figures.map(text => [text, true])]) {
    const cell = head.appendChild(document.createElement('th'))
    cell.textContent = String(text)
    if (numeric) cell.className = 'number'
  }
  table.appendChild(document.createElement('tbody')).append(...rows)
  return wrapper
}
