/** Chart of a figure over stored runs: its values, the level of each segment, and its steps (pure). */
import * as Plot from '@observablehq/plot'
import { printValue, runLabel } from '../history-words.js'

/** @import { History, HistoryFigure, Step } from '../../judge/history.js' */
/** @import { Chart } from './draw.js' */

const LABEL_WIDTH = 84 // Pixels of the label of a run.
const HEIGHT = 170 // Pixels, of which several charts fit on a screen.

/**
 * Leaves out steps whose labels would overlap that of an earlier step.
 *
 * @param {Step[]} steps
 * @param {number} pixels width of a run
 */
function selectLabelled (steps, pixels) {
  /** @type {Step[]} */
  const labelled = []
  for (const step of steps) {
    const last = labelled.at(-1)
    if (last === undefined || (step.run - last.run) * pixels >= LABEL_WIDTH) labelled.push(step)
  }
  return labelled
}

/**
 * @param {HistoryFigure} figure
 * @param {History} history
 * @returns {Chart}
 */
export const historyChart = ({ kind, points, levels, steps }, { runs, unit }) => width => {
  const every = Math.ceil(runs.length * LABEL_WIDTH / width)
  const starts = [...new Set(steps.map(({ run }) => run))]
  const values = points.map((point, i) => ({
    ...point,
    low: point.low || point.value,
    high: point.high ?? point.value,
    level: levels[i],
    segment: starts.filter(start => start <= point.run).length
  }))
  return {
    height: HEIGHT,
    marginLeft: 64,
    marginTop: 22,
    marginRight: 40,
    x: {
      label: null,
      domain: [-0.5, runs.length - 0.5],
      ticks: runs.flatMap((_, i) => i % every === 0 ? [i] : []),
      tickFormat: (/** @type {number} */ i) => runs[i] ? runLabel(runs[i]) : ''
    },
    y: {
      label: null,
      grid: true,
      ticks: 4,
      nice: true,
      tickFormat: (/** @type {number} */ value) => printValue(kind, value, unit)
    },
    marks: [
      Plot.ruleX(values, { x: 'run', y1: 'low', y2: 'high', stroke: 'var(--line-strong)', strokeWidth: 2 }),
      Plot.line(values, { x: 'run', y: 'level', z: 'segment', stroke: 'var(--ink)', strokeWidth: 2 }),
      Plot.dot(values, {
        x: 'run',
        y: 'value',
        r: 4,
        fill: 'var(--point)',
        title: ({ run, value }) => `${runs[run].run}: ${printValue(kind, value, unit)}`
      }),
      Plot.ruleX(steps, {
        x: ({ run }) => run - 0.5,
        stroke: ({ direction }) => direction === 'worse' ? 'var(--slower)' : 'var(--faster)',
        strokeWidth: 2,
        strokeDasharray: '4 3'
      }),
      Plot.text(selectLabelled(steps, width / runs.length), {
        x: ({ run }) => run - 0.5,
        frameAnchor: 'top',
        dy: -14,
        text: ({ run, ratio }) => `${ratio > 1 ? '▲' : '▼'} ${runLabel(runs[run])}`
      })
    ]
  }
}
