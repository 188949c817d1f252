/** Warns of loads under which a slow app completes its responses in batches (pure). */
import { SLICE_SECONDS } from '../plan/targets.js'
import { FEW_CONNECTIONS } from '../shared/thresholds.js'

/** @import { ArmResult, RunRecord, Warning } from '../types.js' */

/**
 * Warns of undecided arms whose connections wait for longer than a slice for each response. An app that works on all
 * requests at once completes many of them together, so that slices of a steady app differ by far more than chance:
 * Next.js behind nginx completed 0 to 103 page views in slices of 0.3 s with 100 connections, 42 to 78 with 10.
 *
 * @param {ArmResult[]} measured
 * @param {Pick<RunRecord, 'contrasts' | 'plan'>} run
 * @returns {Warning | null}
 */
export function findBatchWarning (measured, { contrasts, plan: { windowSeconds = SLICE_SECONDS } }) {
  const undecided = contrasts.filter(({ verdict }) => verdict === 'inconclusive')
    .flatMap(({ arm, baseline }) => [arm, baseline])
  const slow = measured.filter(arm => undecided.includes(arm.name) && isClosedLoop(arm) &&
    arm.load.connections > FEW_CONNECTIONS && secondsBetweenResponses(arm) > windowSeconds)
  if (slow.length === 0) return null
  return {
    code: 'batches',
    params: {
      arms: slow.map(({ name }) => name),
      connections: Math.max(...slow.map(({ load }) => load.connections)),
      seconds: Math.max(...slow.map(secondsBetweenResponses)),
      windowSeconds,
      fewer: FEW_CONNECTIONS
    }
  }
}

/** @param {ArmResult} arm */
const isClosedLoop = ({ load }) => load.rate === undefined && !load.scenario

/**
 * Returns the time from a response on a connection to the next one. Of page views: from page to page.
 * @param {ArmResult} arm that served something
 */
const secondsBetweenResponses = ({ rps, load }) => load.connections / (rps?.median ?? Infinity)
