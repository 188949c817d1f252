/** Projects ratios to a machine on which proxy and app have one core each (pure). */
import { isNumber, listing } from '../../shared/format.js'

/** @import { ArmResult, ByRole, Contrast, RunRecord } from '../../types.js' */

/** Cores of an arm with a proxy, as a multiple of those of the app alone. */
const PROXY_ARM_CORES = 2

/**
 * Returns one paragraph with the projected ratios of all contrasts between an app alone and behind a proxy: in total,
 * and per core, because the arm with a proxy has more cores. Empty if the served side has several cores, or no contrast
 * qualifies.
 * @param {Pick<RunRecord, 'arms' | 'contrasts' | 'environment'>} record
 * @returns {string[]} one paragraph at most
 */
export function projectionSentences ({ arms, contrasts, environment: { cores } }) {
  if (cores.served.length > 1) return []
  const clauses = contrasts.filter(({ verdict }) => verdict !== 'invalid').flatMap(contrast => {
    const [arm, baseline] = [contrast.arm, contrast.baseline].map(name => arms.find(arm => arm.name === name))
    const ratio = projectRatio(contrast, arm, baseline)
    if (ratio === null) return []
    const [perCore, words] = arm?.topology.proxy
      ? [ratio / PROXY_ARM_CORES, 'two cores instead of one']
      : [ratio * PROXY_ARM_CORES, 'one core instead of two']
    return [`${contrast.arm} would serve about ${perCore.toFixed(2)} times as much per core as ${contrast.baseline} ` +
      `(${ratio.toFixed(2)} times in total, with ${words})`]
  })
  if (clauses.length === 0) return []
  return [`Proxy and app shared one core here. With one core each, ${listing(clauses)}. This is projected from the ` +
    'CPU time per request. If the app runs one process per core, both alone and behind the proxy, the measured ratio ' +
    'holds instead.']
}

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
 * @returns {number | null} null: not one app alone and behind a proxy with one process each, or their CPU time is
 * unknown
 */
export function projectRatio ({ ratio, measures }, arm, baseline) {
  if (!arm || !baseline || Boolean(arm.topology.proxy) === Boolean(baseline.topology.proxy)) return null
  if (!isOneProcess(arm) || !isOneProcess(baseline)) return null
  if (arm.topology.server?.name !== baseline.topology.server?.name) return null
  const [cpu, baselineCpu] = [arm.cpuMicrosPerRequest, baseline.cpuMicrosPerRequest]
  if (!cpu || !baselineCpu) return null
  return measures === 'capacity' && isNumber(ratio)
    ? ratio * computeSpeedup(cpu) / computeSpeedup(baselineCpu)
    : getLargerMicros(baselineCpu) / getLargerMicros(cpu)
}

/**
 * Returns the CPU time per request of the slower of proxy and server, which limits the rate with one core each.
 * @param {Omit<ByRole, 'load'>} micros CPU time per request
 */
const getLargerMicros = ({ proxy, server }) => Math.max(proxy, server)

/**
 * Computes the factor by which the rate rises if proxy and server have one core each instead of one together.
 * @param {Omit<ByRole, 'load'>} micros CPU time per request
 */
const computeSpeedup = micros => (micros.proxy + micros.server) / getLargerMicros(micros)

/** Returns whether proxy and server have one process each. @param {ArmResult} arm */
const isOneProcess = ({ topology: { proxy, server } }) =>
  server?.instances === 1 && Number(proxy?.options.workers ?? 1) === 1
