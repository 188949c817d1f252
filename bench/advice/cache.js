// Does nginx keep responses of the app?
import { findContrast, rule } from '../analysis/advice.js'
import { withOption } from '../plan/changed-word.js'

/** @import { AdviceFacts, PageFacts, Rule } from '../types.js' */

/** Lifetime of responses that state none: long enough for a burst, and short enough for pages that change. */
const LIFETIME = '5s'
/** Values of Vary with which one stored response is right for all clients. */
const HARMLESS_VARY = /^\s*accept-encoding\s*$/i
const FORBIDS = /\b(private|no-store|no-cache)\b/i
const ALLOWS = /\bpublic\b|\b(?:s-)?max-?age=[1-9]/i

/**
 * Returns why responses must not be stored.
 * @param {AdviceFacts} facts
 * @returns {string | null} null: they may be
 */
function findObstacle ({ app: { pages }, isPrivate }) {
  if (isPrivate) return 'the requests carry cookies or credentials'
  const found = pages.map(page => [page, findFault(page)]).find(([, fault]) => fault !== null)
  return found ? `the response to ${/** @type {PageFacts} */ (found[0]).path} ${found[1]}` : null
}

/**
 * @param {PageFacts} page
 * @returns {string | null}
 */
function findFault ({ setsCookie, cacheControl, vary, varies }) {
  if (setsCookie) return 'sets a cookie'
  if (FORBIDS.test(cacheControl ?? '')) return `has Cache-Control: ${cacheControl}`
  if (vary !== null && !HARMLESS_VARY.test(vary)) return `varies by ${vary}`
  return varies ? 'differs each time' : null
}

/** Returns whether each response states that it may be stored. @param {AdviceFacts} facts */
const isAllowed = ({ app: { pages } }) =>
  pages.length > 0 && pages.every(({ cacheControl }) => ALLOWS.test(cacheControl ?? ''))

export default /** @satisfies {Rule} */ ({
  about: { title: 'cache', question: 'Does nginx keep responses of the app for as long as they allow?' },
  order: 20,

  needs: ({ facts, chosen }) => findObstacle(facts) === null && isAllowed(facts)
    ? [chosen, withOption(chosen, 'cache', LIFETIME)]
    : [],

  decide (state) {
    const obstacle = findObstacle(state.facts)
    if (obstacle !== null) {
      return {
        decision: 'do-not',
        text: `No, because ${obstacle}.`,
        because: { fact: `A shared cache must not store it: ${obstacle}.` },
        changes: 'Responses without cookies that state Cache-Control: public, max-age=5.'
      }
    }
    if (!isAllowed(state.facts)) {
      const silent = state.facts.app.pages.find(({ cacheControl }) => !ALLOWS.test(cacheControl ?? ''))
      return {
        decision: 'open',
        text: 'The responses do not state whether they may be stored.',
        because: { fact: `The response to ${silent?.path ?? '/'} has no Cache-Control with an age.` },
        changes: 'A statement of the app that a response is the same for everybody.',
        line: 'Cache-Control: public, max-age=5, on responses that are the same for everybody'
      }
    }
    const pair = state.contrasts.find(({ arm, baseline }) => arm === withOption(baseline, 'cache', LIFETIME))
    const arm = pair?.arm ?? withOption(state.chosen, 'cache', LIFETIME)
    const baseline = pair?.baseline ?? state.chosen
    return rule(findContrast(state, arm, baseline), { subject: 'a cache in nginx', arm, baseline })
  },

  apply: ({ chosen }) => withOption(chosen, 'cache', LIFETIME)
})
