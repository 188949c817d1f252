// Does a proxy belong in front of the app at all?
import { findContrast, ratioText, rule, toTransport } from '../judge/advice.js'
import { hasProxy, withProxy } from '../plan/changed-spec.js'
import { listing } from '../shared/format.js'

/** @import { Rule } from '../types.js' */

/** The app alone, as a topology. */
const ALONE = 'app'
/** Rules whose decision "do" needs a proxy. */
const OF_PROXY = ['files', 'cache', 'compression']

export default /** @satisfies {Rule} */ ({
  about: { title: 'proxy', question: 'Does nginx belong in front of the app?' },
  order: 35,

  needs: state => hasProxy(state.chosen) || findContrast(state, withProxy(ALONE, toTransport(state)), ALONE)
    ? []
    : [ALONE, withProxy(ALONE, toTransport(state))],

  decide (state) {
    const { chosen, decisions } = state
    const reasons = decisions.filter(({ rule, decision }) => OF_PROXY.includes(rule) && decision === 'do')
    const contrast = findContrast(state, withProxy(ALONE, toTransport(state)), ALONE)
    const cost = contrast && contrast.verdict !== 'invalid' ? ratioText(contrast) : null
    if (hasProxy(chosen) && reasons.length > 0) {
      return {
        decision: 'do',
        text: `Yes, for ${listing(reasons.map(({ title }) => title))}${cost ? `. Without them ${cost}` : ''}.`,
        because: contrast ? { contrast } : { fact: 'A decision above needs it.' },
        changes: `Without ${listing(reasons.map(({ title }) => title))} the app alone is the simpler topology.`
      }
    }
    if (cost === null) {
      return {
        decision: 'open',
        text: 'No proxy, as nothing shows a gain; its cost was not measured.',
        because: {},
        changes: 'A valid measurement with nginx in front.'
      }
    }
    if (contrast?.verdict === 'faster') {
      return rule(contrast, { subject: 'nginx in front', arm: contrast.arm, baseline: ALONE })
    }
    return {
      decision: 'do-not',
      text: `No, nothing that was measured needs it: ${cost}.`,
      because: contrast ? { contrast } : {},
      changes: `Files, a cache or compression that save an instance, or ${state.facts.platform.endsTls
        ? 'a platform without a router for TLS'
        : 'TLS that ends at nginx, because no router terminates it there'}.`
    }
  },

  apply: state => withProxy(state.chosen, toTransport(state))
})
