// Which idle timeouts lose requests behind a proxy that keeps its connections to the app?

/** @import { ExperimentFile } from '../types.js' */

/** An app that closes idle connections after a second, far below the timeout of each proxy: Node's default was 5 s. */
const APP = 'behaviour+idle=1'

/** @type {ExperimentFile} */
export default {
  title: 'a proxy that uses a connection again when the app closes it',
  question: 'Which timeouts lose requests?',
  scenario: 'idle-502',
  options: { busy: '40ms' },
  answer: { by: 'behaviour', names: { longer: 'nginx and an app that keeps connections for longer' } },
  arms: {
    nginx: `nginx:keepalive/${APP}`,
    haproxy: `haproxy:keepalive/${APP}`,
    caddy: `caddy:keepalive/${APP}`,
    apache: `apache:keepalive/${APP}`,
    varnish: `varnish:keepalive/${APP}`,
    longer: 'nginx:keepalive/behaviour+idle=75'
  },
  // All requests of a burst are in flight at once, each on a connection of its own.
  load: { path: '/?wait=20' },
  blocks: { full: 1, quick: 1 },
  budgetSeconds: { full: 180, quick: 180 }
}
