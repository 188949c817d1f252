/** Applies --release: the Debian release from which the proxies of a plan come. */
import { proxyHops } from '../measure/find-programs.js'
import { loadPlugin } from '../plan/plugins.js'
import { withRelease } from '../topology/variants.js'

/** @import { Arm, ProxyPlugin } from '../types.js' */

/**
 * Returns arms with the programs of a release. Proxies that cannot come from another release keep the installed
 * program.
 * @template {Pick<Arm, 'topology' | 'spec'>} T
 * @param {T[]} arms
 * @param {string | undefined} release undefined: the installed programs
 * @returns {Promise<{ arms: T[], notes: string[] }>} notes: why a proxy keeps the installed program
 */
export async function withReleases (arms, release) {
  if (release === undefined) return { arms, notes: [] }
  const names = new Set(arms.flatMap(({ topology }) => proxyHops(topology)).map(({ name }) => name))
  const reasons = new Map(await Promise.all([...names].map(async name => {
    const { default: { about } } = /** @type {{ default: ProxyPlugin }} */ (await loadPlugin('proxy', name))
    return /** @type {const} */ ([name, about.options.release ? null : about.lacks?.release ?? 'it has no such option'])
  })))
  const isAble = (/** @type {T} */ { topology }) =>
    proxyHops(topology).every(({ name, options }) => reasons.get(name) === null || options.release !== undefined)
  return {
    arms: arms.map(arm => isAble(arm) ? withRelease(arm, release) : arm),
    notes: [...reasons].flatMap(([name, why]) => why === null ? [] : [`${name} stays the installed program: ${why}.`])
  }
}
