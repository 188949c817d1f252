// Does nginx keep responses of the app?
import { decided, rule, sendsSameFiles, toTransport } from '../advice.js'
import { withOption } from '../../../plan/changed-spec.js'

/** @import { AdviceFacts, AdviceState, PageFacts, Rule } from '../../../types.js' */

/** Lifetime of responses that state none: long enough for a burst, and short enough for pages that change. */
const LIFETIME = '5s'
/** Values of Vary with which one stored response is right for all clients. */
const HARMLESS_VARY = /^\s*accept-encoding\s*$/i
const FORBIDS = /\b(private|no-store|no-cache)\b/i
/** Lifetime for shared caches, which precedes the one for all caches. */
const SHARED_AGE = /\bs-maxage="?(\d+)/i
const AGE = /\bmax-age="?(\d+)/i
/** Subject of the decision. */
const ACTION = 'let nginx cache responses'
/** Limit of each measured gain: the load requests few paths, so that nearly all responses come from the cache. */
const REPEATED = 'The load repeated its paths: URLs that do not repeat within their lifetime gain nothing.'

/**
 * Returns why responses must not be stored.
 * @param {AdviceFacts} facts
 * @returns {string | null} null: they may be
 */
function findObstacle ({ app: { pages }, isPrivate }) {
  if (isPrivate) return 'the requests carry cookies or credentials'
  const found = pages.map(page => [page, findCacheFault(page)]).find(([, fault]) => fault !== null)
  return found ? `the response to ${/** @type {PageFacts} */ (found[0]).path} ${found[1]}` : null
}

/**
 * @param {PageFacts} page
 * @returns {string | null}
 */
function findCacheFault ({ setsCookie, cacheControl, vary, varies }) {
  if (setsCookie) return 'sets a cookie'
  if (FORBIDS.test(cacheControl ?? '')) return `has Cache-Control: ${cacheControl}`
  if (vary !== null && !HARMLESS_VARY.test(vary)) return `varies by ${vary}`
  return varies ? 'differs each time' : null
}

/**
 * Returns whether a response states that it may be stored. A lifetime of 0, as express.static has by default, requires
 * a request to the app each time.
 * @param {PageFacts} page
 */
function allowsCache ({ cacheControl }) {
  const text = cacheControl ?? ''
  const [, age] = SHARED_AGE.exec(text) ?? AGE.exec(text) ?? []
  return age === undefined ? /\bpublic\b/i.test(text) : Number(age) > 0
}

/** Returns whether each response states that it may be stored. @param {AdviceFacts} facts */
const isAllowed = ({ app: { pages } }) => pages.length > 0 && pages.every(allowsCache)

/**
 * Returns the chosen topology with a cache.
 * @param {Pick<AdviceState, 'chosen' | 'facts'>} state
 */
const withCache = state => withOption(state.chosen, 'cache', LIFETIME, toTransport(state))

/**
 * Finds the measured pair with and without a cache, in which nginx sent the same files as in the chosen topology.
 * @param {AdviceState} state
 */
const findPair = ({ contrasts, chosen, facts }) => contrasts.find(({ arm, baseline }) =>
  arm === withCache({ chosen: baseline, facts }) && sendsSameFiles(baseline, chosen)) ?? null

export default /** @satisfies {Rule} */ ({
  about: { title: 'cache', question: 'Does nginx keep responses of the app for as long as they allow?' },
  order: 20,
  isFactual: true,

  needs: state => findObstacle(state.facts) === null && isAllowed(state.facts) ? [state.chosen, withCache(state)] : [],

  decide (state) {
    const obstacle = findObstacle(state.facts)
    if (obstacle !== null) {
      return decided('do-not', ACTION, obstacle, {
        fact: `A shared cache must not store it: ${obstacle}.`,
        changes: 'Responses without cookies that state Cache-Control: public, max-age=5.'
      })
    }
    if (!isAllowed(state.facts)) {
      const silent = state.facts.app.pages.find(page => !allowsCache(page))
      const path = silent?.path ?? '/'
      return decided('open', ACTION, `the response to ${path} states no lifetime above 0 s in Cache-Control`, {
        fact: `The Cache-Control of the response: ${silent?.cacheControl ?? 'none'}.`,
        changes: 'A statement of the app that a response is the same for all visitors.',
        line: 'Cache-Control: public, max-age=5, on responses that are the same for all visitors'
      })
    }
    const ruling = rule(findPair(state), ACTION, 'the same without it')
    return ruling.decision === 'do' ? { ...ruling, text: `${ruling.text} ${REPEATED}` } : ruling
  },

  apply: withCache
})
