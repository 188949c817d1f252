/** Compares your own servers with each other, because a server that does less than another one is not faster. */
import { HopbenchError } from '../../errors.js'
import { pathWithoutSecrets } from '../../shared/secrets.js'

/** @import { StagedArm } from '../shapes.js' */

/**
 * Compares the responses of arms that are compared with each other. Other arms may have another path or another app.
 * @param {StagedArm[]} staged arms that have passed the gate
 * @param {[string, string][]} [contrasts] pairs of names; omitted: each arm with the first one
 * @throws {HopbenchError} answers-differ
 */
export function refuseDifferent (staged, contrasts) {
  const own = new Map(staged.filter(({ answer, answers }) => answer ?? answers).map(arm => [arm.arm.name, arm]))
  const [first, ...others] = own.keys()
  for (const [name, baseline] of contrasts ?? others.map(name => [name, first])) {
    const [arm, base] = [own.get(name), own.get(baseline)]
    const how = arm && base && findDifference(base, arm)
    if (how) throw new HopbenchError('answers-differ', { first: baseline, second: name, how, ...toPaths(base, arm) })
  }
}

/**
 * Returns the paths of two arms if these differ.
 * @param {StagedArm} first
 * @param {StagedArm} second
 * @returns {{ paths?: [string, string] }}
 */
function toPaths ({ arm: first }, { arm: second }) {
  const paths = /** @type {[string, string]} */ ([first, second].map(({ load }) => pathWithoutSecrets(load.path)))
  return paths[0] === paths[1] ? {} : { paths }
}

/**
 * @param {StagedArm} first
 * @param {StagedArm} second
 * @returns {string | null}
 */
function findDifference (first, second) {
  if (first.answers && second.answers) return findDifferentRequest(first.answers, second.answers)
  return first.answer && second.answer ? compareAnswers(first.answer, second.answer) : null
}

/**
 * Finds the first request to which two arms respond differently. Compares decoded bodies, because one app may compress.
 * @param {NonNullable<StagedArm['answers']>} first
 * @param {NonNullable<StagedArm['answers']>} second
 * @returns {string | null}
 */
function findDifferentRequest (first, second) {
  for (const [request, { status, sha256 }] of first) {
    const other = second.get(request)
    if (!other) continue
    const how = compareAnswers({ status, sha256, bytes: null }, { ...other, bytes: null })
    if (how) return `at ${pathWithoutSecrets(request)}, ${how}`
  }
  return null
}

/**
 * @param {NonNullable<StagedArm['answer']>} first
 * @param {NonNullable<StagedArm['answer']>} second
 * @returns {string | null}
 */
function compareAnswers (first, second) {
  if (first.status !== second.status) return `with status ${first.status} and ${second.status}`
  if (first.bytes !== null && second.bytes !== null && first.bytes !== second.bytes) {
    return `with ${first.bytes} and ${second.bytes} bytes`
  }
  return first.sha256 !== null && second.sha256 !== null && first.sha256 !== second.sha256
    ? `with ${first.bytes === null ? 'bodies' : `${first.bytes} bytes each`} that are not the same`
    : null
}
