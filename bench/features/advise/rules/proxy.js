// Does a proxy belong in front of the app at all?
import { SIMPLEST, decided, findContrast, hasRatio, ratioText, rule, toTransport } from '../advice.js'
import { hasProxy, withProxy } from '../../../plan/changed-spec.js'
import { listing } from '../../../shared/format.js'

/** @import { Rule } from '../../../types.js' */

/** Subject of the decision. */
const ACTION = 'put nginx in front of the app'
/** Rules whose decision "do" needs a proxy. */
const OF_PROXY = ['files', 'cache', 'compression']

export default /** @satisfies {Rule} */ ({
  about: { title: 'proxy', question: 'Does nginx belong in front of the app?' },
  order: 35,

  needs: state => hasProxy(state.chosen) || findContrast(state, withProxy(SIMPLEST, toTransport(state)), SIMPLEST)
    ? []
    : [SIMPLEST, withProxy(SIMPLEST, toTransport(state))],

  decide (state) {
    const { chosen, decisions } = state
    const titles = listing(decisions.filter(({ rule, decision }) => OF_PROXY.includes(rule) && decision === 'do')
      .map(({ title }) => title))
    const contrast = findContrast(state, withProxy(SIMPLEST, toTransport(state)), SIMPLEST)
    const cost = hasRatio(contrast) ? ratioText(contrast, 'the app alone') : null
    if (hasProxy(chosen) && titles !== '') {
      return {
        decision: 'do',
        text: `Put nginx in front of the app for ${titles}${cost ? `: without them it has ${cost}` : ''}.`,
        because: contrast ? { contrast } : { fact: 'A decision above needs it.' },
        changes: `Without ${titles} the app alone is the simpler topology.`
      }
    }
    if (cost === null) {
      return decided('open', ACTION, 'nothing shows a gain, and its cost was not measured',
        { changes: 'A valid measurement with nginx in front.' })
    }
    if (contrast?.verdict === 'faster') return rule(contrast, ACTION, 'the app alone')
    return decided('do-not', ACTION, 'nothing that was measured needs it, and ' +
      (contrast?.verdict === 'slower' ? `it has ${cost}` : `no gain is certain: ${cost}`), {
      ...contrast && { contrast },
      changes: `Files, a cache or compression that save an instance, or ${state.facts.platform.endsTls
        ? 'a platform without a router for TLS'
        : 'TLS that ends at nginx, because no router terminates it there'}.`
    })
  },

  apply: state => withProxy(state.chosen, toTransport(state))
})
