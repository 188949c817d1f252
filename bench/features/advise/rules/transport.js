// How does nginx reach the app?
import { decided, rule } from '../advice.js'
import { hasProxy, withTransport } from '../../../plan/changed-spec.js'

/** @import { AdviceContrast, AdviceState, Rule } from '../../../types.js' */

/** Subject of the decision. */
const ACTION = 'connect nginx to the app by a pooled Unix socket'

/** @param {string} topology */
const withPool = topology => withTransport(topology, 'keepalive')
/** @param {string} topology */
const withSocket = topology => withTransport(topology, 'uds-keepalive')

/**
 * Finds the measured pair of a pooled Unix socket and pooled TCP, with any other options of the proxy.
 * @param {AdviceState} state
 * @returns {AdviceContrast | null}
 */
const findPair = ({ contrasts }) => contrasts.findLast(({ arm, baseline }) =>
  hasProxy(baseline) && baseline === withPool(baseline) && arm === withSocket(baseline)) ?? null

/**
 * Returns whether a socket can be chosen. Without one, nothing that could be measured would change the topology.
 * @param {AdviceState} state
 */
const canChoose = ({ chosen, facts }) => hasProxy(chosen) && facts.hasSocket && !facts.app.closesConnections

export default /** @satisfies {Rule} */ ({
  about: { title: 'transport', question: 'How does nginx reach the app?' },
  order: 40,

  needs: state => canChoose(state) ? [withPool(state.chosen), withSocket(state.chosen)] : [],

  decide (state) {
    const { chosen, facts } = state
    if (!hasProxy(chosen)) {
      return decided('no-matter', 'choose a transport', 'without a proxy there is no connection behind it',
        { fact: 'The app is reached directly.', changes: 'A proxy in front.' })
    }
    if (facts.app.closesConnections) {
      return decided('do', 'let nginx open a connection for each request', 'the app closes each connection',
        { fact: 'Its responses have Connection: close.', changes: 'An app that keeps its connections.' })
    }
    if (!facts.hasSocket) {
      return decided('do-not', ACTION, 'the app listens on TCP only, and nginx keeps a pool of connections to it', {
        fact: 'No --listen names $SOCKET.',
        changes: "An app that also listens on $SOCKET, typed as --listen '$PORT,$SOCKET'."
      })
    }
    return rule(findPair(state), ACTION, 'a pool over TCP')
  },

  apply: state => canChoose(state) ? withSocket(state.chosen) : state.chosen
})
