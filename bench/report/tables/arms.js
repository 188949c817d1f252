/** Tables of arms and of contrasts: rates, costs, response times, ratios.
 * @import { ArmResult, Cell, Column, Contrast, ErrorCounts, RunRecord, Table } from '../../types.js' */
import {
  count, decimals, estimate, interval, isNumber, level, micros, NONE, percent, rate
} from '../../shared/format.js'
import { errorsOf } from '../../shared/trial.js'
import { unitOf } from '../../shared/units.js'
import { heldBack } from '../sentences.js'
import { column } from '../table.js'

/** Those on the page; a terminal has no room for the one at 95 %. */
export const PERCENTILES = /** @type {const} */ (['p50', 'p90', 'p95', 'p99', 'max'])

/** @type {Column<Pick<ArmResult, 'name'>>} */
const name = column('arm', arm => arm.name, { left: true })

/** @param {RunRecord} record @returns {Table<ArmResult>} */
export function rateTable ({ arms, unit }) {
  const { perSecond, print } = unitOf(unit)
  const fastest = Math.max(0, ...arms.map(({ rps }) => isNumber(rps?.median) ? rps.median : 0))
  return {
    rows: arms,
    columns: [
      name,
      column({ page: 'topology' }, ({ word }) => word, { left: true }),
      column(perSecond, ({ rps }) => print(rps?.median)),
      // One trial has a rate and no interval.
      column('interval', ({ rps }) =>
        rps && rps.low !== rps.high ? interval(print(rps.low || NaN), print(rps.high)) : NONE),
      column({ page: 'valid trials' }, ({ trials, invalidTrials }) =>
        `${count(trials - invalidTrials.length)} of ${count(trials)}`),
      column({ page: 'limited by' }, ({ rps, bound }) => rps ? bound : NONE, { left: true }),
      column({ page: 'errors' }, ({ invalid, errors }) => invalid?.text ?? errorKinds(errors) ?? 'none', { left: true })
    ],
    instead: ({ rps, ...arm }) => isNumber(rps?.median) ? null : notMeasured(arm),
    bar: ({ rps }) => (rps?.median ?? 0) / fastest
  }
}

/** Why there is no figure. @param {Pick<ArmResult, 'invalid' | 'invalidTrials' | 'trials'>} arm */
function notMeasured ({ invalid, invalidTrials, trials }) {
  if (invalid) return `not measured: ${invalid.text}`
  const last = invalidTrials.at(-1)
  if (last) return `no valid trial of ${count(trials)}: ${last.reason.text}`
  return trials > 0 ? 'not measured: its rate is unknown' : 'not measured: the run ended before its turn'
}

/** @param {RunRecord} record @returns {Table<ArmResult>} */
export function costTable ({ arms, unit }) {
  const { units } = unitOf(unit)
  const hasBytes = arms.some(({ bytesPerResponse }) => isNumber(bytesPerResponse))
  const hasWorkers = arms.some(({ proof }) => proof.busiestWorker !== undefined)
  const memory = (/** @type {number | undefined} */ mib) => mib === undefined ? NONE : count(Math.round(mib))
  return {
    rows: arms,
    columns: [
      name,
      ...(/** @type {const} */ (['load', 'proxy', 'server'])).map(role =>
        column(role, (/** @type {ArmResult} */ { cpuMicrosPerRequest: cpu }) => micros(cpu && cpu[role] * units),
          { width: 6 })),
      column({ text: 'MiB' }, ({ memoryMiB: mib }) => memory(mib ? mib.proxy + mib.server : undefined), { width: 5 }),
      column({ page: 'proxy MiB' }, ({ memoryMiB: mib }) => memory(mib?.proxy)),
      column({ page: 'server MiB' }, ({ memoryMiB: mib }) => memory(mib?.server)),
      column({ ...hasBytes && { text: 'bytes' }, page: 'bytes an answer' }, ({ bytesPerResponse }) =>
        count(bytesPerResponse)),
      ...hasWorkers
        ? [column({ text: 'busiest', page: 'busiest worker ÷ mean' },
            ({ proof }) => proof.busiestWorker?.toFixed(2) ?? NONE, { width: 7 })]
        : [],
      column({ text: 'errors' }, ({ trials, errors }) => trials > 0 ? count(errorsOf(errors)) : NONE, { width: 6 }),
      column({ text: 'limited by' }, ({ rps, bound }) => rps ? bound : NONE, { left: true, width: 10 })
    ]
  }
}

/** @type {(width: number) => Column<Pick<ArmResult, 'latencyMs'>>[]} */
const percentiles = width => PERCENTILES.map(key =>
  column({ ...key !== 'p95' && { text: key }, page: `${key}, ms` }, ({ latencyMs }) => micros(latencyMs?.[key]),
    { width }))

/** @param {RunRecord} record @returns {Table<ArmResult>} */
export const latencyTable = ({ arms }) => ({
  rows: arms.filter(({ latencyMs }) => latencyMs),
  columns: [name, ...percentiles(8),
    column({ page: 'measured by' }, ({ latencyMs }) => latencyMs?.source ?? '', { left: true })]
})

/** The arms of a run at rates, a list for each that the experiment names. @param {Pick<RunRecord, 'arms'>} record
 * @returns {{ of: string, arms: ArmResult[] }[]} by rising share */
export function byShare ({ arms }) {
  const names = [...new Set(arms.flatMap(({ ladder }) => ladder?.of ?? []))]
  return names.map(of => ({
    of,
    arms: arms.filter(({ ladder }) => ladder?.of === of).sort((a, b) => (a.load.share ?? 0) - (b.load.share ?? 0))
  }))
}

/** What arms answered at given rates. @param {RunRecord} record @returns {Table<ArmResult>} */
export function loadTable (record) {
  const groups = byShare(record)
  const firsts = new Set(groups.map(({ arms }) => arms[0]))
  // Older records have none, and one trial has no range.
  const ranged = record.arms.some(({ latencyMs, trials }) => latencyMs?.p99Range && trials > 1)
  return {
    rows: groups.flatMap(({ arms }) => arms),
    columns: [
      column({ page: 'arm' }, ({ ladder }) => ladder?.of ?? '', { left: true }),
      column({ text: 'arm' }, arm => firsts.has(arm) ? arm.ladder?.of ?? '' : '', { left: true }),
      column('of peak', ({ load }) => percent(load.share), { width: 7 }),
      column('req/s', ({ rps }) => rate(rps?.median), { width: 7 }),
      ...percentiles(6),
      ...ranged ? [column('p99 of blocks', ({ latencyMs }) => rangeOf(latencyMs?.p99Range), { width: 13 })] : [],
      column({ text: 'µs/req' }, ({ cpuMicrosPerRequest: cpu }) => micros(cpu && cpu.proxy + cpu.server),
        { width: 6 }),
      column({ page: 'proxy, µs' }, ({ cpuMicrosPerRequest: cpu }) => micros(cpu?.proxy)),
      column({ page: 'server, µs' }, ({ cpuMicrosPerRequest: cpu }) => micros(cpu?.server)),
      column({ page: 'measured by' }, ({ latencyMs }) => latencyMs?.source ?? NONE, { left: true }),
      column({ page: 'why not' }, ({ invalid, rps, invalidTrials }) =>
        invalid?.text ?? (rps ? '' : invalidTrials.at(-1)?.reason.text ?? ''), { left: true })
    ],
    from: 2,
    instead: ({ rps, latencyMs, ...arm }) =>
      rps && latencyMs ? null : `not measured: ${whyNot(arm) ?? errorKinds(arm.errors) ?? NO_TURN}`
  }
}

/** @param {{ low: number, high: number }} [range] */
const rangeOf = range => range ? `${micros(range.low)}–${micros(range.high)}` : NONE

const NO_TURN = 'the run ended before its turn'

/** @param {Pick<ArmResult, 'invalid' | 'invalidTrials'>} arm */
export const whyNot = ({ invalid, invalidTrials }) => invalid?.text ?? invalidTrials.at(-1)?.reason.text

/** @param {RunRecord} record @returns {Table<Contrast>} */
export function contrastTable ({ contrasts, arms }) {
  const several = new Set(contrasts.map(({ baseline }) => baseline)).size > 1
  const digits = Math.max(...contrasts.map(decimals))
  // Below each other in a terminal they are read as one column: all with the same number of decimals.
  const text = contrasts.map(contrast => figuresOf(contrast, arms, digits))
  const page = contrasts.map(contrast => figuresOf(contrast, arms))
  return {
    rows: contrasts,
    names: several ? 2 : 1,
    columns: [
      column('arm', ({ arm }) => arm, { left: true }),
      column({ ...several && { text: 'against' }, page: 'against' }, ({ baseline }) => baseline, { left: true }),
      column({ text: 'ratio' }, (_, i) => text[i].ratio),
      column({ text: 'interval' }, (_, i) => text[i].interval),
      column({ page: 'ratio' }, (_, i) => page[i].ratio),
      column({ page: 'interval' }, (_, i) => page[i].interval),
      column({ page: 'level' }, contrast => level(contrast.level)),
      column({ page: 'blocks' }, ({ blocks }) => count(blocks)),
      column('verdict', ({ verdict }) => /** @type {Cell} */ ({ verdict: verdict.replace('-', ' '), as: verdict }),
        { left: true, width: 'no difference'.length }),
      column({ page: 'why' }, ({ why }) => why ?? '', { left: true })
    ]
  }
}

/** A one-sided contrast is a bound and never a point, an invalid one nothing. @param {Contrast} contrast
 * @param {ArmResult[]} arms
 * @param {number} [digits] left out: as many as its own interval bears */
function figuresOf (contrast, arms, digits) {
  if (contrast.verdict === 'invalid' || heldBack(contrast, arms)) return { ratio: NONE, interval: NONE }
  const text = estimate(contrast, digits)
  if (contrast.oneSided === 'at-least' && text.low !== NONE) return { ratio: `≥ ${text.low}`, interval: NONE }
  if (contrast.oneSided === 'at-most' && text.high !== NONE) return { ratio: `≤ ${text.high}`, interval: NONE }
  return text
}

/** What kinds of errors an arm had, or null where it had none. @param {ErrorCounts} errors */
export function errorKinds (errors) {
  const kinds = [[errors.non2xx, 'not 2xx'], [errors.timeouts, 'without an answer in time'], [errors.resets, 'reset'],
    [errors.mismatches, 'with a wrong body']]
  return kinds.filter(([amount]) => Number(amount) > 0).map(([amount, kind]) => `${count(Number(amount))} ${kind}`)
    .join(', ') || null
}
