/** Measures topologies for an advice by `hopbench run`, and sizes one by `hopbench size`. */
import { findMix } from '../../plan/request-mix.js'
import { printContrastWhy } from '../../report/facts/facts.js'
import { isNumber } from '../../shared/format.js'
import { findBest } from '../../report/sizing-headlines.js'
import { offeringName } from '../../report/tables/sizing.js'
import { readLastLines } from '../../machine/process.js'
import { HEADROOM, SPARE } from '../../shared/thresholds.js'
import { readError, readPrinted, startCommand, waitForEnd } from '../child-command.js'
import { getCores } from '../sizing/offerings.js'
import { countInstances } from '../sizing/price.js'
import { findErrorSentence } from '../suite.js'

/** @import { AdviceContrast, AdviceLoad, AdviceSizing, ArmResult, RunRecord } from '../../types.js' */

/** Seconds that a command may exceed its budget: programs are installed, apps start, and a sizing ends its window. */
const SPARE_SECONDS = 300
const MICROS = 1e6

/**
 * A process that measures, and what its command needs.
 *
 * @typedef {object} Bench
 * @property {string} dir folder for the output
 * @property {string[]} command of childCommand()
 * @property {() => number} interrupted number of times that Ctrl-C was pressed
 */

/**
 * Runs a command that prints a record.
 *
 * @param {string[]} words
 * @param {Bench & { name: string, seconds: number }} options
 * @returns {Promise<{ record: RunRecord | null, failure: string | null }>} failure: a sentence; null: none
 */
export async function runForRecord (words, { name, dir, command, interrupted, seconds }) {
  const { child, stdout, log } = startCommand([...words, '--json'], { name, dir, command })
  const timedOut = await waitForEnd(child, { interrupted, seconds: seconds + SPARE_SECONDS })
  /** @type {RunRecord | null} */
  const record = readPrinted(stdout)
  if (record) return { record, failure: null }
  if (timedOut) return { record, failure: `hopbench ${words[0]} did not end in time.` }
  return { record, failure: readError(stdout)?.message ?? findErrorSentence(readLastLines(log, 40)) }
}

/**
 * Returns the contrasts of a run with the figures of their arms.
 *
 * @param {RunRecord} record
 * @returns {{ contrasts: AdviceContrast[], notes: string[] }} notes: why a contrast is invalid
 */
export function toContrasts ({ run, arms, contrasts, unit }) {
  const byName = new Map(arms.map(arm => [arm.name, arm]))
  const found = contrasts.map(contrast => {
    const { ratio, low, high, level, verdict, secondsToSettle } = contrast
    const arm = /** @type {ArmResult} */ (byName.get(contrast.arm))
    const baseline = /** @type {ArmResult} */ (byName.get(contrast.baseline))
    return {
      arm: arm.word,
      baseline: baseline.word,
      ratio,
      low,
      high,
      level,
      verdict,
      secondsToSettle: secondsToSettle ?? null,
      run,
      bytes: { arm: arm.bytesPerResponse ?? null, baseline: baseline.bytesPerResponse ?? null },
      requests: unit === 'pages' ? findMix(baseline.load)?.sequence.length ?? 1 : 1,
      cpuMicros: { arm: toCpuMicros(arm), baseline: toCpuMicros(baseline) }
    }
  })
  const notes = contrasts.filter(({ verdict }) => verdict === 'invalid').map(contrast =>
    `${contrast.arm} against ${contrast.baseline} is invalid: ${printContrastWhy(contrast) ?? 'no reason is known'}.`)
  return { contrasts: found, notes }
}

/** @param {Pick<ArmResult, 'cpuMicrosPerRequest'>} arm */
const toCpuMicros = ({ cpuMicrosPerRequest: micros }) =>
  micros && isNumber(micros.server) ? micros.server + (micros.proxy ?? 0) : null

/**
 * Returns the cheapest offering of a sizing.
 *
 * @param {Pick<RunRecord, 'run' | 'sizing'>} record
 * @returns {AdviceSizing | null} null: no offering fits
 */
export function toSizing ({ run, sizing }) {
  const row = sizing && findBest(sizing.table)
  const topology = sizing?.topologies.find(({ word }) => word === row?.topology)
  if (!row || !topology || row.instances === null || row.perInstance === null) return null
  const { offering, perInstance, instances, total = null, monthly, workers } = row
  const points = topology.curve.filter(({ micros }) => isNumber(micros.server))
  const closest = points.toSorted((a, b) => Math.abs(a.rate - perInstance) - Math.abs(b.rate - perInstance))[0]
  return {
    run,
    word: row.topology,
    offering: offeringName(offering),
    perInstance,
    instances,
    cores: getCores(offering),
    processes: workers?.workers ?? null,
    total: total ?? monthly,
    currency: offering.currency,
    cpuMicros: closest ? closest.micros.server + (closest.micros.proxy ?? 0) : null,
    perGb: offering.egress?.perGb ?? null
  }
}

/**
 * Adds the numbers of instances that the arms of contrasts need at the load, by their CPU time per request: an instance
 * has as much CPU time as the sized topology uses at its rate.
 *
 * @param {AdviceContrast[]} contrasts
 * @param {AdviceSizing | null} sizing
 * @param {AdviceLoad} load
 * @returns {AdviceContrast[]}
 */
export function withInstances (contrasts, sizing, { rps }) {
  if (sizing === null || sizing.cpuMicros === null || rps === null) return contrasts
  const cores = sizing.perInstance * sizing.cpuMicros / MICROS
  const wish = { rate: rps, headroom: HEADROOM, spare: SPARE, fewest: 1 + SPARE }
  return contrasts.map(contrast => {
    const { low, high, requests, cpuMicros: { baseline } } = contrast
    if (baseline === null || !(baseline > 0) || !(low > 0) || !isNumber(high)) return contrast
    const perInstance = cores * MICROS / (baseline / requests)
    const countAt = (/** @type {number} */ ratio) => countInstances(perInstance * ratio, wish)
    return { ...contrast, instances: { low: countAt(low), high: countAt(high), baseline: countAt(1) } }
  })
}
