/** Names of arms in a sentence. */
import { count, listing } from '../../shared/format.js'

/** Arms that are named beside the number of the others. More of them hide the sentence. */
const MOST_NAMED = 4

/**
 * Lists arms, or the first of many and the number of the others.
 * @param {string[]} arms
 */
export function nameArms (arms) {
  const rest = arms.length - MOST_NAMED
  return rest > 1 ? listing([...arms.slice(0, MOST_NAMED), `${count(rest)} more arms`]) : listing(arms)
}
