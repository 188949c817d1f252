/** The script of a site's first page: hides the answers and the runs that do not match the filter. */

const form = /** @type {HTMLFormElement} */ (getElement('filter'))
const status = getElement('status')
const items = [...document.querySelectorAll('main [data-questions]')].filter(item => item instanceof HTMLElement)

/** @param {string} id */
function getElement (id) {
  return /** @type {HTMLElement} */ (document.getElementById(id))
}

/** Selects what the address names. An address with another value selects all. */
function readAddress () {
  for (const [name, value] of new URLSearchParams(location.search)) {
    const field = form.elements.namedItem(name)
    const known = field instanceof HTMLSelectElement && [...field.options].some(option => option.value === value)
    if (known) field.value = value
  }
}

/** Shows the items that have every selected value, and writes the selection to the address, so that it can be sent. */
function applyFilter () {
  const selected = [...new FormData(form)].map(([name, value]) => [name, String(value)]).filter(([, value]) => value)
  for (const item of items) {
    item.hidden = !selected.every(([name, value]) => JSON.parse(item.dataset[name] ?? '[]').includes(value))
  }
  const shown = items.filter(({ hidden }) => !hidden)
  const answers = shown.filter(({ tagName }) => tagName === 'SECTION').length
  status.textContent = `Answers: ${answers}. Runs: ${shown.length - answers}.`
  const query = selected.length > 0 ? `?${new URLSearchParams(selected)}` : ''
  history.replaceState(null, '', `${location.pathname}${query}${location.hash}`)
}

form.addEventListener('change', applyFilter)
getElement('all').addEventListener('click', () => {
  form.reset()
  applyFilter()
})
form.hidden = false
readAddress()
applyFilter()
