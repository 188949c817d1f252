/**
 * Outcomes of http-cache-tests for a cache, by the rules of its author: a test that depends on a failed test has no
 * outcome (pure).
 */

/** @import { CacheResult } from '../../../types.js' */
/**
 * Outcome of a test. pass, fail: the test requires the behaviour, by RFC 9111, RFC 7234 or Surrogate-Control; better,
 * not-better: it is recommended; yes, no: both behaviours are correct; unasked: the test was not reached.
 *
 * @typedef {'pass' | 'fail' | 'better' | 'not-better' | 'yes' | 'no' | 'unasked'} CacheOutcome
 */

/** @type {Record<CacheResult['kind'], [CacheOutcome, CacheOutcome]>} */
const OUTCOMES = { required: ['pass', 'fail'], optimal: ['better', 'not-better'], check: ['yes', 'no'] }

/**
 * @param {CacheResult[]} results of one cache
 * @returns {Map<string, CacheOutcome>} by the tests' ids
 */
export function cacheOutcomes (results) {
  const byId = new Map(results.map(result => [result.id, result]))
  const holds = (/** @type {string} */ id) => outcomeOf(byId.get(id)) === 'pass' || outcomeOf(byId.get(id)) === 'yes'
  /**
   * @param {CacheResult | undefined} result
   * @returns {CacheOutcome}
   */
  function outcomeOf (result) {
    if (!result || result.setup || !result.needs.every(holds)) return 'unasked'
    return OUTCOMES[result.kind][result.passed ? 0 : 1]
  }
  return new Map(results.map(result => [result.id, outcomeOf(result)]))
}
