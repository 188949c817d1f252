// Script of the live page: starts and follows runs, and lists stored runs.
import { byId, element, say } from './page-parts.js'
import { show } from './run-view.js'
import { loadRuns } from './stored-runs.js'

const form = byId('order', HTMLFormElement)
const stop = byId('stop', HTMLButtonElement)

const experiment = byId('experiment', HTMLSelectElement)
const words = form.querySelector('input[name=words]')
if (!(words instanceof HTMLInputElement)) throw new Error('no input of words in this page')
/** Names of experiments, to which no topology is added. */
const experiments = new Set([...experiment.options].map(({ value }) => value))

experiment.addEventListener('change', () => { words.value = experiment.value })
byId('add', HTMLButtonElement).addEventListener('click', () => {
  const [server, front] = ['server', 'front'].map(id => byId(id, HTMLSelectElement).value)
  const earlier = words.value.trim().split(/\s+/).filter(spec => !experiments.has(spec))
  words.value = [...earlier, front ? `${front}/${server}` : server].join(' ')
  experiment.value = ''
})

/**
 * @param {string} path
 * @param {object} body
 */
async function post (path, body) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body)
  })
  const answer = await response.json()
  say('said', response.ok ? '' : answer.error)
  return response.ok
}

form.addEventListener('submit', async event => {
  event.preventDefault()
  const { words = '', quick, ...options } = Object.fromEntries(new FormData(form))
  await post('start', { words: String(words).trim().split(/\s+/), quick: quick === 'on', ...options })
})
stop.addEventListener('click', async () => {
  stop.disabled = true
  if (await post('stop', {})) say('said', 'It stops after the current block and keeps what was measured.')
})

/** @param {string} run */
async function showVerdict (run) {
  const { entries } = await (await fetch(`history?search=${encodeURIComponent(run)}`)).json()
  const link = element('a', { href: `runs/${encodeURIComponent(run)}` }, 'The report')
  byId('verdict', HTMLElement).replaceChildren(`${entries[0]?.answer ?? ''} `, link)
}

loadRuns()
const events = new EventSource('live')
events.addEventListener('message', ({ data }) => show(JSON.parse(data), run => {
  if (run) showVerdict(run)
  loadRuns()
}))
events.addEventListener('error', () => {
  if (events.readyState === EventSource.CLOSED) say('said', 'This page lost its connection: reload it.')
})
