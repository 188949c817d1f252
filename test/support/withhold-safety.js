/** Keeps failures of safety out of the published check, because not every project has published its own. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** @import { CheckRecord } from '../../bench/types.js' */

/**
 * Removes what shows failures of safety from a check, but for their class.
 * @param {string} file check.json
 */
export function withholdSafety (file) {
  if (!existsSync(file)) return
  /** @type {CheckRecord} */
  const check = JSON.parse(readFileSync(file, 'utf8'))
  const topics = new Map(check.probes.filter(({ safety }) => safety).map(({ name, topic }) => [name, topic]))
  for (const result of check.servers.flatMap(({ chains }) => chains).flatMap(({ results }) => results)) {
    const topic = topics.get(result.probe)
    if (topic === undefined || result.outcome !== 'fail') continue
    result.saw = topic.toLowerCase()
    delete result.evidence
  }
  writeFileSync(file, `${JSON.stringify(check)}\n`)
}
