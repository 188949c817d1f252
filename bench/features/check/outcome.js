/** Findings of probes. */

/** @import { Finding, Probe } from './types.js' */

/** @type {(saw: string, ms?: number) => Finding} */
export const pass = (saw, ms) => ({ outcome: 'pass', saw, ...(ms !== undefined && { ms }) })
/** @type {(saw: string) => Finding} */
export const fail = saw => ({ outcome: 'fail', saw })
/** @type {(saw: string, ms?: number) => Finding} */
export const differs = (saw, ms) => ({ outcome: 'differs-by-design', saw, ...(ms !== undefined && { ms }) })
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
 * Judges items one after the other, and returns the worst finding.
 *
 * @template Item
 * @param {Item[]} items at least one
 * @param {(item: Item) => Promise<Finding>} judge
 */
export async function findWorst (items, judge) {
  const findings = []
  for (const item of items) findings.push(await judge(item))
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
