/** What a probe finds. */

/** @import { Finding } from './types.js' */

/** @type {(saw: string, ms?: number) => Finding} */
export const pass = (saw, ms) => ({ outcome: 'pass', saw, ...(ms !== undefined && { ms }) })
/** @type {(saw: string, ms?: number) => Finding} */
export const fail = (saw, ms) => ({ outcome: 'fail', saw, ...(ms !== undefined && { ms }) })
/** @type {(saw: string, ms?: number) => Finding} */
export const differs = (saw, ms) => ({ outcome: 'differs-by-design', saw, ...(ms !== undefined && { ms }) })
/** @type {(saw: string) => Finding} */
export const untested = saw => ({ outcome: 'untested', saw })

const RANK = { fail: 3, 'differs-by-design': 2, untested: 1, pass: 0 }

/** The worst of several findings, which is what a probe with several questions says.
 * @param {Finding[]} findings at least one */
export const worst = findings => findings.reduce((a, b) => RANK[b.outcome] > RANK[a.outcome] ? b : a)
