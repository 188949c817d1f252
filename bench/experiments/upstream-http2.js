// Does HTTP/2 between nginx and the app save anything? nginx has it since 1.29.4, without multiplexing (nginx #1141).

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'settings',
  title: 'HTTP/2 from nginx to the app',
  question:
    'What does HTTP/2 without TLS cost or save between nginx and plain node:http2, against HTTP/1.1 to node:http on ' +
    'kept connections, over TCP and over a Unix socket?',
  answer: {
    pairs: [
      ['HTTP/2', 'HTTP/1.1', 'HTTP/2 to the app over TCP'],
      ['HTTP/2 uds', 'HTTP/1.1 uds', 'HTTP/2 to the app over a Unix socket']
    ],
    names: { 'HTTP/1.1 uds': 'HTTP/1.1' }
  },
  arms: {
    'HTTP/1.1': 'nginx:keepalive+release=sid/http-json',
    'HTTP/2': 'nginx:keepalive+upstream_http2+release=sid/http-json',
    'HTTP/1.1 uds': 'nginx:uds-keepalive+release=sid/http-json',
    'HTTP/2 uds': 'nginx:uds-keepalive+upstream_http2+release=sid/http-json'
  },
  contrasts: []
}
