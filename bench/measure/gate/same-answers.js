/** Servers of a person's own are compared with each other, too: who does less than the other is no faster. */
import { HopbenchError } from '../../errors.js'

/** @import { StagedArm } from '../shapes.js' */

/** @param {StagedArm[]} staged those that the gate has let pass @throws {HopbenchError} answers-differ */
export function refuseDifferent (staged) {
  // Of the same server behind several proxies the gate has compared each with the server itself.
  const own = staged.filter(({ answer }) => answer)
  for (const [i, { arm, answer }] of own.entries()) {
    const first = own[0]
    const how = i > 0 && answer && first.answer ? difference(first.answer, answer) : null
    if (how) throw new HopbenchError('answers-differ', { first: first.arm.name, second: arm.name, how })
  }
}

/** @param {NonNullable<StagedArm['answer']>} one @param {NonNullable<StagedArm['answer']>} other */
function difference (one, other) {
  if (one.status !== other.status) return `with status ${one.status} and ${other.status}`
  if (one.bytes !== null && other.bytes !== null && one.bytes !== other.bytes) {
    return `with ${one.bytes} and ${other.bytes} bytes`
  }
  return one.sha256 !== null && other.sha256 !== null && one.sha256 !== other.sha256
    ? `with ${one.bytes} bytes each that are not the same`
    : null
}
