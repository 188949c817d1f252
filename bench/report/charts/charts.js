/** Draws the charts of sections, with their legends. */
import { barChart } from './bar-chart.js'
import { chainChart } from './chain-chart.js'
import { costChart, costLegend } from './cost-chart.js'
import { latencyChart } from './latency-chart.js'
import { linesChart, linesLegend } from './lines-chart.js'
import { rateChart, rateLegend } from './rate-chart.js'
import { ratioChart, ratioLegend } from './ratio-chart.js'

/** @import { ChartBlock } from '../../types.js' */
/** @import { Chart } from './draw.js' */

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
