/**
 * Findings of the check about the servers of a run, as shipped and as recommended: a row for each probe that at least
 * one of them fails.
 */
import { checkFailures, toForms } from '../judge/check-failures.js'
import { count } from '../shared/format.js'
import { column } from './table.js'

/** @import { CheckRecord, RunRecord, Section } from '../types.js' */

/**
 * @param {RunRecord} record
 * @param {CheckRecord | null} check
 * @returns {Section[]} empty: no server of the run has been checked
 */
export function checkSection ({ arms }, check) {
  if (!check) return []
  const names = [...new Set(arms.map(({ topology }) => topology.server?.name ?? 'files'))]
  const checked = names.flatMap(name => Object.values(toForms(name))).flatMap(name => {
    const failures = checkFailures(check, name)
    return failures ? [{ name, failures }] : []
  })
  if (checked.length === 0) return []
  const all = checked.flatMap(({ name: server, failures }) => failures.map(failure => ({ ...failure, server })))
  const probes = check.probes.filter(({ name }) => all.some(failure => failure.name === name))
  return [{
    id: 'check',
    title: 'Failures of the servers',
    blocks: [
      {
        rows: probes,
        columns: [
          column('probe', ({ name, title, rfc, safety }) => {
            const isUnsafe = safety || all.some(failure => failure.name === name && failure.died)
            return `${isUnsafe ? 'SAFETY ' : ''}${title}${rfc ? ` (${rfc})` : ''}`
          }, { left: true }),
          ...checked.map(({ name: server, failures }) => column(server, ({ name }) => {
            const failure = failures.find(failure => failure.name === name)
            return failure ? failure.died ? '✕ died' : '✕ fails' : '✓'
          }, { left: true }))
        ]
      },
      `${count(check.probes.length - probes.length)} of ${count(check.probes.length)} probes are passed by all of ` +
      'them and are not shown.',
      ...all.map(({ server, title, saw }) => `${server}: ${title}: ${saw}`)
    ]
  }]
}
