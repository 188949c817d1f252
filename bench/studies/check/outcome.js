/** Findings of probes. */

/** @import { Finding, Probe } from './types.js' */

/** @type {(saw: string, ms?: number) => Finding} */
export const pass = (saw, ms) => ({ outcome: 'pass', saw, ...(ms !== undefined && { ms }) })
/** @type {(saw: string, ms?: number) => Finding} */
export const fail = (saw, ms) => ({ outcome: 'fail', saw, ...(ms !== undefined && { ms }) })
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
 * Creates a probe of behaviour that RFC 9110 requires.
 *
 * @param {string} name
 * @param {string} title
 * @param {string} section
 * @param {Probe['run']} run
 * @returns {Probe}
 */
export const rfc9110 = (name, title, section, run) => ({ name, title, rfc: `RFC 9110, ${section}`, safety: false, run })
