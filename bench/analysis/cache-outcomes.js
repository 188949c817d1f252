/** What the tests of http-cache-tests have found about a cache (pure), by kind, as their author does it: a test that
 * needs another one means nothing where that one failed. */

/** @import { CacheResult } from '../types.js' */
/** @typedef {'pass' | 'fail' | 'better' | 'not-better' | 'yes' | 'no' | 'unasked'} CacheOutcome pass, fail: what RFC
 * 9111 demands; better, not-better: what a better cache does; yes, no: a behaviour, correct in both cases; unasked:
 * the question was not reached */

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
