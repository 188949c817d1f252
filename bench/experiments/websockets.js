// Measures the cost of WebSockets behind each proxy, over TCP and over a Unix socket.

import { claim } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/** HAProxy and Caddy pass on upgrades without an option. */
const PROXIES = {
  nginx: '+websocket',
  haproxy: '',
  caddy: '',
  // Each WebSocket takes a thread, and requests for counters need some.
  apache: '+websocket+processes=200',
  varnish: '+websocket'
}
const TRANSPORTS = { TCP: 'keepalive', 'Unix socket': 'uds-keepalive' }

const behindProxies = Object.fromEntries(Object.entries(PROXIES).flatMap(([proxy, option]) =>
  Object.entries(TRANSPORTS).map(([name, transport]) =>
    [`${proxy}, ${name}`, `${proxy}:${transport}${option}/behaviour`])))

/** @type {ExperimentFile} */
export default {
  title: 'messages over WebSockets',
  question: 'What do WebSockets cost behind each proxy, over TCP and over a Unix socket?',
  scenario: 'websockets',
  answer: { by: 'behaviour', figure: 'echoes' },
  arms: { direct: 'behaviour', ...behindProxies },
  // Each play takes about 20 s, most of which is the warm-up of the app.
  budgetSeconds: { full: 520, quick: 240 },
  source: sources.wsUnixSocket,
  claims: [
    // The author names no kind of message. Deliveries to all clients are another figure of the run.
    claim('ws-unix-socket',
      { kind: 'figure', figure: 'echoes, app alone', arm: 'nginx, Unix socket', baseline: 'nginx, TCP' },
      1.9, 'ws behind nginx is almost twice as fast over a Unix socket as over TCP (echoes).')
  ]
}
