/** What a recommendation needs to know of the servers that were compared: what the last check found, and what they are.
 */
import { checkFailures } from '../analysis/check-failures.js'
import { loadPlugin } from '../plugins.js'
import { lastCheck } from '../store/check-results.js'

/** @import { Arm, ServerAbout } from '../types.js' */
/** @import { Known } from '../analysis/recommendation.js' */

/**
 * @param {Pick<Arm, 'topology'>[]} arms
 * @param {string} [resultsDir] where the last check is stored
 * @returns {Promise<Required<Known>>}
 */
export async function knownServers (arms, resultsDir) {
  const checked = await lastCheck(resultsDir)
  /** @type {Map<string, ServerAbout>} */
  const abouts = new Map()
  for (const name of new Set(arms.flatMap(({ topology: { server } }) => server?.name ?? []))) {
    // A check may be older than what the server says of itself today. In an installed hopbench a package that is only
    // compared may not be there.
    const about = await loadPlugin('server', name).then(module => module.about, () =>
      checked?.servers.find(server => server.name === name)?.about)
    if (about) abouts.set(name, about)
  }
  const last = checked?.servers.toSorted((a, b) => a.checkedAt.localeCompare(b.checkedAt)).at(-1)
  return {
    failuresOf: (server, proxy) => checkFailures(checked, server, proxy),
    aboutOf: name => abouts.get(name) ?? null,
    checked: last ? { day: last.checkedAt.slice(0, 10), node: last.node } : null
  }
}
