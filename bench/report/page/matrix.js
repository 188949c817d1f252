/**
 * Findings of the check about the servers of a run, as shipped and as recommended: a row for each probe that at least
 * one of them fails.
 */
import { checkFailures, toForms } from '../../judge/check-failures.js'
import { count } from '../../shared/format.js'

/** @import { CheckRecord, RunRecord } from '../../types.js' */

/**
 * Returns null if no server of the run has been checked.
 * @param {RunRecord} record
 * @param {CheckRecord | null} check
 */
export function toMatrix ({ arms }, check) {
  if (!check) return null
  const names = [...new Set(arms.map(({ topology }) => topology.server?.name ?? 'files'))]
  const checked = names.flatMap(name => Object.values(toForms(name))).flatMap(name => {
    const failures = checkFailures(check, name)
    return failures ? [{ name, failures }] : []
  })
  if (checked.length === 0) return null
  const allFailures = checked.flatMap(({ failures }) => failures)
  const failedProbes = check.probes.filter(({ name }) => allFailures.some(failure => failure.name === name))
  return {
    servers: checked.map(({ name }) => name),
    rows: failedProbes.map(({ name, title, rfc, safety }) => ({
      title,
      rfc,
      safety: safety || allFailures.some(failure => failure.name === name && failure.died),
      cells: checked.map(({ failures }) => toCell(failures.find(failure => failure.name === name)))
    })),
    details: checked.filter(({ failures }) => failures.length > 0).map(({ name, failures }) => ({
      server: name,
      failures: failures.map(({ title, saw }) => ({ title, saw }))
    })),
    passed:
      `${count(check.probes.length - failedProbes.length)} of ${count(check.probes.length)} probes are passed by all ` +
      'of them and are not shown.'
  }
}

/** @param {{ died: boolean } | undefined} failure */
function toCell (failure) {
  if (!failure) return { text: '✓', failed: false }
  return { text: failure.died ? '✕ died' : '✕ fails', failed: true }
}
