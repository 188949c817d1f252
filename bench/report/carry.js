/** How far a result carries: what the roles shared here, and what a core each would change (pure). */
import { isNumber, listing } from '../shared/format.js'

/** @import { ArmResult, Contrast, RunRecord } from '../types.js' */

/** @param {Pick<RunRecord, 'arms' | 'contrasts' | 'environment'>} record @param {Record<string, string>} [names] of
 * arms, in a sentence @returns {string[]} */
export function carrySentences ({ arms, contrasts, environment: { cores } }, names = {}) {
  const find = (/** @type {string} */ name) => arms.find(arm => arm.name === name)
  const named = (/** @type {string} */ name) => names[name] ?? name
  const projected = contrasts.flatMap(contrast => {
    const { arm, baseline, verdict } = contrast
    const ratio = verdict === 'invalid' ? null : coreEach(contrast, find(arm), find(baseline))
    return ratio === null
      ? []
      : [`${named(arm)} would be about ${ratio.toFixed(2)} times as fast as ${named(baseline)}`]
  })
  if (projected.length === 0 || cores.served.length > 1) return []
  return ['Proxy and app shared one core here. With a second core for the proxy, projected from CPU time per ' +
    `request, ${listing(projected)}.`]
}

/** Of an app alone and the same app behind a proxy, a process each. Those that share a core and have used it up serve
 * 1 / (P + S) requests a second, with a core each the slower of the two decides, 1 / max(P, S): (P + S) / max(P, S)
 * times as many. So the ratio, which was measured in the same blocks, is carried over; the CPU times of two arms may be
 * of different blocks, between which the machine's speed changes. They are compared where one had not used up its core,
 * since then the rates say nothing of it.
 * @param {Pick<Contrast, 'ratio' | 'measures'>} contrast of the two
 * @param {ArmResult} [arm] @param {ArmResult} [baseline]
 * @returns {number | null} how many times as fast the arm would be; null: this pair is no such question */
export function coreEach ({ ratio, measures }, arm, baseline) {
  if (!arm || !baseline || Boolean(arm.topology.proxy) === Boolean(baseline.topology.proxy)) return null
  if (!isOneProcess(arm) || !isOneProcess(baseline)) return null
  if (arm.topology.server?.name !== baseline.topology.server?.name) return null
  const [own, other] = [arm, baseline].map(({ cpuMicrosPerRequest: cpu }) => cpu)
  if (!own || !other) return null
  return measures === 'capacity' && isNumber(ratio) ? ratio * gain(own) / gain(other) : slowest(other) / slowest(own)
}

/** @typedef {{ proxy: number, server: number }} Cpu µs per request */

const slowest = (/** @type {Cpu} */ { proxy, server }) => Math.max(proxy, server)
const gain = (/** @type {Cpu} */ cpu) => (cpu.proxy + cpu.server) / slowest(cpu)

/** @param {ArmResult} arm */
const isOneProcess = ({ topology: { proxy, server } }) =>
  server?.instances === 1 && Number(proxy?.options.workers ?? 1) === 1
