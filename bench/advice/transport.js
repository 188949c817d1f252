// How does nginx reach the app?
import { findContrast, ratioText, rule } from '../analysis/advice.js'
import { hasProxy, withTransport } from '../plan/changed-word.js'

/** @import { AdviceContrast, AdviceState, DecisionKind, Rule } from '../types.js' */

/**
 * Decides whether the pool of connections matters.
 * @param {AdviceContrast | null} contrast of the topology without the pool
 * @returns {DecisionKind}
 */
function decideOnPool (contrast) {
  if (contrast === null || contrast.verdict === 'invalid') return 'open'
  return contrast.verdict === 'slower' ? 'do' : 'no-matter'
}

/** @param {AdviceState} state */
const toOther = ({ facts, chosen }) => withTransport(chosen, facts.hasSocket ? 'uds-keepalive' : 'tcp')

export default /** @satisfies {Rule} */ ({
  about: { title: 'transport', question: 'How does nginx reach the app?' },
  order: 40,

  needs: state => hasProxy(state.chosen) ? [withTransport(state.chosen, 'keepalive'), toOther(state)] : [],

  decide (state) {
    const { chosen, facts } = state
    if (!hasProxy(chosen)) {
      return {
        decision: 'no-matter',
        text: 'Without a proxy there is no connection behind it.',
        because: { fact: 'The app is reached directly.' },
        changes: 'A proxy in front.'
      }
    }
    const pooled = withTransport(chosen, 'keepalive')
    const other = toOther(state)
    const contrast = findContrast(state, other, pooled)
    if (facts.hasSocket) return rule(contrast, { subject: 'a pooled Unix socket', arm: other, baseline: pooled })
    return {
      decision: decideOnPool(contrast),
      text: `Over TCP with a pool of connections${contrast ? `: ${ratioText(contrast)}` : ''}.`,
      because: contrast ? { contrast } : { fact: 'The app listens on TCP only, and was not measured without a pool.' },
      changes: 'An app that also listens on $SOCKET, typed as --listen \'$PORT,$SOCKET\'.'
    }
  },

  apply: ({ facts, chosen }) => facts.hasSocket ? withTransport(chosen, 'uds-keepalive') : chosen
})
