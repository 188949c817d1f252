// List of stored runs: search by name, and the choice of two runs to compare.
import { byId, element, number, say } from './page-parts.js'

/** @import { Entry } from '../types.js' */

const search = byId('search', HTMLInputElement)
const more = byId('more', HTMLButtonElement)
const compare = byId('compare', HTMLButtonElement)
let shown = 0

export async function loadRuns (from = 0) {
  const response = await fetch(`history?from=${from}&search=${encodeURIComponent(search.value)}`)
  /** @type {{ total: number, entries: Entry[] }} */
  const { total, entries } = await response.json()
  const list = byId('runs', HTMLElement)
  if (from === 0) list.replaceChildren()
  list.append(...entries.map(listed))
  shown = from + entries.length
  more.hidden = shown >= total
  say('found', total === 0 ? 'No run of that name.' : `${number(total)} ${total === 1 ? 'run' : 'runs'}`)
  chosen()
}

/** @param {Entry} entry */
function listed ({ run, what, startedAt, question, answer }) {
  const box = element('input', { type: 'checkbox', value: run, name: 'run' })
  box.setAttribute('aria-label', `Choose ${what || run} of ${startedAt}`)
  box.addEventListener('change', chosen)
  const link = element('a', { href: `runs/${encodeURIComponent(run)}`, title: run }, what || run)
  const time = element('time', { dateTime: startedAt }, new Date(startedAt).toLocaleString())
  return element('li', {}, box,
    element('div', {}, link, ' ', time, element('small', {}, `${question} ${answer}`.trim())))
}

const boxes = () =>
  [...document.querySelectorAll('input[name=run]:checked')].flatMap(box =>
    box instanceof HTMLInputElement ? [box.value] : []
  ).sort()
function chosen () {
  compare.disabled = boxes().length !== 2
}

compare.addEventListener('click', () => {
  const [before, after] = boxes()
  location.assign(`compare?${new URLSearchParams({ before, after })}`)
})

/** @type {ReturnType<typeof setTimeout> | undefined} */
let typing
search.addEventListener('input', () => {
  clearTimeout(typing)
  typing = setTimeout(() => loadRuns(), 200)
})
more.addEventListener('click', () => loadRuns(shown))
