// Cost of nginx in front of an Express app, over TCP, keepalive or a Unix domain socket.
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
    subject: 'nginx in front',
    pairs: [
      ['uds-keepalive', 'direct', 'over a pooled Unix socket'],
      ['keepalive', 'direct', 'over keepalive'],
      ['tcp', 'direct', 'over new TCP connections']
    ]
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
  load: { connections: 100, path: '/' },
  claims: [
    {
      id: 'keepalive-over-tcp',
      statement: 'Keepalive serves 2.98 times as much as a new TCP connection per request.',
      published: 30373 / 10180,
      test: { kind: 'ratio', arm: 'keepalive', baseline: 'tcp' },
      conditions
    },
    {
      id: 'uds-over-tcp',
      statement: 'A Unix domain socket serves 3.55 times as much as a new TCP connection per request.',
      published: 36129 / 10180,
      test: { kind: 'ratio', arm: 'uds', baseline: 'tcp' },
      conditions
    },
    {
      id: 'uds-over-keepalive',
      statement: 'A Unix domain socket serves 1.19 times as much as keepalive.',
      published: 36129 / 30373,
      test: { kind: 'ratio', arm: 'uds', baseline: 'keepalive' },
      conditions
    },
    {
      id: 'pooled-uds-over-tcp',
      statement: 'The same for a pooled socket: 3.55 times as much as a new TCP connection per request.',
      published: 36129 / 10180,
      test: { kind: 'ratio', arm: 'uds-keepalive', baseline: 'tcp' },
      conditions
    },
    {
      id: 'pooled-uds-over-keepalive',
      statement: 'The same for a pooled socket: 1.19 times as much as keepalive.',
      published: 36129 / 30373,
      test: { kind: 'ratio', arm: 'uds-keepalive', baseline: 'keepalive' },
      conditions
    },
    {
      id: 'transport-order',
      statement: 'From fastest to slowest: Unix domain socket, keepalive, a new TCP connection per request.',
      published: '36,129 / 30,373 / 10,180 req/s',
      test: { kind: 'order', arms: ['uds', 'keepalive', 'tcp'] },
      conditions
    }
  ]
}
