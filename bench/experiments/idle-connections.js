// How much memory does an idle connection take in each proxy and in the app?

/** @import { ExperimentFile } from '../types.js' */

/** The app collects its garbage before each reading, so that readings contain the memory that connections hold. */
const APP = 'behaviour+flags=expose-gc'
/** A proxy has two open files for each connection, and 20,000 are a usual hard limit. */
const MOST = 9000
const FIGURE = 'memory at 9,000 connections'
/** Connections through proxies in which each takes a thread. */
const FEW = { connections: 1000 }

/** @type {ExperimentFile} */
export default {
  title: 'memory of idle WebSockets',
  question: 'How much memory does an idle WebSocket take, in the proxy and in the app?',
  scenario: 'idle-connections',
  options: { connections: MOST },
  answer: { by: 'behaviour', figure: FIGURE },
  arms: {
    direct: APP,
    nginx: `nginx:keepalive+websocket/${APP}`,
    haproxy: `haproxy:keepalive/${APP}`,
    caddy: `caddy:keepalive/${APP}`,
    // More threads than connections, because requests for its counters need some.
    apache: { topology: `apache:keepalive+websocket+processes=1200/${APP}`, options: FEW },
    varnish: { topology: `varnish:keepalive+websocket/${APP}`, options: FEW }
  },
  blocks: { full: 1, quick: 1 },
  budgetSeconds: { full: 180, quick: 180 }
}
