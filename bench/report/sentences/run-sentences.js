/** Amount, end, machine and programs of a run as sentences (pure). */
import { duration, halfWidth, isNumber, percent, plural } from '../../shared/format.js'
import { describeSpeed } from '../../shared/machine-words.js'

/** @import { RunRecord } from '../../types.js' */

/** @type {Record<string, string>} */
const WHY_ENDED = {
  precision: 'ended by the precision reached',
  decided: 'ended when every verdict was decided',
  budget: 'ended by the time budget',
  blocks: 'ended after the requested blocks',
  interrupted: 'interrupted',
  failed: 'ended by a failure'
}

/**
 * Reports how much was measured, and why the run ended.
 * @param {RunRecord} record
 */
export function endSentence (record) {
  const { timing, ended: reason, contrasts, plan } = record
  const seconds = getSeconds(record)
  const amount = `${plural(timing.blocks, 'block')}${isNumber(seconds) ? ` in ${duration(seconds)}` : ''}`
  const widest = Math.max(...contrasts.map(contrast => halfWidth(contrast) ?? NaN))
  const precision = isNumber(widest) ? `, widest half-width ±${percent(widest)}` : ''
  return `${amount}, ${WHY_ENDED[reason ?? ''] ?? 'cut off before its end'}${precision}. Seed ${plan.seed}.`
}

/**
 * Returns how long a run took. Uses measured durations, because the clock may have been set between start and end.
 * @param {RunRecord} record
 * @returns {number | null} null: the run goes on
 */
export const getSeconds = ({ endedAt, timing }) => endedAt ? timing.setupSeconds + timing.sliceWallSeconds : null

/**
 * Lists the machine and the programs.
 * @param {RunRecord} record
 */
export function machineSentence ({ environment: { cpu, calibration, platform, kernel, node }, tools }) {
  const programs = Object.entries(tools).map(([name, version]) =>
    name === 'node' ? `servers under Node ${version}` : `${name} ${version}`)
  const parts = [`${cpu.model}, ${plural(cpu.cores, 'core')}`, `${platform} ${kernel}`, `Node ${node}`, ...programs]
  const speed = calibration ? ` One core: ${describeSpeed(calibration)}.` : ''
  return `${parts.join(', ')}.${speed}`
}

/**
 * Reports the resolution of this machine by its last selftest.
 * @param {Pick<RunRecord, 'resolves'>} record
 */
export const resolvesSentence = ({ resolves }) => resolves
  ? `This machine resolves ${percent(resolves.difference)} in ${plural(resolves.minutes, 'minute')} (${resolves.run}).`
  : null
