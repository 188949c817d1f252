/** What a plan's protocol is about, for who has the plan only: a stored run may be of a protocol that is gone (pure).
 */

/** @import { Plan, RunResult } from '../types.js' */

/** Plans stored before they said so. @type {Record<string, RunResult>} */
const UNSAID = { ladder: 'first-errors', rates: 'latency' }

/** @param {Pick<Plan, 'protocol' | 'result'>} plan @returns {RunResult} */
export const resultOf = ({ protocol, result }) => result ?? UNSAID[protocol] ?? 'throughput'
