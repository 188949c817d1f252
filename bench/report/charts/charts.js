/** Draws the charts of sections, with their legends. */
import { ratioChart, ratioLegend } from './ratio-chart.js'
import * as Plot from '@observablehq/plot'
import { count, isNumber, micros } from '../../shared/format.js'
import { ROLES } from '../../shared/group-by.js'
import { unitOf } from '../../shared/units.js'
import { LETTER_WIDTH, layOutRows } from './rows.js'
import { ofApp } from '../latencies.js'
import { PERCENTILES, hasLatency } from '../tables/arms.js'

/** @import { ArmResult, Bar, ChartBlock, ChartHop, ChartLine, LineAxes, RunRecord } from '../../types.js' */
/** @import { Sample } from '../../types.js' */
/** @import { Chart } from './draw.js' */
/** @import { RenderFunction, SymbolType } from '@observablehq/plot' */

const COLORS = ['var(--c1)', 'var(--c2)', 'var(--c3)', 'var(--c4)', 'var(--c5)', 'var(--c6)', 'var(--c7)']
const DASHES = ['none', '7 3', '2 3', '9 3 2 3']
/** @type {SymbolType[]} */
const SYMBOLS = ['circle', 'square', 'triangle', 'diamond', 'star', 'wye', 'plus']
const MAX_MARKS = 12 // Marks on one line; more of them would cover it.
const LABEL_WIDTH = 60 // Pixels of a label of the horizontal axis.

/** @param {number} i index of the line */
const getLook = i => ({
  color: COLORS[i % COLORS.length],
  dash: DASHES[Math.floor(i / COLORS.length) % DASHES.length],
  symbol: SYMBOLS[i % SYMBOLS.length]
})

/**
 * @param {ChartLine[]} lines
 * @param {LineAxes} axes
 * @returns {Chart}
 */
const linesChart = (lines, { x, y, isStepped = false, isLogY = false, mark }) => width => ({
  height: Math.min(380, width * 0.75),
  marginLeft: 64,
  marginTop: 28,
  x: isStepped
    ? { label: `${x} →`, type: 'log', ticks: stepTicks(lines, width), tickFormat: count }
    : { label: `${x} →`, ticks: width / 90, zero: isLogY },
  y: isLogY
    ? { label: `↑ ${y}`, grid: true, type: 'log', ticks: 5, tickFormat: String }
    : { label: `↑ ${y}`, grid: true, zero: true },
  marks: [
    ...mark
      ? [Plot.ruleY([mark.y], { stroke: 'var(--slower)', strokeDasharray: '4 3' }),
          Plot.text([mark], { y: 'y', text: 'name', frameAnchor: 'left', dy: -7, dx: 4 })]
      : [],
    ...lines.flatMap(({ name, points, end }, i) => {
      const { color, dash, symbol } = getLook(i)
      const every = Math.ceil(points.length / MAX_MARKS)
      return [
        Plot.line(end ? [...points, end] : points, {
          x: 'x',
          y: 'y',
          stroke: color,
          strokeWidth: 2,
          strokeDasharray: dash
        }),
        Plot.dot(points.filter((_, index) => index % every === 0), {
          x: 'x',
          y: 'y',
          stroke: color,
          fill: color,
          symbol,
          r: 4,
          title: () => name
        }),
        Plot.dot(end ? [end] : [], {
          x: 'x',
          y: 'y',
          stroke: 'var(--slower)',
          strokeWidth: 3,
          symbol: 'times',
          r: 7,
          title: () => `${name}: the first errors`
        })
      ]
    })
  ]
})

/**
 * Returns the steps of the horizontal axis. Leaves out every second one if labels would overlap.
 * @param {ChartLine[]} lines
 * @param {number} width in pixels
 */
function stepTicks (lines, width) {
  const xs = lines.flatMap(({ points, end }) => [...points, ...end ? [end] : []]).map(({ x }) => x)
  const steps = [...new Set(xs)].sort((a, b) => a - b)
  return steps.length * LABEL_WIDTH < width ? steps : steps.filter((_, i) => i % 2 === 0)
}

/** @param {ChartLine[]} lines */
const linesLegend = lines => lines.map(({ name }, i) => ({ name, ...getLook(i), symbol: String(getLook(i).symbol) }))

/**
 * @param {{ arms: ArmResult[] }} block at least one arm with response times
 * @returns {Chart}
 */
function latencyChart ({ arms }) {
  const shown = arms.map(ofApp).filter(hasLatency)
  return width => {
    const layout = layOutRows(shown.map(({ name }) => name), width)
    const points = shown.flatMap(({ name, latencyMs }, i) =>
      PERCENTILES.flatMap(percentile => {
        const time = latencyMs?.[percentile]
        return isNumber(time) && time > 0
          ? [{ time, row: i + layout.drop, percentile, title: `${name}, ${percentile}: ${micros(time)} ms` }]
          : []
      })
    )
    return {
      ...layout.frame,
      x: { type: 'log', label: 'ms →', ticks: width / 100, grid: true },
      marks: [
        Plot.line(points, { x: 'time', y: 'row', z: 'row', stroke: 'var(--line-strong)', strokeWidth: 2 }),
        Plot.dot(points, { x: 'time', y: 'row', fill: 'var(--point)', r: 4, title: 'title' }),
        Plot.text(points.filter(({ percentile }) => percentile !== 'p95'), {
          x: 'time',
          y: 'row',
          text: 'percentile',
          dy: -11
        }),
        ...layout.names
      ]
    }
  }
}

/**
 * Chart of rates. Every trial is a point, in the order of the blocks from the top of its row to the bottom, so that a
 * drift is visible. The line is the interval of the median.
 */

const SPREAD = 0.56 // Share of a row that its points fill.
const MIN_FROM_ZERO = 0.75 // A scale starts at zero unless the lowest rate exceeds this share of the highest.
const DOT = 3 // Diameter of a point, in pixels.

/** @param {{ samples: Sample[] }} block */
const rateLegend = ({ samples }) => [
  { name: 'a trial', color: 'var(--point)', symbol: 'circle' },
  ...samples.some(({ invalid }) => invalid)
    ? [{ name: 'an invalid trial', color: 'var(--lost)', symbol: 'circle' }]
    : []
]

/**
 * @param {Pick<RunRecord, 'arms' | 'unit'> & { samples: Sample[] }} block at least one arm with a rate
 * @returns {Chart}
 */
function rateChart ({ arms, unit, samples }) {
  const { label, scale } = unitOf(unit)
  const shown = arms.filter(({ rps }) => isNumber(rps?.median))
  const rows = new Map(shown.map(({ name }, i) => [name, i]))
  const trials = samples.filter(({ arm, seconds, rps }) => rows.has(arm) && seconds > 0 && isNumber(rps))
  const [valid, invalid] = [trials.filter(({ invalid }) => !invalid), trials.filter(({ invalid }) => invalid)]
  const blocks = Math.max(1, trials.reduce((most, { block }) => Math.max(most, block), 0))
  const medians = shown.flatMap(({ rps }) => rps ? [rps.low, rps.median, rps.high].filter(isNumber) : [])
  const domain = rateDomain([...valid.map(({ rps }) => rps), ...medians]).map(rate => rate * scale)
  return width => {
    const layout = layOutRows(shown.map(({ name }) => name), width)
    const toPoint = (/** @type {Sample} */ { arm, block, rps }) => ({
      x: Math.min(domain[1], Math.max(domain[0], rps * scale)),
      y: (rows.get(arm) ?? 0) + layout.drop + (block / blocks - 0.5) * SPREAD
    })
    const lines = shown.map(({ name, rps }, i) => ({
      name,
      row: i + layout.drop,
      median: (rps?.median ?? NaN) * scale,
      low: (rps?.low || NaN) * scale,
      high: (rps?.high ?? NaN) * scale
    }))
    return {
      ...layout.frame,
      x: { domain, label: `${label} →`, ticks: width / 110, grid: true },
      marks: [
        pointsMark(invalid.map(toPoint), 'var(--lost)'),
        pointsMark(valid.map(toPoint), 'var(--point)'),
        Plot.ruleY(lines.filter(({ low, high }) => isNumber(low) && isNumber(high)), {
          y: 'row',
          x1: 'low',
          x2: 'high',
          stroke: 'var(--ink)',
          strokeWidth: 3
        }),
        Plot.ruleX(lines, {
          x: 'median',
          y1: ({ row }) => row - SPREAD / 2,
          y2: ({ row }) => row + SPREAD / 2,
          stroke: 'var(--ink)',
          strokeWidth: 3,
          title: 'name'
        }),
        ...layout.names
      ]
    }
  }
}

/**
 * Returns the ends of the scale. Reduces in pairs, because a call cannot take a hundred thousand arguments.
 * @param {number[]} rates
 */
function rateDomain (rates) {
  const least = rates.reduce((a, b) => Math.min(a, b), Infinity)
  const most = rates.reduce((a, b) => Math.max(a, b), -Infinity)
  return [least < most * MIN_FROM_ZERO ? 0 : least * 0.98, most * 1.02]
}

/**
 * Draws many points as one path, because a hundred thousand circles would make a page of ten megabytes. Draws points at
 * the same pixel once.
 * @param {{ x: number, y: number }[]} points in the units of the scales
 * @param {string} color
 * @returns {RenderFunction} a mark of Observable Plot
 */
const pointsMark = (points, color) => (_index, scales, _values, _dimensions, context) => {
  const { x, y } = /** @type {Record<'x' | 'y', (value: number) => number>} */ (/** @type {unknown} */ (scales))
  const pixels = new Set(points.map(point => `${Math.round(x(point.x))},${Math.round(y(point.y))}`))
  const path = context.document.createElementNS('http://www.w3.org/2000/svg', 'path')
  const attributes = {
    d: [...pixels].map(pixel => `M${pixel}h0`).join(''),
    stroke: color,
    'stroke-width': String(DOT),
    'stroke-linecap': 'round',
    fill: 'none'
  }
  for (const [name, value] of Object.entries(attributes)) path.setAttribute(name, value)
  return path
}

/**
 * @param {ChartBlock} block
 * @returns {{ chart: Chart, legend: { name: string, color: string, dash?: string, symbol: string }[] }} legend: empty
 *   if the chart has names
 */
export function toChart (block) {
  switch (block.chart) {
    case 'lines': return { chart: linesChart(block.lines, block.axes), legend: linesLegend(block.lines) }
    case 'bars': return { chart: barChart(block.bars, block.unit), legend: [] }
    case 'ratios': return {
      chart: ratioChart(block.rows, block.noise, block.axis), legend: ratioLegend(block.noise, block.band)
    }
    case 'rates': return { chart: rateChart(block), legend: rateLegend(block) }
    case 'costs': return { chart: costChart(block), legend: costLegend }
    case 'percentiles': return { chart: latencyChart(block), legend: [] }
    case 'chain': return { chart: chainChart(block.hops), legend: [] }
  }
}

/** Sizes in pixels. Letters of a proportional font are narrower on average. */
const BOX = { least: 280, letter: 7.2, line: 17, padding: 10, gap: 26 }

/**
 * @param {ChartHop[]} hops
 * @returns {Chart}
 */
function chainChart (hops) {
  let bottom = 1 - BOX.gap
  const boxes = hops.map(({ title, details }) => {
    const top = bottom + BOX.gap
    bottom = top + BOX.line * (1 + details.length) + 2 * BOX.padding
    return { top, bottom, title, details }
  })
  const lines = boxes.flatMap(({ top, title, details }) => [title, ...details].map((text, i) =>
    ({ text, y: top + BOX.padding + BOX.line * (i + 0.5), isTitle: i === 0 })))
  const width = Math.max(BOX.least, ...lines.map(({ text }) => text.length * BOX.letter)) + 2 * BOX.padding
  return () => ({
    width: width + 2,
    height: bottom + 1,
    axis: null,
    x: { type: 'identity' },
    y: { type: 'identity' },
    marks: [
      Plot.rect(boxes, {
        x1: 1, x2: width, y1: 'top', y2: 'bottom', rx: 6, fill: 'var(--raised)', stroke: 'var(--line-strong)'
      }),
      Plot.arrow(boxes.slice(1), { x1: 30, x2: 30, y1: ({ top }) => top - BOX.gap, y2: 'top', stroke: 'var(--quiet)' }),
      ...[true, false].map(isTitle => Plot.text(lines.filter(line => line.isTitle === isTitle), {
        x: BOX.padding,
        y: 'y',
        text: 'text',
        textAnchor: 'start',
        fill: isTitle ? 'var(--ink)' : 'var(--quiet)',
        fontWeight: isTitle ? 600 : 400
      }))
    ]
  })
}

/**
 * @param {Bar[]} bars
 * @param {string} unit label of the axis
 * @returns {Chart}
 */
const barChart = (bars, unit) => width => {
  const layout = layOutRows(bars.map(({ name }) => name), width)
  const rows = bars.map((bar, i) => ({ ...bar, row: i + layout.drop, title: `${bar.name}: ${micros(bar.value)}` }))
  return {
    ...layout.frame,
    x: {
      domain: [0, Math.max(...bars.map(({ high }) => high)) || 1], label: `${unit} →`, ticks: width / 110, grid: true
    },
    marks: [
      Plot.rect(rows, {
        x1: 0,
        x2: 'value',
        y1: ({ row }) => row - HALF_BAR,
        y2: ({ row }) => row + HALF_BAR,
        fill: 'var(--proxy)',
        title: 'title'
      }),
      Plot.ruleY(rows.filter(({ low, high }) => high > low), { x1: 'low', x2: 'high', y: 'row', strokeWidth: 2 }),
      ...layout.names
    ]
  }
}

const costLegend = ROLES.map(role => ({ name: role, color: `var(--${role})`, symbol: 'band' }))

const HALF_BAR = 0.3 // Half the height of a bar, in rows.

/**
 * @param {Pick<RunRecord, 'arms' | 'unit'>} block at least one arm with CPU time
 * @returns {Chart}
 */
function costChart ({ arms, unit }) {
  const { units, per } = unitOf(unit)
  const shown = arms.flatMap(({ name, cpuMicrosPerRequest: cpu }) =>
    cpu && ROLES.every(role => isNumber(cpu[role])) ? [{ name, cpu }] : [])
  const longest = Math.max(...shown.map(({ cpu }) => (cpu.load + cpu.proxy + cpu.server) * units))
  return width => {
    const layout = layOutRows(shown.map(({ name }) => name), width)
    const bars = shown.flatMap(({ name, cpu }, i) => {
      let from = 0
      return ROLES.map(role => {
        const time = cpu[role] * units
        const bar = {
          from,
          to: from + time,
          middle: from + time / 2,
          row: i + layout.drop,
          color: `var(--${role})`,
          text: `${role} ${micros(time)}`,
          title: `${name}, ${role}: ${micros(time)} µs`
        }
        from = bar.to
        return bar
      })
    })
    const pixelsPerMicro = (width - layout.frame.marginLeft - 24) / longest
    const labelled = bars.filter(({ from, to, text }) => (to - from) * pixelsPerMicro > text.length * LETTER_WIDTH)
    return {
      ...layout.frame,
      x: { domain: [0, longest], label: `CPU time for each ${per}, in µs →`, ticks: width / 110, grid: true },
      marks: [
        Plot.rect(bars, {
          x1: 'from',
          x2: 'to',
          y1: ({ row }) => row - HALF_BAR,
          y2: ({ row }) => row + HALF_BAR,
          fill: 'color',
          stroke: 'var(--paper)',
          title: 'title'
        }),
        Plot.text(labelled, { x: 'middle', y: 'row', text: 'text', fill: 'var(--on-bar)' }),
        ...layout.names
      ]
    }
  }
}
