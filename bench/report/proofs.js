/** Words for the counts that show what the proxy of an arm does (pure). */
import { getServedPrefixes } from '../plan/file-prefixes.js'
import { isCached } from '../plan/predicates.js'
import { count, isNumber, percent } from '../shared/format.js'
import { unitOf } from '../shared/units.js'

/** @import { ArmResult, RunRecord, Section } from '../types.js' */

/** Confinement of a server with known vulnerabilities. */
const CONFINED = {
  namespace: 'confined by a namespace',
  permissions: "confined by Node's permissions",
  nothing: 'not confined'
}

/**
 * Returns the counts of the connections between proxy and server.
 * @param {ArmResult} arm
 */
export function listProofs ({ topology, proof }) {
  const { upstreamConnectionsPerRequest: connections, cacheHitRatio, filesAtServer, socketType, confinedBy } = proof
  const servesFiles = getServedPrefixes(topology).length > 0
  return [
    ...isNumber(connections) ? [`${connectionsText(connections)} connections a request`] : [],
    ...isCached(topology) && isNumber(cacheHitRatio) ? [`cache: ${percent(cacheHitRatio)} hits`] : [],
    ...servesFiles && isNumber(filesAtServer) ? [`${count(filesAtServer)} requests for files`] : [],
    ...socketType === 'none' ? [] : [`socket: ${socketType}`],
    ...confinedBy ? [CONFINED[confinedBy]] : []
  ]
}

/** @param {number} perRequest */
function connectionsText (perRequest) {
  if (perRequest < 0.0005) return 'under 0.001'
  return perRequest.toFixed(perRequest >= 0.0995 ? 2 : 3)
}

/**
 * Returns what a configuration of your own does.
 * @param {Pick<RunRecord, 'arms' | 'unit'>} record
 * @returns {Section} without blocks if there is none
 */
export const proofSection = ({ arms, unit }) => ({
  id: 'proofs',
  title: 'What the configuration does',
  blocks: arms.filter(({ topology: { proxy }, rps }) => proxy?.config && rps).map(arm => {
    const bytes = arm.bytesPerResponse
    const alone = arms.find(({ topology: { proxy } }) => proxy === null)?.bytesPerResponse
    const size = isNumber(bytes) && isNumber(alone)
      ? [`${count(bytes)} bytes a ${unitOf(unit).per}, ${count(alone)} of the app alone`]
      : []
    return `${arm.name}: ${[...listProofs(arm), ...size].join('; ')}.`
  }),
  brief: true
})
