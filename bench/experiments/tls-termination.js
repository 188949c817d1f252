// Where should TLS end: at Node, or at nginx in front of it? On persistent connections.

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  title: 'where TLS ends: Node or nginx, HTTP/1.1 or HTTP/2',
  question:
    'What does a request over TLS 1.3 cost where Node ends it itself, with node:https and with node:http2, and where ' +
    'nginx ends it and reaches Node over TCP or a Unix domain socket?',
  group: 'tls',
  arms: {
    'plain HTTP': 'http-json',
    'node:https': 'http-json+tls=ecdsa-p256',
    'node:http2': 'http-json+tls=ecdsa-p256+http2',
    'nginx, keepalive': 'nginx:keepalive+tls=ecdsa-p256/http-json',
    'nginx, Unix socket': 'nginx:uds-keepalive+tls=ecdsa-p256/http-json',
    'nginx http2, Unix socket': 'nginx:uds-keepalive+tls=ecdsa-p256+http2/http-json',
    // The same number of requests in flight as in the other arms, on a tenth of their connections, as browsers do.
    'node:http2, 10 streams': {
      topology: 'http-json+tls=ecdsa-p256+http2', load: { connections: 10, streams: 10 }
    },
    'nginx http2, 10 streams': {
      topology: 'nginx:uds-keepalive+tls=ecdsa-p256+http2/http-json', load: { connections: 10, streams: 10 }
    }
  },
  contrasts: [
    ['node:https', 'plain HTTP'],
    ['node:http2', 'node:https'],
    ['nginx, keepalive', 'node:https'],
    ['nginx, Unix socket', 'node:https'],
    ['nginx http2, Unix socket', 'nginx, Unix socket'],
    ['node:http2, 10 streams', 'node:http2'],
    ['nginx http2, 10 streams', 'node:http2, 10 streams']
  ],
  load: { engine: 'h2load', connections: 100, path: '/' }
}
