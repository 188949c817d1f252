// Measures the cost of slow clients with and without a proxy that buffers, and the service of clients beside them.

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  title: 'fifty clients that read slowly',
  question: 'What do clients cost the app that read 8 MB at 400 KB/s?',
  scenario: 'slow-clients',
  // Larger than the buffers of the kernel, which hold up to 4 MB of a response on the loopback interface.
  options: { clients: 'readers' },
  answer: {
    by: 'behaviour',
    figure: 'memory that the app adds',
    names: { 'nginx-off': 'nginx without proxy_buffering' }
  },
  arms: {
    direct: 'behaviour',
    nginx: 'nginx:keepalive/behaviour',
    'nginx-off': 'nginx:keepalive+buffering=off/behaviour',
    haproxy: 'haproxy:keepalive/behaviour',
    caddy: 'caddy:keepalive/behaviour'
  },
  blocks: { full: 1, quick: 1 },
  budgetSeconds: { full: 180, quick: 180 },
  variants: {
    starters: {
      title: 'a thousand connections that send a byte a second',
      question: 'Who is served beside connections that never end the head of their request?',
      options: { clients: 'starters', count: 1000, speed: 1, seconds: 12, others: 20 },
      answer: {
        by: 'behaviour',
        group: 'others',
        names: {
          direct: 'no proxy',
          nginx: 'nginx with 4096 connections',
          'nginx-768': 'nginx with 768 connections',
          apache: 'Apache with 400 threads',
          'apache-prefork': 'Apache with 256 processes'
        }
      },
      arms: {
        direct: 'behaviour',
        nginx: 'nginx:keepalive/behaviour',
        // Limits of connections by default: of Debian's nginx, and of Apache (MaxRequestWorkers).
        'nginx-768': 'nginx:keepalive+connections=768/behaviour',
        apache: 'apache:keepalive+processes=400/behaviour',
        'apache-prefork': 'apache:keepalive+mpm=prefork+processes=256/behaviour',
        haproxy: 'haproxy:keepalive/behaviour',
        varnish: 'varnish:keepalive/behaviour'
      }
    }
  }
}
