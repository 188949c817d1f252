/** Compares your own servers with each other, because a server that does less than another one is not faster. */
import { HopbenchError } from '../../errors.js'
import { pathWithoutSecrets } from '../../shared/secrets.js'

/** @import { StagedArm } from '../types.js' */

/** Differences that an error lists. */
const MOST_LISTED = 10

/**
 * Compares the responses of arms that are compared with each other. Other arms may have another path or another app.
 * @param {StagedArm[]} staged arms that have passed the gate
 * @param {[string, string][]} [contrasts] pairs of names; omitted: each arm with the first one
 * @throws {HopbenchError} answers-differ
 */
export function refuseDifferent (staged, contrasts) {
  const own = new Map(staged.filter(({ answer, answers }) => answer ?? answers).map(arm => [arm.arm.name, arm]))
  const [first, ...others] = own.keys()
  const found = (contrasts ?? others.map(name => [name, first])).flatMap(([name, baseline]) => {
    const [arm, base] = [own.get(name), own.get(baseline)]
    const differences = arm && base ? listDifferences(base, arm) : []
    return differences.map(how => ({ first: baseline, second: name, how, ...arm && base && toPaths(base, arm) }))
  })
  if (found.length === 0) return
  const [{ how, ...pair }, ...more] = found
  const listed = more.slice(0, MOST_LISTED - 1).map(({ first, second, how }) =>
    first === pair.first && second === pair.second ? how : `${first} and ${second} ${how}`)
  const left = more.length - listed.length
  throw new HopbenchError('answers-differ', {
    ...pair, how: [how, ...listed, ...left > 0 ? [`${left} further differences`] : []].join('; ')
  })
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
 * @returns {string[]}
 */
function listDifferences (first, second) {
  const comparesBodies = !first.arm.load.compare
  if (first.answers && second.answers) return listDifferentRequests(first.answers, second.answers, comparesBodies)
  const how = first.answer && second.answer ? compareAnswers(first.answer, second.answer, comparesBodies) : null
  return how === null ? [] : [how]
}

/**
 * Lists the requests to which two arms respond differently. Compares decoded bodies, because one app may compress, and
 * lengths only if --compare names them.
 * @param {NonNullable<StagedArm['answers']>} first
 * @param {NonNullable<StagedArm['answers']>} second
 * @param {boolean} comparesBodies
 * @returns {string[]}
 */
const listDifferentRequests = (first, second, comparesBodies) => [...first].flatMap(([request, expected]) => {
  const other = second.get(request)
  if (!other) return []
  const [one, two] = [expected, other].map(({ status, sha256, bytes, exactBytes }) =>
    ({ status, sha256, bytes: exactBytes ? bytes : null }))
  const how = compareAnswers(one, two, comparesBodies)
  return how === null ? [] : [`at ${pathWithoutSecrets(request)}, ${how}`]
})

/**
 * @param {NonNullable<StagedArm['answer']>} first
 * @param {NonNullable<StagedArm['answer']>} second
 * @param {boolean} comparesBodies false: --compare excludes them
 * @returns {string | null}
 */
function compareAnswers (first, second, comparesBodies) {
  if (first.status !== second.status) return `with status ${first.status} and ${second.status}`
  if (first.bytes !== null && second.bytes !== null && first.bytes !== second.bytes) {
    return `with ${first.bytes} and ${second.bytes} bytes`
  }
  if (comparesBodies && (first.sha256 === null) !== (second.sha256 === null)) {
    return 'with a body that varies from response to response in only one of them'
  }
  return first.sha256 !== null && second.sha256 !== null && first.sha256 !== second.sha256
    ? `with ${first.bytes === null ? 'bodies' : `${first.bytes} bytes each`} that are not the same`
    : null
}
