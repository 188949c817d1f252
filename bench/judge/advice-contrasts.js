/** Contrasts of a run as an advice uses them: as ratios of capacities (pure). */
import { YOURS } from '../plan/changed-spec.js'
import { findMix } from '../plan/request-mix.js'
import { getMicros } from './scaling.js'

/** @import { AdviceContrast, ArmResult, Contrast, RunRecord } from '../types.js' */

/**
 * Returns the contrasts of a run with the figures of their arms. A contrast of two arms that were not saturated is
 * inconclusive, because their rates do not show their capacities.
 *
 * @param {Pick<RunRecord, 'run' | 'arms' | 'contrasts' | 'unit'>} record
 * @returns {AdviceContrast[]}
 */
export function toContrasts ({ run, arms, contrasts, unit }) {
  const byName = new Map(arms.map(arm => [arm.name, arm]))
  return contrasts.map(contrast => {
    const { ratio, low, high, level, verdict, why, secondsToSettle } = contrast
    const bound = findCapacityBound(contrast)
    const arm = /** @type {ArmResult} */ (byName.get(contrast.arm))
    const baseline = /** @type {ArmResult} */ (byName.get(contrast.baseline))
    return {
      arm: arm.name === YOURS ? YOURS : arm.spec,
      baseline: baseline.spec,
      ratio,
      low,
      high,
      level,
      verdict: bound === 'neither' ? 'inconclusive' : verdict,
      ...bound && { bound },
      ...verdict === 'inconclusive' && why && { why },
      secondsToSettle: secondsToSettle ?? null,
      run,
      bytes: { arm: arm.bytesPerResponse ?? null, baseline: baseline.bytesPerResponse ?? null },
      programs: { arm: arm.proof?.program ?? null, baseline: baseline.proof?.program ?? null },
      processes: { arm: arm.proof?.processes ?? null, baseline: baseline.proof?.processes ?? null },
      requests: unit === 'pages' ? findMix(baseline.load)?.sequence.length ?? 1 : 1,
      cpuMicros: { arm: getMicros(arm), baseline: getMicros(baseline) }
    }
  })
}

/**
 * Returns how a ratio of rates differs from that of the capacities.
 *
 * @param {Contrast} contrast
 * @returns {AdviceContrast['bound'] | null} null: it does not, or this is unknown
 */
const findCapacityBound = ({ measures, verdict, oneSided }) =>
  measures === 'hand-off latency' && verdict !== 'invalid' ? oneSided ?? 'neither' : null

/**
 * Returns contrasts for pairs whose comparison failed, in the form of toContrasts().
 *
 * @param {string[]} words topologies, the baseline first
 * @returns {AdviceContrast[]} invalid ones
 */
export const toFailedContrasts = ([baseline, ...arms]) => arms.map(arm => ({
  arm,
  baseline,
  ratio: NaN,
  low: NaN,
  high: NaN,
  level: NaN,
  verdict: 'invalid',
  secondsToSettle: null,
  run: null,
  bytes: { arm: null, baseline: null },
  requests: 1,
  cpuMicros: { arm: null, baseline: null }
}))
