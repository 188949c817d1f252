/** Failures of a server in `hopbench check` (pure). */

/** @import { CheckFailure, CheckProbe, CheckedServer } from '../types.js' */

/**
 * Lists the failed probes of a server.
 *
 * @param {{ probes: CheckProbe[], servers: CheckedServer[] } | null} record of the check
 * @param {string} name of a server; "files" if a proxy serves the files
 * @param {string} [proxy] lists only the failures behind this proxy
 * @returns {CheckFailure[] | null} failures of safety first; null: not checked
 */
export function checkFailures (record, name, proxy) {
  const server = record?.servers.find(server => server.name === name)
  const chains = server?.chains.filter(({ word }) => proxy === undefined || word.split(/[/:+]/)[0] === proxy) ?? []
  if (!record || chains.every(({ results }) => results.length === 0)) return null
  return record.probes.flatMap(probe => {
    const failed = chains.flatMap(({ word, results }) => {
      const result = results.find(result => result.probe === probe.name)
      return result?.outcome === 'fail' ? [{ word, ...result }] : []
    })
    if (failed.length === 0) return []
    // The first chain is the server without a proxy, so its response is reported.
    const died = failed.find(({ died }) => died)
    return [{
      ...probe,
      safety: probe.safety || died !== undefined,
      saw: (died ?? failed[0]).saw,
      died: died !== undefined,
      chains: failed.map(({ word }) => word)
    }]
  }).sort((a, b) => Number(b.safety) - Number(a.safety))
}

/**
 * Returns whether a failure of safety excludes a server from recommendations.
 *
 * @param {CheckFailure[] | null} failures
 */
export const isUnsafe = failures => failures?.some(({ safety }) => safety) ?? false
