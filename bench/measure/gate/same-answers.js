/** Compares your own servers with each other, because a server that does less than another one is not faster. */
import { HopbenchError } from '../../errors.js'

/** @import { StagedArm } from '../shapes.js' */

/**
 * @param {StagedArm[]} staged arms that have passed the gate
 * @throws {HopbenchError} answers-differ
 */
export function refuseDifferent (staged) {
  const [first, ...others] = staged.filter(({ answer }) => answer)
  for (const { arm, answer } of others) {
    const how = answer && first.answer && findDifference(first.answer, answer)
    if (how) throw new HopbenchError('answers-differ', { first: first.arm.name, second: arm.name, how })
  }
}

/**
 * @param {NonNullable<StagedArm['answer']>} first
 * @param {NonNullable<StagedArm['answer']>} second
 */
function findDifference (first, second) {
  if (first.status !== second.status) return `with status ${first.status} and ${second.status}`
  if (first.bytes !== null && second.bytes !== null && first.bytes !== second.bytes) {
    return `with ${first.bytes} and ${second.bytes} bytes`
  }
  return first.sha256 !== null && second.sha256 !== null && first.sha256 !== second.sha256
    ? `with ${first.bytes} bytes each that are not the same`
    : null
}
