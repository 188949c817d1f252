/** The figures of a run as plain numbers with a direction, for exports that other programs read (pure). */
import { isNumber } from '../shared/format.js'
import { unitOf } from '../shared/units.js'

/** @import { Metric, RunRecord } from '../types.js' */

/**
 * Lists the figures of the valid arms, and the ratios of the valid contrasts. Excludes the A/A arm.
 *
 * @param {RunRecord} record
 * @returns {Metric[]}
 */
export function listMetricsOfRun (record) {
  const { arms, contrasts, plan } = record
  const measured = arms.filter(({ name, invalid }) => invalid === null && name !== plan.twin?.arm)
  const { perSecond, per, units } = unitOf(record.unit)
  const figures = measured.flatMap(({ name, rps, cpuMicrosPerRequest: cpu, memoryMiB, bytesPerResponse }) => [
    toMetric(name, { measure: 'throughput', unit: perSecond, better: 'bigger' }, scaleRate(rps, record.unit)),
    toMetric(name, { measure: 'cpu-time', unit: `µs/${per}`, better: 'smaller' },
      { value: cpu && (cpu.proxy + cpu.server) * units }),
    toMetric(name, { measure: 'memory', unit: 'MiB', better: 'smaller' },
      { value: memoryMiB && memoryMiB.proxy + memoryMiB.server }),
    toMetric(name, { measure: 'response-size', unit: 'B', better: 'smaller' }, { value: bytesPerResponse })
  ])
  const latencies = (record.openLoop?.arms ?? []).map(({ name, latencyMs }) =>
    toMetric(name, { measure: 'latency-p99', unit: 'ms', better: 'smaller' }, { value: latencyMs?.p99 }))
  const ratios = contrasts.filter(({ verdict }) => verdict !== 'invalid').map(({ arm, baseline, ratio, low, high }) =>
    toMetric(`${arm} ÷ ${baseline}`, { measure: 'relative-throughput', unit: '×', better: 'bigger' },
      { value: ratio, low, high }))
  return [...figures, ...latencies, ...ratios].filter(figure => figure !== null)
}

/**
 * Returns a rate and its interval in the unit that is printed.
 *
 * @param {RunRecord['arms'][number]['rps']} rps
 * @param {RunRecord['unit']} unit
 */
function scaleRate (rps, unit) {
  const { scale } = unitOf(unit)
  return rps === null ? { value: null } : { value: rps.median * scale, low: rps.low * scale, high: rps.high * scale }
}

/**
 * @param {string} subject
 * @param {Pick<Metric, 'measure' | 'unit' | 'better'>} measure
 * @param {{ value?: number | null, low?: number | null, high?: number | null }} estimate
 * @returns {Metric | null} null: there is no value
 */
export function toMetric (subject, measure, { value, low, high }) {
  if (!isNumber(value)) return null
  return { subject, ...measure, value, low: isNumber(low) && low > 0 ? low : null, high: isNumber(high) ? high : null }
}
