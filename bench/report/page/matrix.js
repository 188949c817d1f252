/** What the check found of the static servers in a run: a row for each question that not all pass.
 * @import { CheckRecord, RunRecord } from '../../types.js' */
import { checkFailures } from '../../analysis/check-failures.js'
import { count } from '../../shared/format.js'

/** @typedef {{ text: string, failed: boolean }} Cell */
/** @typedef {object} Matrix
 * @property {string[]} servers
 * @property {{ title: string, safety: boolean, rfc: string | null, cells: Cell[] }[]} rows
 * @property {{ server: string, failures: { title: string, saw: string }[] }[]} details what was seen of each failure
 * @property {string} passed */

/** @param {RunRecord} record @param {CheckRecord | null} check
 * @returns {Matrix | null} null: nothing in the run has been checked */
export function matrixOf ({ arms }, check) {
  if (!check) return null
  const names = [...new Set(arms.map(({ topology }) => topology.server?.name ?? 'files'))]
  const known = names.flatMap(name => {
    const failures = checkFailures(check, name)
    return failures ? [{ name, failures }] : []
  })
  if (known.length === 0) return null
  const asked = check.probes.filter(({ name }) =>
    known.some(({ failures }) => failures.some(failure => failure.name === name))
  )
  return {
    servers: known.map(({ name }) => name),
    rows: asked.map(({ name, title, rfc, safety }) => ({
      title,
      rfc,
      safety: safety || known.some(({ failures }) => failures.some(failure => failure.name === name && failure.died)),
      cells: known.map(({ failures }) => {
        const failure = failures.find(failure => failure.name === name)
        return { text: failure?.died ? '✕ died' : failure ? '✕ fails' : '✓', failed: failure !== undefined }
      })
    })),
    details: known.filter(({ failures }) => failures.length > 0).map(({ name, failures }) => ({
      server: name,
      failures: failures.map(({ title, saw }) => ({ title, saw }))
    })
    ),
    passed:
      `${count(check.probes.length - asked.length)} of ${count(check.probes.length)} questions are passed by all of ` +
      'them and left out here.'
  }
}
