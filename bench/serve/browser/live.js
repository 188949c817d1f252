// The live page: sends what the form says, follows the run, lists the runs that are stored.

/** @typedef {import('../job.js').JobEvent} JobEvent */
/** @typedef {import('../history.js').Entry} Entry */
/** @typedef {import('../../compare.js').Comparison} Comparison */
/** @typedef {import('../../types.d.ts').Sample} Sample */
/** @typedef {{ name: string, samples: Sample[] }} LiveArm */

/** A line for each, as on the report's page. */
const COLORS = ['--c1', '--c2', '--c3', '--c4', '--c5', '--c6', '--c7']
const DASHES = [[], [7, 3], [2, 3], [9, 3, 2, 3]]

/** @template {HTMLElement} T @param {string} id @param {new () => T} type @returns {T} */
const byId = (id, type) => {
  const element = document.getElementById(id)
  if (!(element instanceof type)) throw new Error(`no #${id} of that kind in this page`)
  return element
}
const form = byId('order', HTMLFormElement)
const go = byId('go', HTMLButtonElement)
const stop = byId('stop', HTMLButtonElement)

/** @param {string} id @param {string} text */
const say = (id, text) => { byId(id, HTMLElement).textContent = text }

/** @param {number | null | undefined} value @param {number} [digits] */
const number = (value, digits = 4) => typeof value === 'number' && Number.isFinite(value) ? value.toLocaleString('en-US', { maximumSignificantDigits: digits }) : '–'

/** @param {string} path @param {object} body */
async function post (path, body) {
  const response = await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
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
  if (await post('stop', {})) say('said', 'It ends after its present block, and reports what there is.')
})

// ---------------------------------------------------------------- the run under way

/** @type {Map<string, LiveArm>} */
let arms = new Map()
/** @type {Sample[]} */
let trials = []
let scale = 1
let budget = 0
let startedAt = 0
let running = false
/** @type {any} */
let chart = null

/** @param {JobEvent} event */
function show (event) {
  switch (event.event) {
    case 'begins':
      arms = new Map()
      trials = []
      budget = 0
      running = true
      startedAt = Date.parse(event.startedAt)
      byId('live', HTMLElement).hidden = false
      say('what', event.what)
      say('stage', 'Starting')
      for (const id of ['verdict', 'said', 'left']) say(id, '')
      for (const id of ['arms', 'ratios']) byId(id, HTMLElement).replaceChildren()
      chart?.destroy()
      chart = null
      break
    case 'start':
      budget = event.budget
      scale = event.plan.unit === 'bytes' ? 8 / 1e9 : 1
      say('unit', { requests: 'req/s', connections: 'conn/s', handshakes: 'TLS/s', bytes: 'Gbit/s' }[event.plan.unit])
      for (const { name } of event.plan.arms) arms.set(name, { name, samples: [] })
      break
    case 'stage':
      say('stage', event.text)
      break
    case 'trial':
      arms.get(event.sample.arm)?.samples.push(event.sample)
      trials.push(event.sample)
      soon()
      break
    case 'block':
      showRatios(event.contrasts)
      say('stage', `Block ${event.block + 1}`)
      break
    case 'ended':
      running = false
      say('left', '')
      byId('progress', HTMLProgressElement).value = 1
      say('stage', event.error ?? (event.exit === 0 ? 'It has ended.' : 'It has ended, and not everything counts.'))
      if (event.run) showVerdict(event.run)
      loadRuns()
  }
  go.disabled = running
  stop.hidden = !running
  if (event.event === 'begins') stop.disabled = false
}

/** @param {Extract<JobEvent, { event: 'block' }>['contrasts']} contrasts */
function showRatios (contrasts) {
  byId('ratios', HTMLElement).replaceChildren(...contrasts.map(({ arm, baseline, ratio, low, high }) => row([arm, baseline], [number(ratio, 3), low && high ? `${number(low, 3)} to ${number(high, 3)}` : '–'])))
}

/** @param {string[]} words @param {string[]} figures */
function row (words, figures) {
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

let waiting = false
/** Drawing at most twice a second leaves the cores to what is measured. */
function soon () {
  if (waiting) return
  waiting = true
  setTimeout(() => {
    waiting = false
    showArms()
    draw()
  }, 500)
}

function showArms () {
  byId('arms', HTMLElement).replaceChildren(...[...arms.values()].map(({ name, samples }) => {
    const valid = samples.filter(({ invalid }) => !invalid)
    const last = samples.at(-1)
    const names = { 'not 2xx': 'non2xx', timeouts: 'timeouts', resets: 'resets', 'wrong bodies': 'mismatches' }
    const errors = Object.entries(names).flatMap(([words, kind]) => {
      const count = samples.reduce((sum, { errors }) => sum + errors[/** @type {keyof Sample['errors']} */ (kind)], 0)
      return count > 0 ? [`${number(count)} ${words}`] : []
    })
    const kinds = last?.failures?.map(({ kind, count }) => `${number(count)} × ${kind}`) ?? []
    const logged = last?.errorLog?.map(({ text, count }) => `${number(count)} × "${text}"`) ?? []
    const most = last?.users && Math.max(0, ...last.users.map(({ users }) => users))
    const rates = valid.map(({ rps }) => rps).sort((a, b) => a - b)
    const cores = (/** @type {'load' | 'proxy' | 'server'} */ role) => last && last.seconds > 0 ? (last.cpuSeconds[role] / last.seconds).toFixed(2) : '–'
    const line = row([most ? `${name}, ${number(most)} users` : name], [number((rates[Math.floor(rates.length / 2)] ?? NaN) * scale), `${valid.length} of ${samples.length}`, number(last?.latencyMs?.p50, 3), number(last?.latencyMs?.p99, 3)])
    line.append(...row(['', [errors.join(', ') || 'none', ...kinds, ...logged].join('; ')], [cores('load'), cores('proxy'), cores('server')]).querySelectorAll('td'))
    return line
  }))
}

function draw () {
  const names = [...arms.keys()]
  if (trials.length < 2) return
  // Time on the x axis: each arm has a point where its trial began.
  const times = trials.map(({ startedAt }) => Date.parse(startedAt) / 1000)
  const data = /** @type {import('uplot').AlignedData} */ (/** @type {unknown} */ ([times, ...names.map(name => trials.map(({ arm, rps, invalid }) => arm === name && !invalid ? rps * scale : null))]))
  const style = getComputedStyle(document.documentElement)
  const color = (/** @type {string} */ variable) => style.getPropertyValue(variable).trim()
  const place = byId('chart', HTMLElement)
  if (chart) return chart.setData(data)
  const axis = { stroke: color('--quiet'), grid: { stroke: color('--line') }, ticks: { stroke: color('--line') } }
  const Chart = uPlot
  chart = new Chart({
    width: place.clientWidth,
    height: 280,
    axes: [axis, { ...axis, size: 64 }],
    scales: { y: { range: (/** @type {unknown} */ _chart, /** @type {number} */ _low, /** @type {number} */ high) => [0, high * 1.05 || 1] } },
    series: [{}, ...names.map((label, i) => ({ label, stroke: color(COLORS[i % COLORS.length]), dash: DASHES[Math.floor(i / COLORS.length) % DASHES.length], width: 1.5, spanGaps: true, points: { size: 5 } }))]
  }, data, place)
}
addEventListener('resize', () => chart?.setSize({ width: byId('chart', HTMLElement).clientWidth, height: 280 }))

setInterval(() => {
  if (!running || !budget) return
  const used = (Date.now() - startedAt) / 1000
  byId('progress', HTMLProgressElement).value = Math.min(1, used / budget)
  const left = Math.max(0, Math.round(budget - used))
  say('left', left > 0 ? `${left >= 60 ? `${Math.floor(left / 60)} min ` : ''}${left % 60} s left at most` : 'ending')
}, 500)

/** @param {string} run */
async function showVerdict (run) {
  const { entries } = await (await fetch(`history?search=${encodeURIComponent(run)}`)).json()
  const verdict = byId('verdict', HTMLElement)
  const link = document.createElement('a')
  link.href = `runs/${encodeURIComponent(run)}`
  link.textContent = 'The report'
  verdict.replaceChildren(`${entries[0]?.answer ?? ''} `, link)
}

// ---------------------------------------------------------------- runs that are stored

const search = byId('search', HTMLInputElement)
const more = byId('more', HTMLButtonElement)
const compare = byId('compare', HTMLButtonElement)
let shown = 0

async function loadRuns (from = 0) {
  const { total, entries } = /** @type {{ total: number, entries: Entry[] }} */ (await (await fetch(`history?from=${from}&search=${encodeURIComponent(search.value)}`)).json())
  const list = byId('runs', HTMLElement)
  if (from === 0) list.replaceChildren()
  list.append(...entries.map(listed))
  shown = from + entries.length
  more.hidden = shown >= total
  say('found', total === 0 ? 'No run of that name.' : `${number(total)} ${total === 1 ? 'run' : 'runs'}`)
  chosen()
}

/** @param {Entry} entry */
function listed ({ run, question, answer }) {
  const item = document.createElement('li')
  const box = item.appendChild(document.createElement('input'))
  Object.assign(box, { type: 'checkbox', value: run, name: 'run' })
  box.setAttribute('aria-label', `Choose ${run}`)
  box.addEventListener('change', chosen)
  const words = item.appendChild(document.createElement('div'))
  const link = words.appendChild(document.createElement('a'))
  link.href = `runs/${encodeURIComponent(run)}`
  link.textContent = run
  words.appendChild(document.createElement('small')).textContent = `${question} ${answer}`.trim()
  return item
}

const boxes = () => [...document.querySelectorAll('input[name=run]:checked')].flatMap(box => box instanceof HTMLInputElement ? [box.value] : []).sort()
function chosen () { compare.disabled = boxes().length !== 2 }

compare.addEventListener('click', async () => {
  const [before, after] = boxes()
  const response = await fetch(`compare?before=${encodeURIComponent(before)}&after=${encodeURIComponent(after)}`)
  const answer = await response.json()
  const place = byId('comparison', HTMLElement)
  place.replaceChildren(...response.ok ? comparisonOf(answer) : [answer.error])
  place.scrollIntoView()
})

/** @param {Comparison} comparison */
function comparisonOf ({ runs, arms, contrasts, costs, differences, only, configs }) {
  const title = document.createElement('h3')
  title.textContent = `${runs.after} against ${runs.before}`
  const list = document.createElement('ul')
  for (const { what, before, after } of differences) list.appendChild(document.createElement('li')).textContent = `${what}: ${before} → ${after}`
  for (const name of only.before) list.appendChild(document.createElement('li')).textContent = `only in ${runs.before}: ${name}`
  for (const name of only.after) list.appendChild(document.createElement('li')).textContent = `only in ${runs.after}: ${name}`
  const heading = document.createElement('h4')
  heading.textContent = list.children.length > 0 ? 'What differs between them' : 'Their machines and set-ups are the same'
  return [
    title,
    table(['arm', 'verdict'], ['before', 'now', 'ratio', 'interval'], arms.map(({ arm, verdict, before, after, ratio, low, high }) => row([arm, verdict.replace('-', ' ')], [number(before), number(after), number(ratio, 3), range(low, high)]))),
    pairTable('times as fast, within each run', contrasts),
    pairTable('CPU time, within each run', costs),
    heading,
    list,
    ...configs.map(changed)
  ]
}

/** @param {string} what @param {Comparison['contrasts']} pairs */
const pairTable = (what, pairs) => table([what, 'verdict'], ['before', 'now', 'change', 'interval'], pairs.map(({ arm, baseline, before, after, verdict, ratio, low, high }) =>
  row([`${arm} ÷ ${baseline}`, verdict.replace('-', ' ')], [...[before, after].map(it => `${number(it.ratio, 3)} (${range(it.low, it.high)})`), number(ratio, 3), range(low, high)])))

/** @type {(low: number | null, high: number | null) => string} */
const range = (low, high) => low !== null && high !== null ? `${number(low, 3)} to ${number(high, 3)}` : '–'

/** @param {Comparison['configs'][number]} difference */
function changed ({ file, removed, added }) {
  const part = document.createElement('details')
  part.appendChild(document.createElement('summary')).textContent = file
  part.appendChild(document.createElement('pre')).textContent = [...removed.map(line => `- ${line}`), ...added.map(line => `+ ${line}`)].join('\n')
  return part
}

/** @param {string[]} words @param {string[]} figures @param {HTMLElement[]} rows */
function table (words, figures, rows) {
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

/** @type {ReturnType<typeof setTimeout> | undefined} */
let typing
search.addEventListener('input', () => {
  clearTimeout(typing)
  typing = setTimeout(() => loadRuns(), 200)
})
more.addEventListener('click', () => loadRuns(shown))

loadRuns()
new EventSource('live').addEventListener('message', ({ data }) => show(JSON.parse(data)))
