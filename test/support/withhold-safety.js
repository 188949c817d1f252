/** Keeps failures of safety out of the published check, because not every project has published its own. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** @import { CheckRecord, CheckResult } from '../../bench/types.js' */

/**
 * Returns the class of a failure of safety: one of a probe of safety, or one that ends the server.
 * @param {CheckRecord} check
 * @param {CheckResult} result
 * @returns {string | null} null: no failure of safety
 */
export function classOf ({ probes }, { probe, outcome, died }) {
  const found = probes.find(({ name }) => name === probe)
  return found && outcome === 'fail' && (found.safety || died) ? found.topic.toLowerCase() : null
}

/**
 * Removes what shows failures of safety from a check, but for their class.
 * @param {string} file check.json
 */
export function withholdSafety (file) {
  if (!existsSync(file)) return
  /** @type {CheckRecord} */
  const check = JSON.parse(readFileSync(file, 'utf8'))
  for (const result of check.servers.flatMap(({ chains }) => chains).flatMap(({ results }) => results)) {
    const topic = classOf(check, result)
    if (topic === null) continue
    result.saw = topic
    delete result.evidence
  }
  writeFileSync(file, `${JSON.stringify(check)}\n`)
}
