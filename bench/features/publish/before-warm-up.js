/** Runs that were made before warm-ups waited for the steady state (pure). */
import { getProgramKey } from '../../shared/releases.js'

/** @import { RunRecord } from '../../types.js' */

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
