/** Which arms are ahead of which, by intervals and never by medians (pure).
 * @import { ArmResult, Contrast } from '../types.js' */

/** @typedef {Pick<ArmResult, 'name' | 'rps'>} Rated */

/** The names that verdicts put behind an arm: by a listed contrast, by two contrasts with the same third arm whose
 * intervals lie apart, or by a chain of those. Where no contrast connects two arms, the intervals of their rates have
 * to lie apart. @param {Rated} arm @param {Rated[]} arms @param {Contrast[]} contrasts @returns {Set<string>} */
export function behind (arm, arms, contrasts) {
  /** @type {Set<string>} */
  const seen = new Set()
  const open = [arm]
  for (let next = open.pop(); next; next = open.pop()) {
    for (const other of arms) {
      if (other === arm || seen.has(other.name) || !isAhead(next, other, contrasts)) continue
      seen.add(other.name)
      open.push(other)
    }
  }
  return seen
}

/** @param {Rated} a @param {Rated} b @param {Contrast[]} contrasts */
function isAhead (a, b, contrasts) {
  const [ofA, ofB] = [ratiosOf(a.name, contrasts), ratiosOf(b.name, contrasts)]
  const direct = ofA.get(b.name)
  if (direct) return direct.verdict === 'faster'
  const third = [...ofA.keys()].filter(name => ofB.has(name))
  if (third.length === 0) return (a.rps?.low ?? 0) > (b.rps?.high ?? Infinity)
  return third.some(name => (ofA.get(name)?.low ?? 0) > (ofB.get(name)?.high ?? Infinity))
}

/** An arm's contrasts, each as its ratio to the other one: an end that is open is null in a record.
 * @param {string} name @param {Contrast[]} contrasts
 * @returns {Map<string, { verdict: string, low: number, high: number }>} */
function ratiosOf (name, contrasts) {
  const decided = contrasts.filter(({ arm, baseline, verdict }) =>
    (arm === name || baseline === name) && verdict !== 'invalid')
  return new Map(decided.map(({ arm, baseline, verdict, low, high }) => arm === name
    ? [baseline, { verdict, low: low ?? 0, high: high ?? Infinity }]
    : [arm, { verdict: TURNED[verdict] ?? verdict, low: 1 / (high ?? Infinity), high: 1 / (low ?? 0) }]))
}

/** @type {Record<string, string>} */
const TURNED = { faster: 'slower', slower: 'faster' }
