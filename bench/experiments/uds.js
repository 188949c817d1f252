// Cost of nginx in front of an Express app, over TCP, keepalive or a Unix domain socket.
import { claim, ratioClaim } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/** The published Express ran in more than one process: alone it served 14,477 req/s there. */
const conditions = { processes: 4 }

/** @type {ExperimentFile} */
export default {
  group: 'proxy',
  title: 'nginx in front of Express: the four ways to the app',
  question:
    'What does nginx in front of an Express JSON app cost over a new TCP connection per request, over keepalive, ' +
    'and over a Unix domain socket?',
  answer: {
    pairs: [
      ['uds-keepalive', 'direct', 'nginx over a pooled Unix socket'],
      ['keepalive', 'tcp'],
      ['uds-keepalive', 'keepalive']
    ],
    names: {
      direct: 'the app alone',
      tcp: 'a connection per request',
      keepalive: 'pooled TCP',
      'uds-keepalive': 'a pooled Unix socket'
    }
  },
  source: sources.nginxExpress,
  arms: {
    direct: 'express-json',
    tcp: 'nginx:tcp/express-json',
    keepalive: 'nginx:keepalive/express-json',
    uds: 'nginx:uds/express-json',
    'uds-keepalive': 'nginx:uds-keepalive/express-json'
  },
  contrasts: [
    ['keepalive', 'tcp'],
    ['uds', 'tcp'],
    ['uds', 'keepalive'],
    ['uds-keepalive', 'keepalive'],
    ['uds', 'direct']
  ],
  claims: [
    ratioClaim('keepalive-over-tcp', ['keepalive', 'tcp'], 30373 / 10180,
      'Keepalive serves # times as much as a new TCP connection per request.', { conditions }),
    ratioClaim('uds-over-tcp', ['uds', 'tcp'], 36129 / 10180,
      'A Unix domain socket serves # times as much as a new TCP connection per request.', { conditions }),
    ratioClaim('uds-over-keepalive', ['uds', 'keepalive'], 36129 / 30373,
      'A Unix domain socket serves # times as much as keepalive.', { conditions }),
    ratioClaim('pooled-uds-over-tcp', ['uds-keepalive', 'tcp'], 36129 / 10180,
      'The same for a pooled socket: # times as much as a new TCP connection per request.', { conditions }),
    ratioClaim('pooled-uds-over-keepalive', ['uds-keepalive', 'keepalive'], 36129 / 30373,
      'The same for a pooled socket: # times as much as keepalive.', { conditions }),
    claim('transport-order', { kind: 'order', arms: ['uds', 'keepalive', 'tcp'] }, '36,129 / 30,373 / 10,180 req/s',
      'From fastest to slowest: Unix domain socket, keepalive, a new TCP connection per request.', { conditions })
  ]
}
