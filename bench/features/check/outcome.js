/** Findings of probes. */
import { getEvidence } from './evidence.js'

/** @import { Finding, Probe } from './types.js' */

/** @type {(saw: string, ms?: number) => Finding} */
export const pass = (saw, ms) => ({ outcome: 'pass', saw, ...(ms !== undefined && { ms }) })
/** command: if the last request does not show the failure. @type {(saw: string, command?: string) => Finding} */
export const fail = (saw, command) => ({ outcome: 'fail', saw, ...getEvidence(command) })
/** @type {(saw: string, ms?: number, command?: string) => Finding} */
export const differs = (saw, ms, command) => ({
  outcome: 'differs-by-design', saw, ...(ms !== undefined && { ms }), ...command !== undefined && getEvidence(command)
})
/** @type {(saw: string) => Finding} */
export const untested = saw => ({ outcome: 'untested', saw })

const RANK = { fail: 3, 'differs-by-design': 2, untested: 1, pass: 0 }

/**
 * Returns the worst of several findings.
 *
 * @param {Finding[]} findings at least one
 */
export const worst = findings => findings.reduce((a, b) => RANK[b.outcome] > RANK[a.outcome] ? b : a)

/**
 * @param {string} name
 * @param {string} title
 * @param {string | null} rfc
 * @param {Probe['run']} run
 * @returns {Probe}
 */
export const probe = (name, title, rfc, run) => ({ name, title, rfc, safety: false, run })

/** Creates a probe of behaviour without which a server is not recommended. @type {typeof probe} */
export const safetyProbe = (...args) => ({ ...probe(...args), safety: true })

/**
 * Judges items one after the other until one fails, and returns the worst finding.
 *
 * @template Item
 * @param {Item[]} items at least one
 * @param {(item: Item) => Promise<Finding>} judge
 */
export async function findWorst (items, judge) {
  const findings = []
  for (const item of items) {
    findings.push(await judge(item))
    if (findings[findings.length - 1].outcome === 'fail') break
  }
  return worst(findings)
}

/**
 * Creates a probe of behaviour that RFC 9110 requires.
 *
 * @param {string} name
 * @param {string} title
 * @param {string} section
 * @param {Probe['run']} run
 * @returns {Probe}
 */
export const rfc9110 = (name, title, section, run) => probe(name, title, `RFC 9110, ${section}`, run)
