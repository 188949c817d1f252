/** Tables of arms and of contrasts: rates, costs, response times, ratios. */
import { isHeldBack } from '../../judge/verdict.js'
import { count, decimals, estimate, interval, isNumber, level, micros, NONE } from '../../shared/format.js'
import { ROLES, groupBy } from '../../shared/group-by.js'
import { errorsOf } from '../../shared/trial.js'
import { unitOf } from '../../shared/units.js'
import { printContrastWhy } from '../facts/facts.js'
import { printReason } from '../facts/reason-texts.js'
import { isUnsaturated, NOT_SATURATED } from '../phrases.js'
import { ofApp } from '../latencies.js'
import { column } from '../table.js'
import { compact } from '../wrap.js'

/** @import { ArmResult, Column, Contrast, ErrorCounts, RunRecord, Table } from '../../types.js' */

/** Percentiles on the page. A terminal has no room for p95. @type {('p50' | 'p90' | 'p95' | 'p99' | 'max')[]} */
export const PERCENTILES = ['p50', 'p90', 'p95', 'p99', 'max']
/** Reason of an arm without a trial. */
export const NO_TURN = 'the run ended before its turn'

/** @type {Column<Pick<ArmResult, 'name'>>} */
const nameColumn = column('arm', arm => arm.name, { left: true })

/**
 * @param {RunRecord} record
 * @returns {Table<ArmResult>}
 */
export function rateTable ({ arms, unit }) {
  const { perSecond, print } = unitOf(unit)
  const highestRate = Math.max(0, ...arms.map(({ rps }) => isNumber(rps?.median) ? rps.median : 0))
  return {
    rows: arms,
    columns: [
      nameColumn,
      column({ page: 'topology' }, ({ spec }) => spec, { left: true }),
      column(perSecond, ({ rps }) => print(rps?.median)),
      column('interval', ({ rps }) => printRateInterval(rps, print)),
      column({ page: 'valid trials' }, ({ trials, invalidTrials }) =>
        `${count(trials - invalidTrials.length)} of ${count(trials)}`),
      column({ page: 'limited by' }, ({ rps, bound }) => rps ? bound : NONE, { left: true }),
      column({ page: 'errors' }, ({ invalid, errors }) =>
        invalid ? printReason(invalid) : errorKinds(errors) ?? 'none', { left: true })
    ],
    instead: ({ rps, ...arm }) => isNumber(rps?.median) ? null : printWhyUnmeasured(arm),
    bar: ({ rps }) => (rps?.median ?? 0) / highestRate
  }
}

/**
 * Prints the interval of a rate. A single trial has none, and a lower end of 0 is not printed.
 * @type {(rps: ArmResult['rps'], print: (perSecond: number) => string) => string}
 */
export const printRateInterval = (rps, print) =>
  rps && rps.low !== rps.high ? interval(print(rps.low || NaN), print(rps.high)) : NONE

/**
 * Returns why an arm has no rate.
 * @param {Pick<ArmResult, 'invalid' | 'invalidTrials' | 'trials'>} arm
 */
function printWhyUnmeasured ({ invalid, invalidTrials, trials }) {
  if (invalid) return `not measured: ${printReason(invalid)}`
  const last = invalidTrials.at(-1)
  if (last) return `no valid trial of ${count(trials)}: ${printReason(last.reason)}`
  return `not measured: ${trials > 0 ? 'its rate is unknown' : NO_TURN}`
}

/**
 * @param {RunRecord} record
 * @returns {Table<ArmResult>}
 */
export function costTable ({ arms, unit }) {
  const { units } = unitOf(unit)
  const hasBytes = arms.some(({ bytesPerResponse }) => isNumber(bytesPerResponse))
  const hasWorkers = arms.some(({ proof }) => proof.busiestWorker !== undefined)
  const memory = (/** @type {number | undefined} */ mib) => mib === undefined ? NONE : count(Math.round(mib))
  return {
    rows: arms,
    columns: [
      nameColumn,
      ...ROLES.map(role =>
        column(role, (/** @type {ArmResult} */ { cpuMicrosPerRequest: cpu }) => micros(cpu && cpu[role] * units),
          { width: 6 })),
      column({ text: 'MiB' }, ({ memoryMiB: mib }) => memory(mib ? mib.proxy + mib.server : undefined), { width: 5 }),
      column({ page: 'proxy MiB' }, ({ memoryMiB: mib }) => memory(mib?.proxy)),
      column({ page: 'server MiB' }, ({ memoryMiB: mib }) => memory(mib?.server)),
      column({ ...hasBytes && { text: 'bytes' }, page: `bytes per ${unit === 'pages' ? 'page view' : 'response'}` },
        ({ bytesPerResponse }) => count(bytesPerResponse)),
      ...hasWorkers
        ? [column({ text: 'busiest', page: 'busiest worker ÷ mean' },
            ({ proof }) => proof.busiestWorker?.toFixed(2) ?? NONE, { width: 7 })]
        : [],
      column({ text: 'errors' }, ({ trials, errors }) => trials > 0 ? count(errorsOf(errors)) : NONE, { width: 6 }),
      column({ text: 'limited by' }, ({ rps, bound }) => rps ? bound : NONE, { left: true, width: 10 })
    ]
  }
}

/** @type {(width: number, hidden?: string[]) => Column<Pick<ArmResult, 'latencyMs'>>[]} hidden: in a terminal */
export const percentileColumns = (width, hidden = ['p95']) => PERCENTILES.map(key =>
  column({ ...!hidden.includes(key) && { text: key }, page: `${key}, ms` }, ({ latencyMs }) => micros(latencyMs?.[key]),
    { width }))

/** Whether the CPU time of all roles was measured. @param {Pick<ArmResult, 'cpuMicrosPerRequest'>} arm */
export const hasCosts = ({ cpuMicrosPerRequest: cpu }) => cpu && ROLES.every(role => isNumber(cpu[role]))

/** @param {Pick<ArmResult, 'latencyMs'>} arm */
export const hasLatency = ({ latencyMs }) => latencyMs && isNumber(latencyMs.p50) && latencyMs.p50 > 0

/**
 * @param {RunRecord} record
 * @returns {Table<ArmResult>}
 */
export const latencyTable = ({ arms }) => ({
  rows: arms.map(ofApp).filter(({ latencyMs }) => latencyMs),
  columns: [nameColumn, ...percentileColumns(8),
    column({ page: 'measured by' }, ({ latencyMs }) => latencyMs?.source ?? '', { left: true })]
})

/**
 * Groups the arms for the steps of a growing load by the arm that the experiment names.
 * @param {Pick<RunRecord, 'arms'>} record
 * @returns {{ name: string, steps: ArmResult[] }[]} steps by rising load
 */
export const groupSteps = ({ arms }) =>
  [...groupBy(arms.filter(({ ladder }) => ladder), ({ ladder }) => ladder?.of ?? '')].map(([name, steps]) => ({
    name,
    steps: steps.sort((a, b) => (a.load.share ?? 0) - (b.load.share ?? 0) || a.load.connections - b.load.connections)
  }))

/** @param {Pick<ArmResult, 'errors'>} arm */
export const hasErrors = ({ errors }) => errorsOf(errors) > 0

/**
 * Returns why an arm or its last invalid trial is invalid.
 * @param {Pick<ArmResult, 'invalid' | 'invalidTrials'>} arm
 */
export function whyInvalid ({ invalid, invalidTrials }) {
  const reason = invalid ?? invalidTrials.at(-1)?.reason
  return reason && printReason(reason)
}

/**
 * @param {RunRecord} record
 * @returns {Table<Contrast>}
 */
export function contrastTable ({ contrasts, arms }) {
  const hasSeveralBaselines = new Set(contrasts.map(({ baseline }) => baseline)).size > 1
  // A terminal shows all ratios with the same number of decimals, because they are read as one column.
  const digits = Math.max(...contrasts.map(decimals))
  return {
    rows: contrasts,
    names: hasSeveralBaselines ? 2 : 1,
    columns: [
      column('arm', ({ arm }) => arm, { left: true }),
      column({ ...hasSeveralBaselines && { text: 'against' }, page: 'against' }, ({ baseline }) => baseline,
        { left: true }),
      column({ text: 'ratio' }, contrast => printRatio(contrast, digits).ratio),
      column({ text: 'interval' }, contrast => printRatio(contrast, digits).interval),
      column({ page: 'ratio' }, contrast => printRatio(contrast).ratio),
      column({ page: 'interval' }, contrast => printRatio(contrast).interval),
      column({ page: 'level' }, contrast => level(contrast.level)),
      column({ page: 'blocks' }, ({ blocks }) => count(blocks)),
      column('verdict', ({ verdict }) => ({ text: verdict.replace('-', ' '), as: verdict }),
        { left: true, width: 'no difference'.length }),
      column({ page: 'why' }, contrast => explainContrast(contrast, arms), { left: true })
    ]
  }
}

/**
 * Prints why a contrast is open or invalid, or that its estimate is not one of capacities.
 * @param {Contrast} contrast
 * @param {ArmResult[]} arms
 */
function explainContrast (contrast, arms) {
  const isEstimate = contrast.verdict !== 'invalid' && contrast.oneSided === null
  return compact([printContrastWhy(contrast), isEstimate && isUnsaturated(contrast, arms) && NOT_SATURATED]).join('; ')
}

/**
 * Prints the ratio of a contrast, as a bound if one arm was not saturated. Prints a dash for an invalid contrast, and
 * if the load generator or the link limited both arms.
 * @param {Contrast} contrast
 * @param {number} [digits] default: as many as the width of the interval justifies
 */
export function printRatio (contrast, digits) {
  if (contrast.verdict === 'invalid' || isHeldBack(contrast)) return { ratio: NONE, interval: NONE }
  const text = estimate(contrast, digits)
  const { oneSided } = contrast
  if (oneSided === 'at-least' && text.low !== NONE) return { ratio: `≥ ${text.low}`, interval: NONE }
  if (oneSided === 'at-most' && text.high !== NONE) return { ratio: `≤ ${text.high}`, interval: NONE }
  return text
}

/**
 * Lists the kinds of errors of an arm.
 * @param {ErrorCounts} errors
 * @returns {string | null} null: no errors
 */
export function errorKinds ({ non2xx, timeouts, resets, mismatches }) {
  const kinds = Object.entries({
    'not 2xx': non2xx,
    'without a response in time': timeouts,
    reset: resets,
    'with a wrong body': mismatches
  })
  return kinds.filter(([, amount]) => amount > 0).map(([kind, amount]) => `${count(amount)} ${kind}`).join(', ') || null
}
