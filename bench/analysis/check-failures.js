/** What a check has found against a server (pure): for a recommendation, and to be shown beside its rate. */

/** @import { CheckFailure, CheckProbe, CheckedServer } from '../types.js' */

/** @param {{ probes: CheckProbe[], servers: CheckedServer[] } | null} record
 * @param {string} name of a server, or "files" where a proxy serves them itself
 * @param {string} [proxy] then only what was found against this one
 * @returns {CheckFailure[] | null} those of safety first; null: it has not been checked */
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
    // Bare comes first: the server's own message rather than what a proxy made of them.
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

/** Does one of its failures keep a server from being recommended? @param {CheckFailure[] | null} failures */
export const isUnsafe = failures => failures?.some(({ safety }) => safety) ?? false
