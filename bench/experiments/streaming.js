// Which proxies hold back the events of a stream?

import { claim } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  title: 'events of a stream behind proxies',
  question: 'Which proxies hold back the events of a stream?',
  scenario: 'streaming',
  answer: {
    by: 'behaviour',
    delay: 'event',
    names: {
      'nginx-off': 'nginx without proxy_buffering',
      'nginx-http10': 'nginx over HTTP/1.0 to the app',
      'nginx-http10-off': 'nginx over HTTP/1.0 without proxy_buffering',
      'nginx-tls': 'nginx that ends TLS',
      'nginx-tls-off': 'nginx that ends TLS without proxy_buffering',
      'nginx-tls-header': 'nginx that ends TLS for an app that sends X-Accel-Buffering: no',
      'haproxy-no-delay': 'HAProxy with option http-no-delay'
    }
  },
  arms: {
    direct: 'behaviour',
    nginx: 'nginx:keepalive/behaviour',
    'nginx-off': 'nginx:keepalive+buffering=off/behaviour',
    // The default of nginx before 1.29.7. Without chunks nginx sends a buffer on when it is full.
    'nginx-http10': 'nginx:tcp+http10/behaviour',
    'nginx-http10-off': 'nginx:tcp+http10+buffering=off/behaviour',
    // OpenSSL gets a buffer of 16 KB, ssl_buffer_size, when it is full or when the response is not buffered.
    'nginx-tls': 'nginx:keepalive+tls=ecdsa-p256/behaviour',
    'nginx-tls-off': 'nginx:keepalive+tls=ecdsa-p256+buffering=off/behaviour',
    'nginx-tls-header': 'nginx:keepalive+tls=ecdsa-p256/behaviour+unbuffered',
    haproxy: 'haproxy:keepalive/behaviour',
    'haproxy-no-delay': 'haproxy:keepalive+http_no_delay/behaviour',
    caddy: 'caddy:keepalive/behaviour',
    apache: 'apache:keepalive/behaviour',
    varnish: 'varnish:keepalive/behaviour'
  },
  blocks: { full: 1, quick: 1 },
  budgetSeconds: { full: 180, quick: 180 },
  source: sources.eventsOverTls,
  claims: [
    claim('streaming-over-tls', { kind: 'failures', in: ['nginx-tls'], notIn: ['nginx', 'nginx-tls-off'] },
      '0 of 10 messages over TLS, 10 of 10 otherwise',
      'Over HTTP/1.1 nginx with proxy_buffering holds back events where it ends TLS.')
  ],
  variants: {
    gzip: {
      title: 'events of a stream that is compressed',
      question: 'Which compression holds back the events of a stream?',
      options: { accept: 'gzip' },
      answer: {
        by: 'behaviour',
        delay: 'event',
        names: {
          app: 'compression in the app without a flush',
          nginx: 'gzip in nginx',
          'nginx-off': 'gzip in nginx without proxy_buffering',
          haproxy: 'gzip in HAProxy',
          caddy: 'gzip in Caddy',
          apache: 'gzip in Apache',
          varnish: 'gzip in Varnish'
        }
      },
      arms: {
        app: 'behaviour+gzip',
        nginx: 'nginx:keepalive+gzip/behaviour',
        'nginx-off': 'nginx:keepalive+gzip+buffering=off/behaviour',
        haproxy: 'haproxy:keepalive+gzip/behaviour',
        caddy: 'caddy:keepalive+gzip/behaviour',
        apache: 'apache:keepalive+gzip/behaviour',
        varnish: 'varnish:keepalive+gzip/behaviour'
      }
    }
  }
}
