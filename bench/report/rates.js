/**
 * Latency by load: what arms answered at given rates, as text.
 * @import { ArmResult, RunRecord } from '../types.js'
 * @import { Style } from './text.js'
 */
import { micros, NONE, percent, rate } from './format.js'
import { draw, errorKinds, nameWidth } from './table.js'

/**
 * The arms of a run at rates, a list for each that the experiment names.
 * @param {Pick<RunRecord, 'arms'>} record
 * @returns {{ of: string, arms: ArmResult[] }[]} by rising share
 */
export function byShare ({ arms }) {
  const names = [...new Set(arms.flatMap(({ ladder }) => ladder?.of ?? []))]
  return names.map(of => ({ of, arms: arms.filter(({ ladder }) => ladder?.of === of).sort((a, b) => (a.load.share ?? 0) - (b.load.share ?? 0)) }))
}

/**
 * @param {RunRecord} record
 * @param {Style} style
 * @returns {string[]}
 */
export function ratesTable (record, style) {
  const rows = byShare(record).flatMap(({ of, arms }) => arms.map((arm, i) => {
    const { load, rps, latencyMs, cpuMicrosPerRequest: cpu, invalid, invalidTrials, errors } = arm
    const head = [i === 0 ? of : '', percent(load.share)]
    if (!rps || !latencyMs) return [...head, { spans: `not measured: ${invalid?.text ?? invalidTrials.at(-1)?.reason.text ?? errorKinds(errors) ?? 'the run ended before its turn'}` }]
    return [...head, rate(rps.median), ...[latencyMs.p50, latencyMs.p90, latencyMs.p99, latencyMs.max].map(micros), micros(cpu && cpu.proxy + cpu.server)]
  }))
  const figures = ['of peak', 'req/s', 'p50', 'p90', 'p99', 'max', 'µs/req']
  const widths = [7, 7, 6, 6, 6, 6, 6]
  const name = nameWidth(byShare(record).map(({ of }) => of), style.columns - widths.reduce((a, b) => a + b) - 2 * widths.length)
  return rows.length === 0 ? [NONE] : draw(['arm', ...figures], rows, [name, ...widths], 'lrrrrrrr', style)
}
