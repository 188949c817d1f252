/** How far a result carries: what the roles shared here, and what a core each would change (pure). */
import { listing } from '../plan/format.js'

/** @import { ArmResult, RunRecord } from '../types.js' */

/** @param {Pick<RunRecord, 'arms' | 'contrasts' | 'environment'>} record @param {Record<string, string>} [names] of
 * arms, in a sentence @returns {string[]} */
export function carrySentences ({ arms, contrasts, environment: { cores } }, names = {}) {
  const find = (/** @type {string} */ name) => arms.find(arm => arm.name === name)
  const named = (/** @type {string} */ name) => names[name] ?? name
  const projected = contrasts.flatMap(({ arm, baseline, verdict }) => {
    const ratio = verdict === 'invalid' ? null : coreEach(find(arm), find(baseline))
    return ratio === null
      ? []
      : [`${named(arm)} would be about ${ratio.toFixed(2)} times as fast as ${named(baseline)}`]
  })
  if (projected.length === 0 || cores.served.length > 1) return []
  return ['Proxy and app shared one core here. With a second core for the proxy, projected from CPU time per ' +
    `request, ${listing(projected)}.`]
}

/** Of an app alone and the same app behind a proxy, each a process: alone it serves 1 / S requests a second of its
 * core, behind a proxy that takes P the slower of the two decides, 1 / max(P, S).
 * @param {ArmResult} [arm] @param {ArmResult} [baseline]
 * @returns {number | null} how many times as fast the arm would be; null: this pair is no such question */
export function coreEach (arm, baseline) {
  if (!arm || !baseline || Boolean(arm.topology.proxy) === Boolean(baseline.topology.proxy)) return null
  if (!isOneProcess(arm) || !isOneProcess(baseline)) return null
  if (arm.topology.server?.name !== baseline.topology.server?.name) return null
  const [own, other] = [arm, baseline].map(slowest)
  return own === null || other === null ? null : other / own
}

/** @param {ArmResult} arm */
const isOneProcess = ({ topology: { proxy, server } }) =>
  server?.instances === 1 && Number(proxy?.options.workers ?? 1) === 1

/** @param {ArmResult} arm @returns {number | null} CPU time in µs of the role that takes most of it */
const slowest = ({ cpuMicrosPerRequest: cpu }) => cpu ? Math.max(cpu.proxy, cpu.server) : null
