/** Figures that an advice takes from measurements. */
import { computeFreeGb, countInstances, findBest, getCores, isUncertain, offeringName } from '../size/index.js'
import { explain } from '../../errors.js'
import { inOwnWords } from '../../machine/own-command.js'
import { printContrastWhy } from '../../report/facts/facts.js'
import { ended, isNumber } from '../../shared/format.js'
import { HEADROOM, SPARE } from '../../shared/thresholds.js'

/** @import { AdviceContrast, AdviceLoad, AdviceSizing, RunRecord } from '../../types.js' */

/**
 * Folders and interruption of measurements.
 *
 * @typedef {object} Bench
 * @property {string} dir folder for the output
 * @property {string} sharedDir folder for copies of files and for the kit, which started programs can reach
 * @property {() => number} interrupted number of times that Ctrl-C was pressed
 * @property {typeof import('../../run/call-worker.js').callWorker} [call] tests pass another one
 */

/**
 * Describes an error, the output of its program and its remedy in one line.
 *
 * @param {unknown} error
 */
export function toFailure (error) {
  const { message, try: remedy } = explain(error).json.error
  const [sentence, ...lines] = message.trim().split(/\s*\n\s*/)
  const output = lines.length > 0 ? [ended(`Output: ${lines.join(' ')}`)] : []
  return [sentence, ...output, `Try: ${inOwnWords(remedy)}`].join(' ')
}

/**
 * Returns why contrasts of a run are invalid.
 *
 * @param {Pick<RunRecord, 'contrasts'>} record
 * @returns {string[]} sentences
 */
export const listInvalid = ({ contrasts }) =>
  contrasts.filter(({ verdict }) => verdict === 'invalid').map(contrast => {
    // The reason may be the sentence of an error.
    const why = (printContrastWhy(contrast) ?? 'no reason is known').replace(/\.$/, '')
    return `${contrast.arm} against ${contrast.baseline} is invalid: ${why}.`
  })

/**
 * Returns the offering that an answer of the sizing names.
 *
 * @param {Pick<RunRecord, 'run' | 'sizing'>} record
 * @param {string | null} provider null: of any
 * @returns {AdviceSizing | null} null: no offering holds the rate
 */
export function toSizing ({ run, sizing }, provider) {
  const rows = sizing?.table.filter(({ offering }) => provider === null || offering.provider === provider) ?? []
  const row = findBest(rows) ?? rows.find(({ instances }) => instances !== null)
  if (!row || row.instances === null || row.perInstance === null) return null
  const { offering, perInstance, atLeast, instances, range, total = null, monthly, egress = null, workers } = row
  return {
    run,
    spec: row.topology,
    offering: offeringName(offering),
    perInstance,
    ...atLeast && { atLeast },
    instances,
    range: range?.instances ?? null,
    isUncertain: isUncertain(row),
    cores: getCores(offering),
    processes: workers?.workers ?? null,
    monthly,
    total,
    traffic: egress,
    currency: offering.currency,
    perGb: offering.egress?.perGb ?? null,
    freeGb: computeFreeGb(offering, instances)
  }
}

/**
 * Adds the numbers of instances that the arms of contrasts need at the load. An instance serves requests in inverse
 * proportion to their CPU time, which was measured for the sized topology, too.
 *
 * @param {AdviceContrast[]} contrasts
 * @param {AdviceSizing | null} sizing
 * @param {AdviceLoad} load
 * @returns {AdviceContrast[]} unchanged if the sized topology was not compared with another one
 */
export function withInstances (contrasts, sizing, { rps }) {
  if (sizing === null || rps === null) return contrasts
  const sizedMicros = findMicros(contrasts, sizing.spec)
  if (sizedMicros === null) return contrasts
  const wish = { rate: rps, headroom: HEADROOM, spare: SPARE, fewest: 1 + SPARE }
  const countAt = (/** @type {number} */ micros) => countInstances(sizing.perInstance * sizedMicros / micros, wish)
  return contrasts.map(contrast => {
    const { ratio, low, high, requests, cpuMicros: { arm, baseline } } = contrast
    if (!arm || !baseline || !(low > 0) || !isNumber(high)) return contrast
    const micros = { arm: arm / requests, baseline: baseline / requests }
    return {
      ...contrast,
      instances: {
        // The interval of the throughput is that of the CPU time, too.
        low: countAt(micros.arm * ratio / low),
        high: countAt(micros.arm * ratio / high),
        baseline: countAt(micros.baseline)
      }
    }
  })
}

/**
 * Returns the CPU time of a request of a topology, from the first contrast that has it.
 *
 * @param {AdviceContrast[]} contrasts
 * @param {string} spec
 * @returns {number | null} null: it was not measured
 */
function findMicros (contrasts, spec) {
  for (const { arm, baseline, requests, cpuMicros } of contrasts) {
    const micros = arm === spec ? cpuMicros.arm : baseline === spec ? cpuMicros.baseline : null
    if (micros) return micros / requests
  }
  return null
}
