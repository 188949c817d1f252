// How does nginx reach the app?
import { ratioText, rule } from '../analysis/advice.js'
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

/**
 * Finds the measured pair of a pool and another transport, whatever the other options of the proxy are.
 * @param {AdviceState} state
 * @returns {AdviceContrast | null}
 */
const findPair = ({ contrasts, facts }) => contrasts.findLast(({ arm, baseline }) => hasProxy(baseline) &&
  baseline === withTransport(baseline, 'keepalive') && arm === toOther({ facts, chosen: baseline })) ?? null

/** @param {Pick<AdviceState, 'facts' | 'chosen'>} state */
const toOther = ({ facts, chosen }) => withTransport(chosen, facts.hasSocket ? 'uds-keepalive' : 'tcp')

export default /** @satisfies {Rule} */ ({
  about: { title: 'transport', question: 'How does nginx reach the app?' },
  order: 40,

  needs: state => hasProxy(state.chosen) && !state.facts.app.closesConnections
    ? [withTransport(state.chosen, 'keepalive'), toOther(state)]
    : [],

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
    if (facts.app.closesConnections) {
      return {
        decision: 'do',
        text: 'Over TCP with a connection for each request, because the app closes each connection.',
        because: { fact: 'Its responses have Connection: close.' },
        changes: 'An app that keeps its connections.'
      }
    }
    const pooled = withTransport(chosen, 'keepalive')
    const other = toOther(state)
    const contrast = findPair(state)
    if (facts.hasSocket) return rule(contrast, { subject: 'a pooled Unix socket', arm: other, baseline: pooled })
    const isValid = contrast !== null && contrast.verdict !== 'invalid'
    return {
      decision: decideOnPool(contrast),
      text: `Over TCP with a pool of connections${isValid ? `: ${ratioText(contrast)}` : ''}.`,
      because: isValid ? { contrast } : { fact: 'The app listens on TCP only, and was not measured without a pool.' },
      changes: isValid
        ? 'An app that also listens on $SOCKET, typed as --listen \'$PORT,$SOCKET\'.'
        : 'A valid measurement with and without a pool.'
    }
  },

  apply: ({ facts, chosen }) => facts.hasSocket && !facts.app.closesConnections
    ? withTransport(chosen, 'uds-keepalive')
    : chosen
})
