/** Ratios and figures of arms in any quantity, for published claims (pure). */
import { computeContrastRatio } from '../contrast-ratio.js'
import { isDrifting } from '../drift.js'
import { findNotSteady } from '../not-steady.js'
import { fitStarts } from '../starts.js'
import { selectBlocks } from '../select-blocks.js'
import { findBound, widenUnboundedEnd } from '../verdict.js'
import { hasOneStart } from '../../plan/plan.js'
import { smallestSampleFor } from '../../plan/sample-size.js'
import { count } from '../../shared/format.js'
import { LEVEL } from '../../shared/thresholds.js'
import { unitOf } from '../../shared/units.js'

/** @import { ArmResult, ClaimWhy, Contrast, Drift, Interval, Plan, Quantity, Sample } from '../../types.js' */
/** @import { Rates } from '../starts.js' */
/** @import { RatioBound } from '../verdict.js' */

/** Ratios of two arms of a run, in any quantity. */
export class Measurements {
  #run
  #blocks
  #hasStarts
  #isWarm
  /** @type {Map<Quantity, Rates>} */
  #values = new Map()

  /** @param {{ plan: Plan, arms: ArmResult[], contrasts: Contrast[], samples: Sample[] }} run */
  constructor (run) {
    this.#run = run
    this.#blocks = selectBlocks(run.plan, run.samples)
    this.#hasStarts = run.samples.some(({ start }) => start !== undefined)
    this.#isWarm = this.#hasStarts || hasOneStart(run.plan)
  }

  /**
   * Compares two arms. A listed contrast lends its level, and any other pair gets one of its own.
   *
   * @param {string} arm
   * @param {string} baseline
   * @param {{ level?: number, of?: Quantity }} options
   * @returns {{ ratio: number, interval: Interval, bound: RatioBound | null, notes: ClaimWhy[], missing: ClaimWhy |
   *   null }} interval: 0 or Infinity at an end that is no bound, because the load generator was the bottleneck; bound:
   *   one arm was not saturated; notes: limits of the figures; missing: why the interval is missing or decides nothing
   */
  compare (arm, baseline, { level, of = 'rate' }) {
    const listed = this.#run.contrasts.find(pair =>
      (pair.arm === arm && pair.baseline === baseline) || (pair.arm === baseline && pair.baseline === arm)
    )
    const usedLevel = level ?? listed?.level ?? LEVEL
    const byArm = this.#getValues(of)
    const { startOf } = this.#blocks
    const starts = this.#hasStarts ? fitStarts(byArm, startOf) : null
    const { ratio, low, high, blocks, drift } =
      computeContrastRatio({ byArm, startOf, starts, isWarm: this.#isWarm }, [arm, baseline], usedLevel)
    // The bottleneck has no effect on the cost of a request.
    const pair = [arm, baseline].map(name => ({ name, bound: this.#findArm(name)?.bound ?? 'none' }))
    const found = of === 'rate' ? findBound({ low, high }, pair[0], pair[1]) : null
    const boundedSide = found?.limit === 'load' ? found.side : null
    /** @type {ClaimWhy[]} */
    const notes = []
    if (!listed) notes.push({ code: 'not-a-listed-contrast', params: { arm, baseline, level: usedLevel } })
    if (boundedSide === 'nothing') {
      notes.push({ code: 'generator-bound', params: { arm: null, known: boundedSide } })
    } else if (boundedSide) {
      const limitedArm = boundedSide === 'at-least' ? arm : baseline
      notes.push({ code: 'generator-bound', params: { arm: limitedArm, known: boundedSide } })
    }
    const needed = smallestSampleFor(usedLevel)
    /** @type {ClaimWhy | null} */
    const tooFew = blocks < needed ? { code: 'too-few-blocks', params: { arm, baseline, blocks, needed } } : null
    const missing = this.#explainUnstable([arm, baseline], of, drift) ?? tooFew
    const bound = found?.limit === 'saturation' ? found : null
    return { ratio, interval: widenUnboundedEnd({ low, high }, boundedSide), bound, notes, missing }
  }

  /**
   * Returns why a ratio is not that of the steady state. Memory grows with the age of a process, and the size of a
   * response does not depend on it.
   *
   * @param {string[]} pair
   * @param {Quantity} of
   * @param {Drift | undefined} drift
   * @returns {ClaimWhy | null}
   */
  #explainUnstable (pair, of, drift) {
    if (of !== 'rate' && of !== 'cpu') return null
    const notSteady = findNotSteady(pair.map(name => this.#findArm(name)))
    return notSteady ?? (isDrifting(drift) ? { code: 'drift', params: drift } : null)
  }

  /** @param {string} name */
  #findArm (name) {
    return this.#run.arms.find(arm => arm.name === name)
  }

  /**
   * Returns the values of a quantity in the blocks whose rates are evaluated.
   *
   * @param {Quantity} of
   * @returns {Rates}
   */
  #getValues (of) {
    const { byArm } = this.#blocks
    if (of === 'rate') return byArm
    const known = this.#values.get(of)
    if (known) return known
    const { getValue } = QUANTITIES[of]
    /** @type {Rates} */
    const values = new Map(this.#run.plan.arms.map(({ name }) => [name, new Map()]))
    for (const sample of this.#run.samples) {
      const value = byArm.get(sample.arm)?.has(sample.block) ? getValue(sample) : null
      if (value !== null && value > 0) values.get(sample.arm)?.set(sample.block, value)
    }
    this.#values.set(of, values)
    return values
  }
}

/**
 * @type {Record<Exclude<Quantity, 'rate'>, { getValue: (sample: Sample) => number | null, getFigure: (arm: ArmResult)
 *   => number | null, unit: string }>}
 */
const QUANTITIES = {
  cpu: {
    getValue: ({ cpuSeconds, requests }) => (cpuSeconds.proxy + cpuSeconds.server) / requests,
    getFigure: ({ cpuMicrosPerRequest: cpu }) => cpu && cpu.proxy + cpu.server,
    unit: 'µs of CPU'
  },
  memory: {
    getValue: ({ memoryMiB }) => memoryMiB.proxy + memoryMiB.server,
    getFigure: ({ memoryMiB }) => memoryMiB && memoryMiB.proxy + memoryMiB.server,
    unit: 'MiB'
  },
  bytes: {
    getValue: ({ bytesPerResponse }) => bytesPerResponse ?? null,
    getFigure: ({ bytesPerResponse }) => bytesPerResponse ?? null,
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
export function listFigures (names, arms, { of, unit, isOrder }) {
  const { print, perSecond } = unitOf(unit)
  const values = names.map(name => {
    const arm = arms.find(arm => arm.name === name)
    if (of === 'rate') return arm?.rps?.median ?? null
    return arm ? QUANTITIES[of].getFigure(arm) : null
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
