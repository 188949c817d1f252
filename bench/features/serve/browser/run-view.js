// View of the current run: its arms, its chart and the remaining time.
import { byId, number, row, say } from './page-parts.js'

/** @import { Sample } from '../../../types.js' */
/** @import { JobEvent } from '../types.js' */
/** @import { AlignedData } from 'uplot' */

const COLORS = ['--c1', '--c2', '--c3', '--c4', '--c5', '--c6', '--c7'] // Colours of the arms, as in the report.
const DASHES = [[], [7, 3], [2, 3], [9, 3, 2, 3]]
/** @type {[label: string, kind: keyof Sample['errors']][]} */
const ERRORS = [['not 2xx', 'non2xx'], ['timeouts', 'timeouts'], ['resets', 'resets'], ['wrong bodies', 'mismatches']]
const DRAW_MS = 500 // Limits the CPU time that drawing takes from the measurement.
const MAX_TRIALS = 10_000 // Older trials are in the report.
const UNITS = { requests: 'req/s', connections: 'conn/s', handshakes: 'TLS/s', bytes: 'Gbit/s', pages: 'pages/s' }

/** @type {Map<string, { name: string, samples: Sample[] }>} */
let arms = new Map()
/** @type {Sample[]} */
let trials = []
let scale = 1
let budget = 0
let startedAt = 0
let running = false
/** @type {any} */
let chart = null

/**
 * @param {JobEvent} event
 * @param {(run: string | null) => void} ended
 */
export function show (event, ended) {
  switch (event.event) {
    case 'begins':
      beginAnew(event)
      break
    case 'start':
      budget = event.budget
      scale = event.plan.unit === 'bytes' ? 8 / 1e9 : 1
      say('unit', UNITS[event.plan.unit])
      for (const { name } of event.plan.arms) arms.set(name, { name, samples: [] })
      break
    case 'stage':
      say('stage', event.text)
      break
    case 'trial':
      arms.get(event.sample.arm)?.samples.push(event.sample)
      trials.push(event.sample)
      if (trials.length > MAX_TRIALS) trials.shift()
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
      say('stage',
        event.error ?? (event.exit === 0 ? 'It has ended.' : 'It has ended; some results are invalid or missing.'))
      ended(event.run)
  }
  byId('go', HTMLButtonElement).disabled = running
  byId('stop', HTMLButtonElement).hidden = !running
}

/** @param {Extract<JobEvent, { event: 'begins' }>} event */
function beginAnew (event) {
  arms = new Map()
  trials = []
  budget = 0
  running = true
  startedAt = Date.parse(event.startedAt)
  byId('live', HTMLElement).hidden = false
  byId('stop', HTMLButtonElement).disabled = false
  say('what', event.what)
  say('stage', 'Starting')
  for (const id of ['verdict', 'said', 'left']) say(id, '')
  for (const id of ['arms', 'ratios']) byId(id, HTMLElement).replaceChildren()
  chart?.destroy()
  chart = null
}

/** @param {Extract<JobEvent, { event: 'block' }>['contrasts']} contrasts */
function showRatios (contrasts) {
  byId('ratios', HTMLElement).replaceChildren(
    ...contrasts.map(({ arm, baseline, ratio, low, high }) =>
      row([arm, baseline], [number(ratio, 3), low && high ? `${number(low, 3)} to ${number(high, 3)}` : '–'])
    )
  )
}

let waiting = false
function soon () {
  if (waiting) return
  waiting = true
  setTimeout(() => {
    waiting = false
    byId('arms', HTMLElement).replaceChildren(...[...arms.values()].map(lineOf))
    draw()
  }, DRAW_MS)
}

/** @param {{ name: string, samples: Sample[] }} arm */
function lineOf ({ name, samples }) {
  const valid = samples.filter(({ invalid }) => !invalid)
  const last = samples.at(-1)
  const errors = ERRORS.flatMap(([words, kind]) => {
    const count = samples.reduce((sum, { errors }) => sum + errors[kind], 0)
    return count > 0 ? [`${number(count)} ${words}`] : []
  })
  const kinds = last?.failures?.map(({ kind, count }) => `${number(count)} × ${kind}`) ?? []
  const logged = last?.errorLog?.map(({ text, count }) => `${number(count)} × "${text}"`) ?? []
  const most = last?.users && Math.max(0, ...last.users.map(({ users }) => users))
  const rates = valid.map(({ rps }) => rps).sort((a, b) => a - b)
  const cores = (/** @type {'load' | 'proxy' | 'server'} */ role) =>
    last && last.seconds > 0 ? (last.cpuSeconds[role] / last.seconds).toFixed(2) : '–'
  const line = row([most ? `${name}, ${number(most)} users` : name], [
    number((rates[Math.floor(rates.length / 2)] ?? NaN) * scale),
    `${valid.length} of ${samples.length}`,
    number(last?.latencyMs?.p50, 3),
    number(last?.latencyMs?.p99, 3)
  ])
  const words = [errors.join(', ') || 'none', ...kinds, ...logged].join('; ')
  line.append(...row(['', words], [cores('load'), cores('proxy'), cores('server')]).querySelectorAll('td'))
  return line
}

function draw () {
  const names = [...arms.keys()]
  if (trials.length < 2) return
  // Each arm has a point at the start time of each trial.
  const times = trials.map(({ startedAt }) => Date.parse(startedAt) / 1000)
  const rates = names.map(name => trials.map(({ arm, rps, invalid }) => arm === name && !invalid ? rps * scale : null))
  const data = /** @type {AlignedData} */ (/** @type {unknown} */ ([times, ...rates]))
  if (chart) return chart.setData(data)
  const frame = byId('chart', HTMLElement)
  const Chart = uPlot
  chart = new Chart(optionsOf(names, frame.clientWidth), data, frame)
}

/**
 * @param {string[]} names
 * @param {number} width
 */
function optionsOf (names, width) {
  const style = getComputedStyle(document.documentElement)
  const color = (/** @type {string} */ variable) => style.getPropertyValue(variable).trim()
  const axis = { stroke: color('--quiet'), grid: { stroke: color('--line') }, ticks: { stroke: color('--line') } }
  /** @type {(chart: unknown, low: number, high: number) => [number, number]} */
  const range = (_chart, _low, high) => [0, high * 1.05 || 1]
  return {
    width,
    height: 280,
    axes: [axis, { ...axis, size: 64 }],
    scales: { y: { range } },
    series: [{}, ...names.map((label, i) => ({
      label,
      stroke: color(COLORS[i % COLORS.length]),
      dash: DASHES[Math.floor(i / COLORS.length) % DASHES.length],
      width: 1.5,
      spanGaps: true,
      points: { size: 5 }
    }))]
  }
}
addEventListener('resize', () => chart?.setSize({ width: byId('chart', HTMLElement).clientWidth, height: 280 }))

setInterval(() => {
  if (!running || !budget) return
  const used = (Date.now() - startedAt) / 1000
  byId('progress', HTMLProgressElement).value = Math.min(1, used / budget)
  const left = Math.max(0, Math.round(budget - used))
  say('left', left > 0 ? `${left >= 60 ? `${Math.floor(left / 60)} min ` : ''}${left % 60} s left at most` : 'ending')
}, 500)
