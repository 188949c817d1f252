// Which idle timeouts lose requests behind a proxy that keeps its connections to the app?

import { claim } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/** An app whose timeout is far below that of each proxy, and so short that a play has time for many. */
const APP = 'behaviour+idle=200'

/** @type {ExperimentFile} */
export default {
  title: 'a proxy that uses a connection again when the app closes it',
  question: 'Which timeouts lose requests?',
  scenario: 'idle-502',
  options: { busy: '40ms' },
  answer: { by: 'behaviour', group: 'POST', names: { longer: 'nginx and an app that keeps connections for longer' } },
  arms: {
    nginx: `nginx:keepalive/${APP}`,
    haproxy: `haproxy:keepalive/${APP}`,
    caddy: `caddy:keepalive/${APP}`,
    apache: `apache:keepalive/${APP}`,
    varnish: `varnish:keepalive/${APP}`,
    longer: 'nginx:keepalive/behaviour+idle=75000'
  },
  // All requests of a burst are in flight at once, each on a connection of its own.
  load: { path: '/?wait=20' },
  blocks: { full: 1, quick: 1 },
  budgetSeconds: { full: 180, quick: 180 },
  source: sources.keepAlive502,
  claims: [
    claim('idle-502-post', { kind: 'failures', group: 'POST', in: ['nginx'], notIn: ['longer'] },
      'about 0.01 % of the requests', 'nginx sends 502s where the app closes idle connections first.')
  ]
}
