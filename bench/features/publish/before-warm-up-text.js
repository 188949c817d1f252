/** Sentence about figures that are older than the measured warm-up (pure). */
import { getProgramKey } from '../../shared/releases.js'

/** @import { RunRecord } from '../../types.js' */

/**
 * @param {RunRecord[]} records runs that a text is based on
 * @param {{ method?: string }} [page] method: docs/method.md, as the page links to it; left out: the terminal
 * @returns {string | null} null: each run waited for the steady state, or has no server of hopbench
 */
export function beforeWarmUpSentence (records, { method } = {}) {
  if (!records.some(isBeforeWarmUp)) return null
  const [first] = records.filter(({ plan }) => plan.warmUp !== undefined).map(({ startedAt }) => startedAt).sort()
  const isLater = records.filter(isBeforeWarmUp).every(({ startedAt }) => startedAt.slice(0, 10) < first?.slice(0, 10))
  const others = !isLater ? '' : ` Those of runs since ${first.slice(0, 10)} do not.`
  return method === undefined
    ? `The figures of Node are older than the measured warm-up: they contain time in which V8 was compiling.${others}`
    : `The figures of Node here predate the [measured warm-up](${method}#warm-up).${others}`
}

/** Protocols without a warm-up, because the beginning is part of their result. */
const COLD_PROTOCOLS = ['plays', 'series']

/**
 * Returns whether the figures of a run contain time in which a runtime was compiling: it has a server of hopbench, and
 * its warm-up had a fixed length, which such a plan does not record.
 *
 * @param {Pick<RunRecord, 'plan' | 'tools'>} record
 */
export const isBeforeWarmUp = ({ plan: { warmUp, protocol, arms }, tools }) =>
  warmUp === undefined && !COLD_PROTOCOLS.includes(protocol) &&
  // A server that is a program, as in nginx:uds/nginx, compiles nothing. Of an app by command the runtime is unknown.
  arms.some(({ topology: { server } }) =>
    server !== null && !server.command && tools[getProgramKey(server)] === undefined)
