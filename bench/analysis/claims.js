/** Published figures against what was measured here (pure). A claim is judged by intervals only. A listed contrast
 * lends its own; any other pair gets one of its own level and `why` says so. Where the load generator was the
 * bottleneck in an arm, that end of the interval is open.
 * @import { ArmResult, Claim, ClaimResult, ClaimTest, Contrast, Interval, Plan, Quantity, Sample } from '../types.js'
 */
import { armsOfTest } from '../plan/experiment.js'
import { placeOf, withinMargin } from './margin.js'
import { judgeErrors, judgeFirstError, judgeLogged } from './error-claims.js'
import { contrastRatio } from './contrast-ratio.js'
import { fitStarts } from './starts.js'
import { count, percent } from '../shared/format.js'
import { unitOf } from '../shared/units.js'
import { validBlocks } from './summary.js'
import { coresLeft, knownFrom, openEnd } from './verdict.js'
import { levelFor, smallestSampleFor } from '../plan/sample-size.js'
import { CLAIM_TOLERANCE, LEVEL, MARGIN } from '../shared/thresholds.js'

/** @typedef {Pick<ClaimResult, 'measured' | 'low' | 'high' | 'status' | 'why'>} Judged */
/** @typedef {object} Measured a pair of arms
 * @property {number} ratio
 * @property {Interval} interval what is known of the ratio
 * @property {string[]} notes what a reader has to know as well
 * @property {string | null} missing why there is no interval */
/** @typedef {(arm: string, baseline: string, how?: { level?: number, of?: Quantity }) => Measured} Measure */

/** @param {Plan} plan @param {ArmResult[]} arms @param {Contrast[]} contrasts @param {Sample[]} samples
 * @param {{ load: number[], served: number[] }} [cores] left out: as many as anybody wants
 * @returns {ClaimResult[]} in the order of the plan */
export function judgeClaims (plan, arms, contrasts, samples, cores) {
  const measure = measurer(plan, arms, contrasts, samples)
  return plan.claims.map(claim => {
    const { id, source, statement, published, conditions } = claim
    const judged = judge(claim, { plan, arms, samples, measure, cores })
    return { id, source, statement, published, ...conditions && { conditions }, ...judged }
  })
}

/** @param {Claim} claim
 * @param {{ plan: Plan, arms: ArmResult[], samples: Sample[], measure: Measure, cores?: { load: number[], served:
 * number[] } }} run @returns {Judged} */
function judge (claim, { plan, arms, samples, measure, cores }) {
  const { test, published, notTestable: reason } = claim
  const few = reason ?? fewCores(claim, arms, cores)
  if (few) return notTestable(few)
  if (test.kind === 'first-error-at') return judgeFirstError(test, plan, samples)
  const names = armsOfTest(test)
  for (const name of names) {
    const arm = arms.find(arm => arm.name === name)
    if (!arm) return notTestable(`the arm ${name} was not part of this run`)
    if (test.kind !== 'errors' && test.kind !== 'logged' && arm.invalid) {
      return notTestable(`${name} is invalid: ${arm.invalid.text}`)
    }
  }
  if (test.kind === 'errors') return judgeErrors(test, samples)
  if (test.kind === 'logged') return judgeLogged(test, samples)
  if (test.kind === 'ratio') return judgeRatio(test, Number(published), measure)
  return test.kind === 'order' ? judgeOrder(test, arms, measure, plan.unit) : judgeFlat(test, arms, measure, plan.unit)
}

/** What the load uses of shared cores, the served side has not. @param {Claim} claim @param {ArmResult[]} arms
 * @param {{ load: number[], served: number[] }} [cores] */
function fewCores ({ test, needsCores = 1 }, arms, cores) {
  if (!cores || needsCores === 1) return null
  const used = arms.filter(({ name }) => armsOfTest(test).includes(name)).map(({ cpuMicrosPerRequest: cpu, rps }) =>
    cpu && rps ? cpu.load * rps.median / 1e6 : 0)
  const left = coresLeft(cores, Math.max(0, ...used))
  if (needsCores <= left) return null
  const has = cores.served.length === 1 ? 'one core' : `${cores.served.length} cores`
  return `it is about ${needsCores} processes side by side, and ` + (left === cores.served.length
    ? `the served side has ${has} here`
    : `of ${has} here the load leaves ${left.toFixed(1)} to the served side`)
}

/** @param {string} why @returns {Judged} */
const notTestable = why => ({ measured: null, low: null, high: null, status: 'not-testable', why })

/** @param {ClaimTest & { kind: 'ratio' }} test @param {number} published @param {Measure} measure @returns {Judged} */
function judgeRatio ({ arm, baseline, tolerance = CLAIM_TOLERANCE, of }, published, measure) {
  if (!(published > 0)) return notTestable('no ratio was published')
  const { ratio, interval, notes, missing } = measure(arm, baseline, { of })
  if (missing !== null) {
    return {
      measured: Number.isNaN(ratio) ? null : ratio,
      low: null,
      high: null,
      status: 'inconclusive',
      why: missing
    }
  }
  const { status, where } = PLACES[placeOf(interval, { low: published / tolerance, high: published * tolerance })]
  const why = [`the interval lies ${where} a factor of ${tolerance} of the published ratio`, ...notes].join('; ')
  return {
    measured: ratio,
    low: interval.low,
    high: Number.isFinite(interval.high) ? interval.high : null,
    status,
    why
  }
}

/** Each step from one arm to the next slower one has to be beyond the margin. One step that is not refutes the order,
 * so the steps share one probability of error. @param {ClaimTest & { kind: 'order' }} test @param {ArmResult[]} arms
 * @param {Measure} measure @param {Plan['unit']} unit @returns {Judged} */
function judgeOrder ({ arms: names, of = 'rate' }, arms, measure, unit) {
  const steps = names.slice(1).map((slower, at) => /** @type {[string, string]} */ ([names[at], slower]))
  const by = percent(MARGIN)
  const isMore = of === 'rate' ? `is ${by} faster than` : `takes ${by} more than`
  const isNotMore = of === 'rate' ? `is not ${by} faster than` : `does not take ${by} more than`
  return judgeSteps(steps, { low: 1 + MARGIN, high: Infinity }, {
    holds: `every step is beyond ${by}`,
    fails: ([more, less]) => `${more} ${isNotMore} ${less}`,
    open: ([more, less]) => `whether ${more} ${isMore} ${less} is open`
  }, figures(names, arms, sign, unit, of), (arm, baseline, how) => measure(arm, baseline, { ...how, of }))
}

/** Every arm has to be within the margin of the first. @param {ClaimTest & { kind: 'flat' }} test
 * @param {ArmResult[]} arms @param {Measure} measure @param {Plan['unit']} unit @returns {Judged} */
function judgeFlat ({ arms: [first, ...others], margin = MARGIN }, arms, measure, unit) {
  const pairs = others.map(other => /** @type {[string, string]} */ ([other, first]))
  return judgeSteps(pairs, withinMargin(margin), {
    holds: `every arm is within ${percent(margin)} of ${first}`,
    fails: ([other]) => `${other} is not within ${percent(margin)} of ${first}`,
    open: ([other]) => `whether ${other} is within ${percent(margin)} of ${first} is open`
  }, figures([first, ...others], arms, () => ', ', unit), measure)
}

/** Confirmed when every pair lies inside the range, refuted when one lies outside. @param {[string, string][]} pairs
 * @param {Interval} range
 * @param {{ holds: string, fails: (pair: [string, string]) => string, open: (pair: [string, string]) => string }} words
 * @param {string} measured @param {Measure} measure @returns {Judged} */
function judgeSteps (pairs, range, words, measured, measure) {
  if (pairs.length === 0) return notTestable('it names a single arm')
  const level = levelFor(pairs.length)
  const judged = pairs.map(pair => {
    const { interval, notes, missing } = measure(pair[0], pair[1], { level })
    return {
      pair,
      notes,
      missing,
      status: missing === null ? PLACES[placeOf(interval, range)].status : 'inconclusive'
    }
  })
  const end = (/** @type {ClaimResult['status']} */ status, /** @type {string} */ why, /** @type {string[]} */ notes) =>
    ({ measured, low: null, high: null, status, why: [why, ...new Set(notes)].join('; ') })
  const refuted = judged.find(({ status }) => status === 'refuted')
  if (refuted) return end('refuted', words.fails(refuted.pair), refuted.notes)
  const open = judged.find(({ status }) => status === 'inconclusive')
  if (open) return end('inconclusive', words.open(open.pair), open.missing === null ? open.notes : [open.missing])
  return end('confirmed', words.holds, judged.flatMap(({ notes }) => notes))
}

const OUTSIDE = /** @type {const} */ ({ status: 'refuted', where: 'wholly outside' })
/** What is said of an interval against the range that was published. */
const PLACES = {
  within: /** @type {const} */ ({ status: 'confirmed', where: 'within' }),
  below: OUTSIDE,
  above: OUTSIDE,
  across: /** @type {const} */ ({ status: 'inconclusive', where: 'partly outside' })
}

/** @param {Plan} plan @param {ArmResult[]} arms @param {Contrast[]} contrasts @param {Sample[]} samples
 * @returns {Measure} at a level of its own, or, where none is given, by a listed contrast if there is one */
function measurer (plan, arms, contrasts, samples) {
  const { byArm, startOf } = validBlocks(plan, samples)
  const replaced = samples.some(({ start }) => start !== undefined)
  /** Of the blocks that count, whatever is compared. @param {string} arm @param {Quantity} of */
  const valuesOf = (arm, of) => {
    const rates = /** @type {Map<number, number>} */ (byArm.get(arm))
    if (of === 'rate') return rates
    return new Map(samples.flatMap(sample => {
      const value = sample.arm === arm && rates.has(sample.block) ? QUANTITIES[of].value(sample) : null
      return value !== null && value > 0 ? [[sample.block, value]] : []
    }))
  }
  const boundOf = (/** @type {string} */ name) => arms.find(arm => arm.name === name)?.bound ?? 'none'
  return (arm, baseline, { level, of = 'rate' } = {}) => {
    const listed = contrasts.find(pair =>
      (pair.arm === arm && pair.baseline === baseline) || (pair.arm === baseline && pair.baseline === arm)
    )
    const used = level ?? listed?.level ?? LEVEL
    const values = new Map(plan.arms.map(({ name }) => [name, valuesOf(name, of)]))
    const starts = replaced ? fitStarts(values, startOf) : null
    const paired = contrastRatio({ byArm: values, startOf, starts }, [arm, baseline], used)
    // What a request costs does not depend on who was the bottleneck.
    const known = of === 'rate' ? knownFrom(boundOf(arm), boundOf(baseline)) : null
    const notes = []
    if (!listed) {
      notes.push(
        `${arm} against ${baseline} is not a listed contrast: its ${percent(used)} interval is not adjusted for it`
      )
    }
    if (known) {
      notes.push(
        'the load generator was the bottleneck in ' +
        `${known === 'at-least' ? arm : known === 'at-most' ? baseline : 'both arms'}: the ratio is ` +
        `${known === 'nothing' ? 'not known' : `only a bound (${known.replace('-', ' ')})`}`
      )
    }
    const least = smallestSampleFor(used)
    const missing = paired.blocks < least
      ? `${paired.blocks} blocks count for ${arm} against ${baseline}, and an interval needs ${least}`
      : null
    return { ratio: paired.ratio, interval: openEnd(paired, known), notes, missing }
  }
}

/** @type {Record<Exclude<Quantity, 'rate'>, { value: (sample: Sample) => number | null, print: (arm: ArmResult) =>
 * number | null, unit: string }>} */
const QUANTITIES = {
  cpu: {
    value: ({ cpuSeconds, requests }) => (cpuSeconds.proxy + cpuSeconds.server) / requests,
    print: ({ cpuMicrosPerRequest: cpu }) => cpu && cpu.proxy + cpu.server,
    unit: 'µs of CPU'
  },
  memory: {
    value: ({ memoryMiB }) => memoryMiB.proxy + memoryMiB.server,
    print: ({ memoryMiB }) => memoryMiB && memoryMiB.proxy + memoryMiB.server,
    unit: 'MiB'
  },
  bytes: {
    value: ({ bytesPerResponse }) => bytesPerResponse ?? null,
    print: ({ bytesPerResponse }) => bytesPerResponse ?? null,
    unit: 'bytes'
  }
}

/** The arms' figures in the order in which the claim names them. @param {string[]} names @param {ArmResult[]} arms
 * @param {(left: number | null | undefined, right: number | null | undefined) => string} between
 * @param {Plan['unit']} unit @param {Quantity} [of] */
function figures (names, arms, between, unit, of = 'rate') {
  const { print, perSecond } = unitOf(unit)
  const values = names.map(name => {
    const arm = arms.find(arm => arm.name === name)
    const value = of === 'rate' ? arm?.rps?.median : arm && QUANTITIES[of].print(arm)
    return { value, text: `${name} ${of === 'rate' ? print(value) : count(value)}` }
  })
  const chain = values.map(({ text, value }, i) => `${i === 0 ? '' : between(values[i - 1].value, value)}${text}`)
    .join('')
  return `${chain} ${of === 'rate' ? perSecond : QUANTITIES[of].unit}`
}

/** What was found, whatever was claimed. @param {number | null | undefined} left
 * @param {number | null | undefined} right */
function sign (left, right) {
  if (left == null || right == null || left === right) return ', '
  return left > right ? ' > ' : ' < '
}
