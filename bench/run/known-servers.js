/** Facts about static servers, which decide what is recommended: the last check, and their descriptions. */
import { checkForms, toServerName } from '../judge/check-failures.js'
import { loadPlugin } from '../plan/plugins.js'
import { lastCheck } from '../store/check-results.js'

/** @import { Arm, CheckFailure, ServerAbout } from '../types.js' */
/** @import { ServerFacts } from '../judge/recommendation.js' */

/**
 * @param {Pick<Arm, 'topology'>[]} arms
 * @param {string} [resultsDir] where the last check is stored
 * @returns {Promise<Required<ServerFacts>>}
 */
export async function knownServers (arms, resultsDir) {
  const checked = await lastCheck(resultsDir)
  /** @type {Map<string, ServerAbout>} */
  const abouts = new Map()
  const proxies = new Set(arms.map(({ topology: { proxy } }) => proxy?.name))
  /**
   * Returns whether a failure is of safety, or occurs without a proxy or behind one of the arms.
   * @param {CheckFailure} failure
   */
  const counts = ({ safety, chains }) =>
    safety || chains.some(spec => !spec.includes('/') || proxies.has(spec.split(/[/:+]/)[0]))
  const names = new Set(arms.flatMap(({ topology: { server } }) => server?.name ?? []))
  for (const name of names) {
    // The plug-in is newer than the last check. It cannot be imported if its package is not installed.
    const about = await loadPlugin('server', name).then(module => module.about, () =>
      checked?.servers.find(server => server.name === name)?.about)
    if (about) abouts.set(name, about)
  }
  // Only compared servers count: the check of others, and of files that a proxy serves, may have another Node.
  const last = checked?.servers.filter(({ name }) => names.has(toServerName(name)))
    .toSorted((a, b) => a.checkedAt.localeCompare(b.checkedAt)).at(-1)
  return {
    failuresOf: (server, proxy) => checkForms(checked, server, proxy).recommended?.filter(counts) ?? null,
    shippedFailuresOf: (server, proxy) => {
      const { shipped, hasBoth } = checkForms(checked, server, proxy)
      return hasBoth ? shipped?.filter(counts) ?? null : null
    },
    aboutOf: name => abouts.get(name) ?? null,
    checked: last ? { day: last.checkedAt.slice(0, 10), node: last.node } : null
  }
}
