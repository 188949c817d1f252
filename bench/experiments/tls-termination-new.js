// Where should TLS end for new connections? Full handshakes and resumed sessions, at Node and at nginx.

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  title: 'where TLS ends: handshakes and resumed sessions',
  question:
    'How many new TLS 1.3 connections per second does Node take itself, and how many does nginx take for it, with ' +
    'full handshakes and with sessions that are resumed?',
  group: 'tls',
  arms: {
    'node:https, full': 'http-json+tls=ecdsa-p256',
    'nginx, full': 'nginx:uds-keepalive+tls=ecdsa-p256/http-json',
    'node:https, resumed': { topology: 'http-json+tls=ecdsa-p256+tls_session', load: { resume: true } },
    'nginx, resumed': {
      topology: 'nginx:uds-keepalive+tls=ecdsa-p256+tls_session/http-json', load: { resume: true }
    },
    'node:https rsa2048, full': 'http-json+tls=rsa2048',
    'nginx rsa2048, full': 'nginx:uds-keepalive+tls=rsa2048/http-json'
  },
  contrasts: [
    ['nginx, full', 'node:https, full'],
    ['nginx, resumed', 'node:https, resumed'],
    ['node:https, resumed', 'node:https, full'],
    ['nginx, resumed', 'nginx, full'],
    ['nginx rsa2048, full', 'node:https rsa2048, full']
  ],
  unit: 'handshakes',
  // s-time is the only engine with an option for resumption.
  load: { engine: 's-time', connections: 8, path: '/', fresh: true, resume: false }
}
