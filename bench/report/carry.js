/** Projection of a result to a machine on which proxy and app have a core each (pure). */
import { isNumber, listing } from '../shared/format.js'

/** @import { ArmResult, ByRole, Contrast, RunRecord } from '../types.js' */

/**
 * Projects each contrast between an app alone and the same app behind a proxy.
 * @param {Pick<RunRecord, 'arms' | 'contrasts' | 'environment'>} record
 * @param {Record<string, string>} [names] of arms, as they are printed
 * @returns {string[]} one paragraph at most
 */
export function carrySentences ({ arms, contrasts, environment: { cores } }, names = {}) {
  if (cores.served.length > 1) return []
  const findArm = (/** @type {string} */ name) => arms.find(arm => arm.name === name)
  const projections = contrasts.filter(({ verdict }) => verdict !== 'invalid').flatMap(contrast => {
    const { arm, baseline } = contrast
    const ratio = projectRatio(contrast, findArm(arm), findArm(baseline))
    return ratio === null
      ? []
      : [`${names[arm] ?? arm} would serve about ${perCoreClause(ratio, findArm(arm))} as ${
          names[baseline] ?? baseline}`]
  })
  if (projections.length === 0) return []
  return [`Proxy and app shared one core here. With a core each, projected from CPU time per request, ${
    listing(projections)}. Where the app has a process for each core, alone and behind the proxy, the measured ` +
    'ratios hold.']
}

const CORES = 2 // A core for the proxy and one for the app, against one for the app alone.

/**
 * Words a projected ratio by core, because the arm with a proxy has more cores than the other.
 * @param {number} ratio
 * @param {ArmResult | undefined} arm the numerator
 */
export const perCoreClause = (ratio, arm) =>
  arm?.topology.proxy
    ? `${(ratio / CORES).toFixed(2)} times as much per core (${ratio.toFixed(2)} with two cores against one)`
    : `${(ratio * CORES).toFixed(2)} times as much per core (${ratio.toFixed(2)} with one core against two)`

/**
 * Projects the ratio of an app alone and the same app behind a proxy to a core for each process.
 *
 * With P and S seconds of CPU time per request, proxy and server that saturate one core together serve 1 / (P + S)
 * requests per second. With a core each, the slower of the two limits the rate to 1 / max(P, S). So the rate rises by
 * the factor (P + S) / max(P, S). Applies these factors to the measured ratio, because it was measured in the same
 * blocks, whereas CPU times of two arms may come from blocks between which the speed of the machine changed. If an arm
 * did not saturate its core, its rate does not measure capacity, and the CPU times are compared instead.
 *
 * @param {Pick<Contrast, 'ratio' | 'measures'>} contrast of the two arms
 * @param {ArmResult} [arm]
 * @param {ArmResult} [baseline]
 * @returns {number | null} null: the arms are not such a pair
 */
export function projectRatio ({ ratio, measures }, arm, baseline) {
  if (!arm || !baseline || Boolean(arm.topology.proxy) === Boolean(baseline.topology.proxy)) return null
  if (!isOneProcess(arm) || !isOneProcess(baseline)) return null
  if (arm.topology.server?.name !== baseline.topology.server?.name) return null
  const [cpu, baselineCpu] = [arm.cpuMicrosPerRequest, baseline.cpuMicrosPerRequest]
  if (!cpu || !baselineCpu) return null
  return measures === 'capacity' && isNumber(ratio)
    ? ratio * gain(cpu) / gain(baselineCpu)
    : slowest(baselineCpu) / slowest(cpu)
}

/** @param {Omit<ByRole, 'load'>} micros CPU time per request */
const slowest = ({ proxy, server }) => Math.max(proxy, server)
/** @param {Omit<ByRole, 'load'>} micros CPU time per request */
const gain = micros => (micros.proxy + micros.server) / slowest(micros)

/** @param {ArmResult} arm */
const isOneProcess = ({ topology: { proxy, server } }) =>
  server?.instances === 1 && Number(proxy?.options.workers ?? 1) === 1
