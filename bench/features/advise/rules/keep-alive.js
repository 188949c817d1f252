// Does the app keep idle connections for longer than the program in front of it?
import { decided } from '../advice.js'
import { NGINX_IDLE_SECONDS, SPARE_SECONDS } from '../risks.js'
import { hasProxy } from '../../../plan/changed-spec.js'

/** @import { Rule } from '../../../types.js' */

export default /** @satisfies {Rule} */ ({
  about: { title: 'keep-alive', question: 'Does the app keep idle connections for long enough?' },
  order: 70,

  needs: () => [],

  decide ({ facts: { app, platform, project }, chosen }) {
    const { keepAliveSeconds: seconds, closesConnections } = app
    const front = hasProxy(chosen) ? 'nginx' : 'the router'
    const idle = hasProxy(chosen) ? NGINX_IDLE_SECONDS : platform.idleSeconds
    const isKnown = hasProxy(chosen) || platform.isIdleKnown
    if (closesConnections) {
      return decided('do', 'let the app keep its connections', 'it closes each after one response', {
        fact: 'Its responses have Connection: close.',
        changes: 'Nothing; each request needs a connection of its own until then.'
      })
    }
    if (!hasProxy(chosen) && !platform.endsTls) {
      const action = 'raise the timeout of the app as long as no load balancer is in front of it'
      return decided('no-matter', action, 'clients open new connections', {
        fact: `A kit for ${platform.target} has no router.`,
        changes: `A load balancer in front, which may keep idle connections for ${idle} s: then the app has to keep ` +
          'them longer.'
      })
    }
    if (seconds === null) {
      const reason = `${front} ${isKnown ? 'keeps' : 'may keep'} idle connections for ${idle} s`
      return decided('open', 'raise the timeout of the app, which is unknown', reason,
        { fact: 'Its responses have no Keep-Alive header.', changes: `A timeout in the app of more than ${idle} s.` })
    }
    if (seconds > idle) {
      return {
        decision: 'do-not',
        text: `Leave the timeout of the app: it keeps idle connections for ${seconds} s, and ${front} for ` +
          `${isKnown ? '' : 'probably '}${idle} s.`,
        because: { fact: `Its responses have Keep-Alive: timeout=${seconds}.` },
        changes: `A timeout of the app below ${idle} s, with which requests on closed connections fail.`
      }
    }
    const wanted = idle + SPARE_SECONDS
    return {
      decision: 'do',
      text: `Raise the timeout of the app from ${seconds} s to ${wanted} s, because ${front} ` +
        `${isKnown ? 'reuses' : 'may reuse'} connections for ${idle} s.`,
      because: {
        fact: `Its responses have Keep-Alive: timeout=${seconds}, so ${front} can meet a closing connection.`
      },
      changes: `A ${front.replace('the ', '')} that closes idle connections before ${seconds} s.`,
      ...project.hasManifest && { line: `server.keepAliveTimeout = ${wanted}_000` }
    }
  }
})
