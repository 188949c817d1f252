/**
 * The numbers behind every chart, as they are printed: nothing is only to be seen in a drawing.
 * @import { ArmResult, RunRecord, SeriesPoint } from '../types.js'
 */
import { count, estimate, interval, isNumber, level, micros, NONE, percent } from '../report/format.js'
import { heldBack } from '../report/sentences.js'
import { errorKinds } from '../report/table.js'
import { unitOf } from '../report/units.js'
import { PERCENTILES } from './latency-chart.js'

/** `numeric`: whether the column is one of figures */
/** @typedef {{ head: { text: string, numeric: boolean }[], rows: string[][] }} Table */

/** @type {(...names: string[]) => Table['head']} a name that begins with # is a column of figures */
const heads = (...names) => names.map(name => ({ text: name.replace(/^#/, ''), numeric: name.startsWith('#') }))

/** @param {RunRecord} record @returns {Table} */
export function rateTable ({ arms, unit }) {
  const { perSecond, print } = unitOf(unit)
  return {
    head: heads('arm', 'topology', `#${perSecond}`, '#interval', '#valid trials', 'limited by', 'errors'),
    rows: arms.map(({ name, word, rps, trials, invalidTrials, invalid, bound, errors }) => [
      name, word, print(rps?.median), rps ? interval(print(rps.low || NaN), print(rps.high)) : NONE,
      `${count(trials - invalidTrials.length)} of ${count(trials)}`, rps ? bound : NONE, invalid?.text ?? errorKinds(errors) ?? 'none'
    ])
  }
}

/** @param {RunRecord} record @returns {Table} */
export const contrastTable = ({ contrasts, arms }) => ({
  head: heads('arm', 'against', '#ratio', '#interval', '#level', '#blocks', 'verdict', 'why'),
  rows: contrasts.map(contrast => {
    const text = heldBack(contrast, arms) ? { ratio: NONE, interval: NONE } : estimate(contrast)
    const bound = contrast.oneSided === 'at-least' ? `≥ ${estimate(contrast).low}` : contrast.oneSided === 'at-most' ? `≤ ${estimate(contrast).high}` : null
    return [
      contrast.arm, contrast.baseline, bound ?? text.ratio, bound ? NONE : text.interval, level(contrast.level), count(contrast.blocks),
      contrast.verdict.replace('-', ' '), contrast.why ?? ''
    ]
  })
})

/** @param {RunRecord} record @returns {Table} */
export function costTable ({ arms, unit }) {
  const { units } = unitOf(unit)
  return {
    head: heads('arm', '#load', '#proxy', '#server', '#proxy MiB', '#server MiB', '#bytes an answer'),
    rows: arms.map(({ name, cpuMicrosPerRequest: cpu, memoryMiB: memory, bytesPerResponse }) => [
      name, micros(cpu && cpu.load * units), micros(cpu && cpu.proxy * units), micros(cpu && cpu.server * units),
      memory ? count(Math.round(memory.proxy)) : NONE, memory ? count(Math.round(memory.server)) : NONE, count(bytesPerResponse)
    ])
  }
}

/** @param {RunRecord} record @returns {Table} */
export const latencyTable = ({ arms }) => ({
  head: heads('arm', ...PERCENTILES.map(name => `#${name}, ms`), 'told by'),
  rows: arms.filter(({ latencyMs }) => latencyMs).map(({ name, latencyMs }) => [name, ...PERCENTILES.map(percentile => micros(latencyMs?.[percentile])), latencyMs?.source ?? ''])
})

/**
 * @param {RunRecord} record
 * @param {(point: SeriesPoint) => string} print
 * @returns {Table}
 */
export function seriesTable ({ arms, plan }, print) {
  const shown = arms.filter(({ name, series }) => series && series.length > 0 && name !== plan.twin?.arm)
  const seconds = [...new Set(shown.flatMap(({ series = [] }) => series.map(({ second }) => second)))].sort((a, b) => a - b)
  return {
    head: heads('second', ...shown.map(({ name }) => `#${name}`)),
    rows: seconds.map(second => [String(second), ...shown.map(({ series = [] }) => {
      const point = series.find(point => point.second === second)
      return point ? print(point) : NONE
    })])
  }
}

/** @param {RunRecord} record @returns {Table} */
export function ladderTable ({ arms, plan, unit }) {
  const shown = arms.filter(arm => arm.ladder && arm.ladder.of !== plan.twin?.arm)
  const steps = [...new Set(shown.map(({ load }) => load.connections))].sort((a, b) => a - b)
  return {
    head: heads('arm', ...steps.map(step => `#${count(step)}`)),
    rows: [...new Set(shown.map(arm => arm.ladder?.of ?? ''))].map(name => [name, ...steps.map(step => {
      const arm = shown.find(arm => arm.ladder?.of === name && arm.load.connections === step)
      if (!arm || arm.trials === 0) return NONE
      return errorKinds(arm.errors) ?? (isNumber(arm.rps?.median) ? unitOf(unit).print(arm.rps.median) : invalidOf(arm))
    })])
  }
}

/** @param {ArmResult} arm */
const invalidOf = ({ invalid, invalidTrials }) => invalid?.text ?? invalidTrials.at(-1)?.reason.text ?? NONE

/** @param {RunRecord} record @returns {Table} */
export function environmentTable ({ environment: it, tools, seed, run, startedAt, endedAt }) {
  const cores = (/** @type {number[]} */ list) => list.join(', ') || NONE
  return {
    head: heads('what', 'value'),
    rows: [
      ['run', run],
      ['began, ended (UTC)', `${startedAt}, ${endedAt ?? NONE}`],
      ['processor', `${it.cpu.model}, ${it.cpu.cores} cores${it.cpu.virtual ? ', virtual' : ''}`],
      ['governor', it.cpu.governor ?? 'not told by this system'],
      ['cores', `load ${cores(it.cores.load)}; served ${cores(it.cores.served)}`],
      ['memory', `${count(it.memoryMiB)} MiB`],
      ['system', `${it.platform} ${it.kernel}`],
      ['Node', it.node],
      ...Object.entries(tools).map(([name, version]) => [name, version]),
      ['network', it.lab.network === 'namespaces' ? 'a private namespace for each topology' : `the host's loopback${it.lab.why ? `: ${it.lab.why}` : ''}`],
      ['open files', count(it.limits.openFiles)],
      ['other load', `${it.busy.busyShare == null ? '' : `${percent(it.busy.busyShare)} of the cores at work, `}load average ${it.busy.loadAverage.toFixed(2)} when it began, ${percent(it.busy.stealShare)} of CPU time taken by other guests`],
      ...Object.entries(it.sysctl).map(([name, value]) => [name, value]),
      ['seed', String(seed)]
    ]
  }
}
