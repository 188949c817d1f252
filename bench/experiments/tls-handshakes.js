// New TLS connections per second by the kind of certificate, with full handshakes and with resumed sessions.
import { claim } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'tls',
  title: 'TLS handshakes by certificate, full and resumed',
  question:
    'How many new TLS 1.2 connections per second does nginx take with RSA 2048, RSA 4096 and ECDSA P-256, and what ' +
    'does resuming a session save?',
  answer: {
    pairs: [
      ['rsa4096, full', 'rsa2048, full'],
      ['ecdsa-p256, full', 'rsa2048, full'],
      ['rsa2048, resumed', 'rsa2048, full']
    ],
    names: {
      'rsa2048, full': 'RSA 2048',
      'rsa4096, full': 'RSA 4096',
      'ecdsa-p256, full': 'ECDSA P-256',
      'rsa2048, resumed': 'RSA 2048 with resumed sessions'
    }
  },
  source: sources.nginxTesting,
  arms: {
    'rsa2048, full': 'nginx+tls=rsa2048+tls_version=1.2/files',
    'rsa4096, full': 'nginx+tls=rsa4096+tls_version=1.2/files',
    'ecdsa-p256, full': 'nginx+tls=ecdsa-p256+tls_version=1.2/files',
    'rsa2048, resumed': { topology: 'nginx+tls=rsa2048+tls_version=1.2+tls_session/files', load: { resume: true } },
    'rsa4096, resumed': { topology: 'nginx+tls=rsa4096+tls_version=1.2+tls_session/files', load: { resume: true } },
    'ecdsa-p256, resumed': {
      topology: 'nginx+tls=ecdsa-p256+tls_version=1.2+tls_session/files',
      load: { resume: true }
    }
  },
  contrasts: [['rsa4096, resumed', 'rsa4096, full'], ['ecdsa-p256, resumed', 'ecdsa-p256, full']],
  unit: 'handshakes',
  // The published load, wrk, has no option for resumption, and both kinds need the same engine.
  load: { engine: 's-time', connections: 8, path: '/0.bin', fresh: true, resume: false },
  claims: [
    claim('ecdsa-over-rsa', { kind: 'ratio', arm: 'ecdsa-p256, full', baseline: 'rsa2048, full', tolerance: 1.25 },
      2.5, 'nginx takes 2 to 3 times as many full handshakes per second with ECDSA P-256 as with RSA 2048.'),
    claim('rsa-cpu-over-ecdsa',
      { kind: 'ratio', arm: 'rsa2048, full', baseline: 'ecdsa-p256, full', tolerance: 1.25, of: 'cpu' },
      2.5, 'A full handshake with RSA 2048 takes 2 to 3 times the CPU time of one with ECDSA P-256.')
  ]
}
