// Effect of the new defaults of nginx 1.29.7 on configurations without a setting for connections to the app.
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'settings',
  title: 'nginx\'s defaults towards the app, before and since 1.29.7',
  question:
    'What does Express behind nginx gain from the pool of 32 connections that is the default since nginx 1.29.7, ' +
    'against a new HTTP/1.0 connection for every request, the default before; and what from a pool of the right size?',
  answer: {
    subject: "nginx's default pool since 1.29.7",
    pairs: [['since 1.29.7', 'before 1.29.7', 'over new HTTP/1.0 connections, the default before']]
  },
  source: sources.nginxKeepalive,
  // Each default is written out, so that any version of nginx measures both.
  arms: {
    'before 1.29.7': 'nginx:tcp+http10/express-json',
    'since 1.29.7': 'nginx:keepalive+pool=32/express-json',
    'keepalive 0': 'nginx:tcp/express-json',
    'pool for all': 'nginx:keepalive/express-json'
  },
  contrasts: [
    ['since 1.29.7', 'before 1.29.7'],
    ['keepalive 0', 'before 1.29.7'],
    ['pool for all', 'since 1.29.7']
  ],
  load: { connections: 100, path: '/' },
  claims: [
    {
      id: 'keepalive-by-default',
      statement: 'Keepalive by default improves performance.',
      published: 'improving performance',
      test: { kind: 'order', arms: ['since 1.29.7', 'before 1.29.7'] }
    }
  ]
}
