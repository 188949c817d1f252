// Where should TLS end: at Node, or at nginx in front of it? On persistent connections, and on new ones.

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  title: 'where TLS ends: Node or nginx, HTTP/1.1 or HTTP/2',
  question:
    'What does a request over TLS 1.3 cost where Node ends it itself, with node:https and with node:http2, and where ' +
    'nginx ends it and reaches Node over TCP or a Unix domain socket?',
  answer: {
    pairs: [
      ['node:https', 'plain HTTP'],
      ['nginx, Unix socket', 'node:https'],
      ['nginx, keepalive', 'node:https'],
      ['node:http2', 'node:https']
    ],
    names: { 'nginx, Unix socket': 'nginx over a Unix socket', 'nginx, keepalive': 'nginx over keepalive' }
  },
  group: 'tls',
  arms: {
    'plain HTTP': 'http-json',
    'node:https': 'http-json+tls=ecdsa-p256',
    'node:http2': 'http-json+tls=ecdsa-p256+http2',
    'nginx, keepalive': 'nginx:keepalive+tls=ecdsa-p256/http-json',
    'nginx, Unix socket': 'nginx:uds-keepalive+tls=ecdsa-p256/http-json',
    'nginx http2, Unix socket': 'nginx:uds-keepalive+tls=ecdsa-p256+http2/http-json',
    // The same number of requests in flight as in the other arms, on a tenth of their connections, as browsers do.
    'node:http2, 10 streams': { topology: 'http-json+tls=ecdsa-p256+http2', load: { connections: 10, streams: 10 } },
    'nginx http2, 10 streams': {
      topology: 'nginx:uds-keepalive+tls=ecdsa-p256+http2/http-json', load: { connections: 10, streams: 10 }
    }
  },
  contrasts: [
    ['nginx http2, Unix socket', 'nginx, Unix socket'],
    ['node:http2, 10 streams', 'node:http2'],
    ['nginx http2, 10 streams', 'node:http2, 10 streams']
  ],
  load: { engine: 'h2load', connections: 100, path: '/' },
  variants: {
    new: {
      title: 'where TLS ends: handshakes and resumed sessions',
      question:
        'How many new TLS 1.3 connections per second does Node take itself, and how many does nginx take for it, ' +
        'with full handshakes and with sessions that are resumed?',
      answer: {
        pairs: [['nginx, full', 'node:https, full'], ['nginx, resumed', 'node:https, resumed']],
        names: {
          'nginx, full': 'nginx with full handshakes',
          'node:https, full': 'node:https',
          'nginx, resumed': 'nginx with resumed sessions',
          'node:https, resumed': 'node:https'
        }
      },
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
        ['node:https, resumed', 'node:https, full'],
        ['nginx, resumed', 'nginx, full'],
        ['nginx rsa2048, full', 'node:https rsa2048, full']
      ],
      unit: 'handshakes',
      // s-time is the only engine with an option for resumption.
      load: { engine: 's-time', connections: 8, path: '/', fresh: true, resume: false }
    }
  }
}
