/** Published figures against the measured ones (pure). A claim is judged by intervals only. */
import { listComparedArms } from '../../plan/experiment.js'
import { PLACE_WORDS, STATUS_BY_PLACE, placeOf, withinMargin } from '../margin.js'
import { computeCoresLeft } from '../bottleneck.js'
import { findBound, widenUnboundedEnd } from '../verdict.js'
import { levelFor, smallestSampleFor } from '../../plan/sample-size.js'
import { CLAIM_TOLERANCE, JUDGED_FROM_TRIALS, LEVEL, MARGIN } from '../../shared/thresholds.js'
import { countFailures } from '../plays.js'
import { computeContrastRatio } from '../contrast-ratio.js'
import { isDrifting } from '../drift.js'
import { findNotSteady } from '../not-steady.js'
import { fitStarts, selectBlocks } from '../starts.js'
import { hasOneStart } from '../../plan/plan.js'
import { count, plural } from '../../shared/format.js'
import { unitOf } from '../../shared/units.js'
import { DIED, showsErrors } from '../../shared/trial.js'

/** @import { Arm, ArmResult, Claim, ClaimResult, ClaimTest, ClaimWhy, Contrast, Cores, Drift } from '../../types.js' */
/** @import { Interval, Plan, Quantity, Sample } from '../../types.js' */
/** @import { Rates } from '../starts.js' */
/** @import { RatioBound } from '../verdict.js' */

const MIN_PLAYS = 2 // Fewer have no range.

/** @typedef {Pick<ClaimResult, 'measured' | 'low' | 'high' | 'oneSided' | 'status'> & { why: ClaimWhy[] }} Judged */

/**
 * @param {Plan} plan
 * @param {ArmResult[]} arms
 * @param {Contrast[]} contrasts
 * @param {Sample[]} samples
 * @param {Cores} [cores] left out: enough for every claim
 * @returns {ClaimResult[]} in the order of the plan
 */
export function judgeClaims (plan, arms, contrasts, samples, cores) {
  const run = { plan, arms, samples, cores, compare: createComparison({ plan, arms, contrasts, samples }) }
  return plan.claims.map(claim => {
    const { id, source, statement, published, conditions } = claim
    return { id, source, statement, published, ...conditions && { conditions }, ...judgeClaim(claim, run) }
  })
}

/**
 * @param {Claim} claim
 * @param {{ plan: Plan, arms: ArmResult[], samples: Sample[], cores?: Cores,
 *   compare: ReturnType<typeof createComparison> }} run
 * @returns {Judged}
 */
function judgeClaim (claim, { plan, arms, samples, cores, compare }) {
  const { test, published } = claim
  const tooFewCores = explainTooFewCores(claim, arms, cores)
  if (tooFewCores) return notTestable(tooFewCores)
  if (test.kind === 'first-error-at') return judgeFirstError(test, plan, samples)

  const named = listComparedArms(test).map(name => ({ name, result: arms.find(arm => arm.name === name) }))
  const missing = named.find(({ result }) => !result)
  if (missing) return notTestable({ code: 'arm-not-run', params: { arm: missing.name } })
  if (test.kind === 'errors' || test.kind === 'logged') return judgeErrors(test, samples)

  for (const { name, result } of named) {
    if (result?.invalid) return notTestable({ code: 'arm-invalid', params: { arm: name, reason: result.invalid } })
  }
  if (test.kind === 'failures') return judgeFailures(test, arms)
  if (test.kind === 'figure') return judgeMetric(test, Number(published), arms)
  if (test.kind === 'ratio') return judgeRatio(test, Number(published), compare)
  const steps = test.kind === 'order' ? toOrderSteps(test) : toFlatSteps(test)
  const { of = 'rate' } = test.kind === 'order' ? test : {}
  const measured = listMetrics(test.arms, arms, { of, unit: plan.unit, isOrder: test.kind === 'order' })
  return { ...judgeSteps(steps, of, compare), measured }
}

/**
 * Returns why the served side has too few cores for a claim about several processes. The CPU time of the generator is
 * subtracted from shared cores.
 *
 * @param {Claim} claim
 * @param {ArmResult[]} arms
 * @param {Cores} [cores]
 * @returns {ClaimWhy | null}
 */
function explainTooFewCores ({ test, needsCores = 1 }, arms, cores) {
  if (!cores || needsCores === 1) return null
  const generatorCores = arms.filter(({ name }) => listComparedArms(test).includes(name)).map(arm =>
    arm.cpuMicrosPerRequest && arm.rps ? arm.cpuMicrosPerRequest.load * arm.rps.median / 1e6 : 0
  )
  const left = computeCoresLeft(cores, Math.max(0, ...generatorCores))
  if (needsCores <= left) return null
  return { code: 'too-few-cores', params: { needed: needsCores, cores: cores.served.length, left } }
}

/**
 * Returns the judgement of a claim that has no interval.
 *
 * @type {(measured: Judged['measured'], status: Judged['status'], ...why: ClaimWhy[]) => Judged}
 */
const toJudged = (measured, status, ...why) => ({
  measured,
  low: null,
  high: null,
  status,
  // Several pairs of arms can have the same reason.
  why: [...new Map(why.map(fact => [JSON.stringify(fact), fact])).values()]
})

/** @param {ClaimWhy} why */
const notTestable = why => toJudged(null, 'not-testable', why)

/**
 * @param {ClaimTest & { kind: 'ratio' }} test
 * @param {number} published
 * @param {ReturnType<typeof createComparison>} compare
 * @returns {Judged}
 */
function judgeRatio ({ arm, baseline, tolerance = CLAIM_TOLERANCE, of }, published, compare) {
  if (!(published > 0)) return notTestable({ code: 'no-published-ratio', params: {} })
  const { ratio, interval, bound, notes, missing } = compare(arm, baseline, { of })
  if (missing) return toJudged(Number.isNaN(ratio) ? null : ratio, 'inconclusive', missing)
  const judged = {
    ...judgePlace(ratio, interval, published, tolerance),
    ...bound && bound.side !== 'nothing' && { oneSided: bound.side }
  }
  const open = explainOpen(interval, bound, toRange(published, tolerance))
  if (open) return { ...judged, status: 'inconclusive', why: [open] }
  return { ...judged, why: [...judged.why, ...notes] }
}

/** @type {(published: number, tolerance: number) => Interval} */
const toRange = (published, tolerance) => ({ low: published / tolerance, high: published * tolerance })

/**
 * Judges a measured ratio by the place of its interval relative to the published ratio.
 *
 * @param {number} measured
 * @param {Interval} interval
 * @param {number} published
 * @param {number} tolerance factor
 * @returns {Judged}
 */
function judgePlace (measured, { low, high }, published, tolerance) {
  const place = placeOf({ low, high }, toRange(published, tolerance))
  return {
    measured,
    low,
    high: Number.isFinite(high) ? high : null,
    status: STATUS_BY_PLACE[place],
    why: [{ code: 'ratio-place', params: { place: PLACE_WORDS[place], tolerance } }]
  }
}

/**
 * Returns why a bound does not decide a claim: the range is not on its other side.
 *
 * @param {Interval} interval
 * @param {RatioBound | null} bound
 * @param {Interval} range
 * @returns {ClaimWhy | null} null: the interval decides
 */
const explainOpen = (interval, bound, range) =>
  bound && placeOf(interval, range) !== 'across' &&
    placeOf(widenUnboundedEnd(interval, bound.side), range) === 'across'
    ? { code: 'not-saturated', params: { arm: bound.arm } }
    : null

/**
 * @typedef {object} Steps pairs of arms whose ratios a claim restricts to a range
 * @property {[string, string][]} pairs
 * @property {Interval} range
 * @property {ClaimWhy} holds every ratio is within the range
 * @property {(pair: [string, string]) => ClaimWhy} fails
 * @property {(pair: [string, string]) => ClaimWhy} open
 */

/**
 * Each arm has to exceed the next one by the margin.
 *
 * @param {ClaimTest & { kind: 'order' }} test
 * @returns {Steps}
 */
function toOrderSteps ({ arms, of = 'rate' }) {
  const toParams = (/** @type {[string, string]} */ [more, less]) => ({ more, less, margin: MARGIN, of })
  return {
    pairs: arms.slice(1).map((less, i) => [arms[i], less]),
    range: { low: 1 + MARGIN, high: Infinity },
    holds: { code: 'order-holds', params: { margin: MARGIN } },
    fails: pair => ({ code: 'order-fails', params: toParams(pair) }),
    open: pair => ({ code: 'order-open', params: toParams(pair) })
  }
}

/**
 * Each arm has to be within the margin of the first.
 *
 * @param {ClaimTest & { kind: 'flat' }} test
 * @returns {Steps}
 */
const toFlatSteps = ({ arms: [first, ...others], margin = MARGIN }) => ({
  pairs: others.map(arm => [arm, first]),
  range: withinMargin(margin),
  holds: { code: 'flat-holds', params: { first, margin } },
  fails: ([arm]) => ({ code: 'flat-fails', params: { arm, first, margin } }),
  open: ([arm]) => ({ code: 'flat-open', params: { arm, first, margin } })
})

/**
 * Judges a claim about several pairs: confirmed if every ratio is within the range, refuted if one is outside. The
 * pairs share one probability of error, because a single wrong interval can change the status.
 *
 * @param {Steps} steps
 * @param {Quantity} of
 * @param {ReturnType<typeof createComparison>} compare
 * @returns {Judged}
 */
function judgeSteps ({ pairs, range, holds, fails, open }, of, compare) {
  if (pairs.length === 0) return notTestable({ code: 'single-arm', params: {} })
  const level = levelFor(pairs.length)
  const judged = pairs.map(pair => {
    const { interval, bound, notes, missing } = compare(pair[0], pair[1], { level, of })
    const undecided = missing ?? explainOpen(interval, bound, range)
    return undecided
      ? { pair, why: [undecided], status: 'inconclusive' }
      : { pair, why: notes, status: STATUS_BY_PLACE[placeOf(interval, range)] }
  })
  const refuted = judged.find(({ status }) => status === 'refuted')
  if (refuted) return toJudged(null, 'refuted', fails(refuted.pair), ...refuted.why)
  const undecided = judged.find(({ status }) => status === 'inconclusive')
  if (undecided) return toJudged(null, 'inconclusive', open(undecided.pair), ...undecided.why)
  return toJudged(null, 'confirmed', holds, ...judged.flatMap(({ why }) => why))
}

/**
 * Judges the claim that requests fail in some arms, and in other arms do not. A single failure is enough, because the
 * gate admits only arms that respond correctly.
 *
 * @param {ClaimTest & { kind: 'failures' }} test
 * @param {ArmResult[]} arms
 * @returns {Judged}
 */
export function judgeFailures ({ in: claimedIn, notIn, group }, arms) {
  const found = [...claimedIn, ...notIn].map(name => {
    const arm = /** @type {ArmResult} */ (arms.find(arm => arm.name === name))
    const groups = arm.plays?.groups.filter(({ name: kind }) => group === undefined || kind === group) ?? []
    const sent = groups.reduce((sum, { requests }) => sum + requests, 0)
    const failed = groups.reduce((sum, { counts }) => sum + countFailures(arm, counts), 0)
    const outcomes = groups.flatMap(({ counts }) => Object.entries(counts))
      .flatMap(([outcome, n]) => countFailures(arm, { [outcome]: n }) > 0 ? [outcome] : [])
    const agreeing = Number((failed > 0) === claimedIn.includes(name))
    return { name, sent, failed, outcomes, trials: Math.min(1, sent), affected: Math.min(1, failed), agreeing }
  })
  const figures = found.map(({ name, sent, failed }) => `${name}: ${failed} of ${sent}`).join(', ')
  const outcomes = [...new Set(found.flatMap(({ outcomes }) => outcomes))].join(', ')
  const measured = `${figures} requests failed${outcomes && ` (${outcomes})`}`
  return concludeTrials(measured, found, { needed: 1, logged: null })
}

/**
 * Judges the claim that a figure of two arms has a ratio. The interval reaches from the lowest to the highest ratio of
 * any two plays.
 *
 * @param {ClaimTest & { kind: 'figure' }} test
 * @param {number} published
 * @param {ArmResult[]} arms
 * @returns {Judged}
 */
export function judgeMetric ({ figure, arm, baseline, tolerance = CLAIM_TOLERANCE }, published, arms) {
  const [over, under] = [arm, baseline].map(name => {
    const plays = arms.find(result => result.name === name)?.plays
    return { name, plays: plays?.plays ?? 0, found: plays?.figures.find(({ name }) => name === figure) }
  })
  const short = [over, under].find(({ plays, found }) => plays < MIN_PLAYS || !found)
  if (short || !over.found || !under.found) {
    const params = { arm: short?.name ?? arm, trials: short?.plays ?? 0, needed: MIN_PLAYS }
    return toJudged(null, 'inconclusive', { code: 'too-few-trials', params })
  }
  const interval = { low: over.found.low / under.found.high, high: over.found.high / under.found.low }
  return judgePlace(over.found.value / under.found.value, interval, published, tolerance)
}

/**
 * @typedef {{ ratio: number, interval: Interval, bound: RatioBound | null, notes: ClaimWhy[],
 *   missing: ClaimWhy | null }} Compared
 *   interval: 0 or Infinity at an end that is no bound, because the load generator was the bottleneck; bound:
 *   one arm was not saturated; notes: limits of the figures; missing: why the interval is missing or decides nothing
 */

/**
 * @param {RatioBound} bound of the load generator
 * @returns {ClaimWhy}
 */
const toBoundNote = ({ side, arm, limit }) => limit === 'both'
  ? { code: 'bounds-both', params: {} }
  : { code: 'generator-bound', params: { arm: side === 'nothing' ? null : arm, known: side } }

/**
 * Returns a function that compares two arms of a run in any quantity. A listed contrast lends its level, and any other
 * pair gets one of its own.
 *
 * @param {{ plan: Plan, arms: ArmResult[], contrasts: Contrast[], samples: Sample[] }} run
 * @returns {(arm: string, baseline: string, options: { level?: number, of?: Quantity }) => Compared}
 */
function createComparison ({ plan, arms, contrasts, samples }) {
  const { byArm: rates, startOf } = selectBlocks(plan, samples)
  const hasStarts = samples.some(({ start }) => start !== undefined)
  const isWarm = hasStarts || hasOneStart(plan)
  const findArm = (/** @type {string} */ name) => arms.find(arm => arm.name === name)
  return (arm, baseline, { level, of = 'rate' }) => {
    const listed = contrasts.find(pair =>
      (pair.arm === arm && pair.baseline === baseline) || (pair.arm === baseline && pair.baseline === arm)
    )
    const usedLevel = level ?? listed?.level ?? LEVEL
    const byArm = of === 'rate' ? rates : selectValues(of, rates, samples)
    const starts = hasStarts ? fitStarts(byArm, startOf) : null
    const { ratio, low, high, blocks, drift } =
      computeContrastRatio({ byArm, startOf, starts, isWarm }, [arm, baseline], usedLevel)
    // The bottleneck has no effect on the cost of a request.
    const pair = [arm, baseline].map(name => ({ name, bound: findArm(name)?.bound ?? 'none' }))
    const found = of === 'rate' ? findBound({ low, high }, pair[0], pair[1]) : null
    const limited = found?.limit !== 'saturation' ? found : null
    /** @type {ClaimWhy[]} */
    const notes = []
    if (!listed) notes.push({ code: 'not-a-listed-contrast', params: { arm, baseline, level: usedLevel } })
    if (limited) notes.push(toBoundNote(limited))
    const needed = smallestSampleFor(usedLevel)
    /** @type {ClaimWhy | null} */
    const tooFew = blocks < needed ? { code: 'too-few-blocks', params: { arm, baseline, blocks, needed } } : null
    const missing = explainUnstable([arm, baseline].map(findArm), of, drift) ?? tooFew
    const bound = limited ? null : found
    return { ratio, interval: widenUnboundedEnd({ low, high }, limited?.side ?? null), bound, notes, missing }
  }
}

/**
 * Returns why a ratio is not that of the steady state. Memory grows with the age of a process, and the size of a
 * response does not depend on it.
 *
 * @param {(ArmResult | undefined)[]} arms
 * @param {Quantity} of
 * @param {Drift | undefined} drift
 * @returns {ClaimWhy | null}
 */
function explainUnstable (arms, of, drift) {
  if (of !== 'rate' && of !== 'cpu') return null
  return findNotSteady(arms) ?? (isDrifting(drift) ? { code: 'drift', params: drift } : null)
}

/**
 * Returns the values of a quantity in the blocks whose rates are evaluated.
 *
 * @param {Exclude<Quantity, 'rate'>} of
 * @param {Rates} rates
 * @param {Sample[]} samples
 * @returns {Rates}
 */
function selectValues (of, rates, samples) {
  /** @type {Rates} */
  const values = new Map([...rates.keys()].map(name => [name, new Map()]))
  for (const sample of samples) {
    const value = rates.get(sample.arm)?.has(sample.block) ? QUANTITIES[of].getValue(sample) : null
    if (value !== null && value > 0) values.get(sample.arm)?.set(sample.block, value)
  }
  return values
}

/**
 * @type {Record<Exclude<Quantity, 'rate'>, { getValue: (sample: Sample) => number | null, getMetric: (arm: ArmResult)
 *   => number | null, unit: string }>}
 */
const QUANTITIES = {
  cpu: {
    getValue: ({ cpuSeconds, requests }) => (cpuSeconds.proxy + cpuSeconds.server) / requests,
    getMetric: ({ cpuMicrosPerRequest: cpu }) => cpu && cpu.proxy + cpu.server,
    unit: 'µs of CPU'
  },
  memory: {
    getValue: ({ memoryMiB }) => memoryMiB.proxy + memoryMiB.server,
    getMetric: ({ memoryMiB }) => memoryMiB && memoryMiB.proxy + memoryMiB.server,
    unit: 'MiB'
  },
  bytes: {
    getValue: ({ bytesPerResponse }) => bytesPerResponse ?? null,
    getMetric: ({ bytesPerResponse }) => bytesPerResponse ?? null,
    unit: 'bytes'
  }
}

/**
 * Lists the measured figures of arms: "uds 3,472 > tcp 2,702 req/s".
 *
 * @param {string[]} names in the order of the claim
 * @param {ArmResult[]} arms
 * @param {{ of: Quantity, unit: Plan['unit'], isOrder: boolean }} options isOrder: print signs between the figures
 */
function listMetrics (names, arms, { of, unit, isOrder }) {
  const { print, perSecond } = unitOf(unit)
  const values = names.map(name => {
    const arm = arms.find(arm => arm.name === name)
    if (of === 'rate') return arm?.rps?.median ?? null
    return arm ? QUANTITIES[of].getMetric(arm) : null
  })
  const texts = names.map((name, i) => `${name} ${of === 'rate' ? print(values[i]) : count(values[i])}`)
  const list = texts.reduce((text, next, i) => `${text}${isOrder ? getSign(values[i - 1], values[i]) : ', '}${next}`)
  return `${list} ${of === 'rate' ? perSecond : QUANTITIES[of].unit}`
}

/**
 * @param {number | null} left
 * @param {number | null} right
 */
function getSign (left, right) {
  if (left === null || right === null || left === right) return ', '
  return left > right ? ' > ' : ' < '
}

/**
 * Claims about errors: the arms that have errors, their lines in the error log, and the number of connections at which
 * errors begin. A trial either has errors or does not, so no interval is needed. A claim is confirmed if all
 * conclusive trials agree with the claim, and refuted if all trials of an arm contradict it.
 */

/**
 * Judges the claim that the trials of some arms have errors, or a text in their error log, and the trials of other arms
 * have not.
 *
 * @param {ClaimTest & { kind: 'errors' | 'logged' }} test
 * @param {Sample[]} samples
 * @returns {Judged}
 */
export function judgeErrors (test, samples) {
  const logged = test.kind === 'logged' ? test.text : null
  const isAffected = (/** @type {Sample} */ sample) =>
    logged === null ? failedUnderLoad(sample) : hasLogged(sample, logged)
  const arms = [...test.in, ...test.notIn].map(name => {
    const made = samples.filter(({ arm }) => arm === name)
    const conclusive = made.flatMap(sample => isAffected(sample) ?? [])
    const trials = conclusive.length
    const affected = conclusive.filter(Boolean).length
    const agreeing = test.in.includes(name) ? affected : trials - affected
    return { name, made: made.length, trials, affected, agreeing }
  })
  const subject = logged === null ? 'errors' : `"${logged}" in the error log`
  const figures = arms.map(({ name, made, trials, affected }) =>
    `${name}: ${trials > 0 ? `${affected} of ${trials}` : `none conclusive of ${made}`}`).join(', ')
  return concludeTrials(`${figures} trials with ${subject}`, arms, { needed: JUDGED_FROM_TRIALS, logged })
}

/** @type {(sample: Sample, logged: string) => boolean | null} null: inconclusive */
const hasLogged = ({ seconds, errorLog = [] }, logged) =>
  seconds > 0 ? errorLog.some(({ text }) => text.includes(logged)) : null

/**
 * @param {string} measured
 * @param {{ name: string, trials: number, affected: number, agreeing: number }[]} arms agreeing: trials that agree with
 *   the claim
 * @param {{ needed: number, logged: string | null }} question needed: trials of an arm; logged: text in the error log,
 *   null: errors
 * @returns {Judged}
 */
function concludeTrials (measured, arms, { needed, logged }) {
  const tooFew = arms.find(({ trials }) => trials === 0) ?? arms.find(({ trials }) => trials < needed)
  if (tooFew) {
    const { name: arm, trials } = tooFew
    return toJudged(measured, 'inconclusive', { code: 'too-few-trials', params: { arm, trials, needed } })
  }
  /** @type {(status: Judged['status'], arm: { name: string }, found: 'none' | 'some' | 'all') => Judged} */
  const disagree = (status, { name: arm }, found) =>
    toJudged(measured, status, { code: 'trials-disagree', params: { arm, logged, in: found } })
  const contrary = arms.find(({ agreeing }) => agreeing === 0)
  if (contrary) return disagree('refuted', contrary, contrary.affected === 0 ? 'none' : 'all')
  const mixed = arms.find(({ agreeing, trials }) => agreeing < trials)
  if (mixed) return disagree('inconclusive', mixed, 'some')
  return toJudged(measured, 'confirmed', { code: 'trials-agree', params: {} })
}

/**
 * Judges the claim that errors of an arm begin at a number of connections.
 *
 * @param {ClaimTest & { kind: 'first-error-at' }} test
 * @param {Plan} plan
 * @param {Sample[]} samples
 * @returns {Judged}
 */
export function judgeFirstError ({ arm, connections }, plan, samples) {
  const steps = plan.arms.filter(({ ladder }) => ladder?.of === arm)
  if (steps.length === 0) {
    return toJudged(null, 'not-testable', { code: 'no-steps', params: { protocol: plan.protocol } })
  }
  const counted = steps.map(({ name, load }) => {
    const conclusive = samples.filter(sample => sample.arm === name).flatMap(sample => failedUnderLoad(sample) ?? [])
    return { connections: load.connections, trials: conclusive.length, failed: conclusive.filter(Boolean).length }
  }).filter(({ trials }) => trials > 0)
  if (counted.length === 0) return toJudged(null, 'inconclusive', { code: 'no-step-measured', params: {} })
  // Steps without errors below one without errors say nothing more.
  const shown = counted.slice(Math.max(0, counted.findIndex(({ failed }) => failed > 0) - 1))
  const [first, ...others] = counted.every(({ failed }) => failed === 0) ? counted.slice(-1) : shown
  const measured = [`errors at ${count(first.connections)} connections in ${first.failed} of ` +
    plural(first.trials, 'block'), ...others.map(({ connections, failed, trials }) =>
    `at ${count(connections)} in ${failed} of ${trials}`)].join(', ')
  const expected = counted.filter(step => connections === null || step.connections <= connections)
    .map(step => ({ ...step, agreeing: step.connections === connections ? step.failed : step.trials - step.failed }))
  const isWhole = expected.at(-1)?.connections === (connections ?? steps.at(-1)?.load.connections)
  const isContrary = expected.some(({ agreeing }) => agreeing === 0)
  const agrees = isWhole && expected.every(({ agreeing, trials }) => agreeing === trials)
  const status = isContrary ? 'refuted' : agrees ? 'confirmed' : 'inconclusive'
  return toJudged(measured, status, { code: 'published-first-error', params: { connections } })
}

/**
 * Returns whether a trial shows errors. A trial that was not made is inconclusive. So is a series without errors that
 * ended while its ports were still filling up.
 *
 * @param {Sample} sample
 * @returns {boolean | null} null: inconclusive
 */
function failedUnderLoad (sample) {
  if (sample.invalid?.code === DIED) return true
  if (!(sample.seconds > 0)) return null
  // A single broken connection of a user is a failure. Elsewhere a few errors are tolerated.
  if (sample.users) return Object.values(sample.errors).some(count => count > 0)
  if (showsErrors(sample)) return true
  return isStillFilling(sample) ? null : false
}

/**
 * Growth of the number of sockets in TIME_WAIT, from the middle to the end of a series, above which ports are still
 * filling up. TIME_WAIT lasts 60 s. With ports that are used again the number varies by 0.5 %; a search for the last
 * free ones makes it grow slowly.
 */
const GROWTH = 1.01
/** Sockets in TIME_WAIT that the gate and connections closed without an error leave behind. */
const USUAL_SOCKETS = 1000

/** Returns whether a series ended before all ports were in TIME_WAIT. @param {Sample} sample */
function isStillFilling ({ series = [] }) {
  const middle = series[Math.floor(series.length / 2)]?.timeWait ?? 0
  const last = series.at(-1)?.timeWait ?? 0
  return last > USUAL_SOCKETS && last > GROWTH * middle
}
