// Effect of the new defaults of nginx 1.29.7 on configurations without a setting for connections to the app.
import { claim } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'settings',
  title: 'nginx\'s defaults towards the app, before and since 1.29.7',
  question:
    'What does Express behind nginx gain from the pool of 32 connections that an upstream block has since nginx ' +
    '1.29.7, against a new HTTP/1.0 connection for every request, the default before; and what from a pool of the ' +
    'right size?',
  answer: {
    pairs: [['since 1.29.7', 'before 1.29.7']],
    names: {
      'since 1.29.7': 'the default pool of an upstream block since nginx 1.29.7',
      'before 1.29.7': 'new HTTP/1.0 connections, the default before'
    }
  },
  source: sources.nginxKeepalive,
  // Each default is written out, so that any version of nginx measures both.
  arms: {
    'before 1.29.7': 'nginx:tcp+http10/express-json',
    'since 1.29.7': 'nginx:keepalive+pool=32/express-json',
    'keepalive 0': 'nginx:tcp/express-json',
    'pool for all': 'nginx:keepalive/express-json'
  },
  contrasts: [['keepalive 0', 'before 1.29.7'], ['pool for all', 'since 1.29.7']],
  claims: [
    claim('keepalive-by-default', { kind: 'order', arms: ['since 1.29.7', 'before 1.29.7'] }, 'improving performance',
      'Keepalive by default improves performance.')
  ],
  variants: {
    releases: {
      title: 'nginx\'s own defaults towards the app, in the versions of three Debian releases',
      question:
        'What does Express behind nginx gain from a newer version, if each has its own defaults towards the app: ' +
        'that of bookworm (1.22), of trixie (1.26) and of sid (1.30 in November 2026)? And with the same pool for all?',
      answer: {
        pairs: [['sid', 'bookworm'], ['trixie', 'bookworm'], ['sid, pool for all', 'bookworm, pool for all']],
        names: {
          sid: 'nginx of Debian sid with its own defaults',
          trixie: 'that of trixie',
          bookworm: 'that of bookworm',
          'sid, pool for all': 'that of sid with a pool for all clients',
          'bookworm, pool for all': 'that of bookworm'
        }
      },
      arms: {
        bookworm: 'nginx:tcp+upstream_defaults+release=bookworm/express-json',
        trixie: 'nginx:tcp+upstream_defaults+release=trixie/express-json',
        sid: 'nginx:tcp+upstream_defaults+release=sid/express-json',
        'bookworm, pool for all': 'nginx:keepalive+release=bookworm/express-json',
        'sid, pool for all': 'nginx:keepalive+release=sid/express-json'
      },
      contrasts: [['sid, pool for all', 'sid']]
    }
  }
}
