// How many of 500 clients that miss at once does a cache let through, and what do they get while it renews a page?

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'cache',
  title: 'nginx, Apache and Varnish as caches: 500 clients that miss at once, stale responses',
  question:
    'How many of 500 clients that miss at once reach the app behind nginx or Varnish, and what do they get while ' +
    'nginx, Apache or Varnish renews an expired page?',
  answer: {
    by: 'origin',
    names: {
      'nginx cold': 'nginx without a lock',
      'nginx cold, lock': 'nginx with proxy_cache_lock',
      'varnish cold': 'Varnish',
      'nginx 2s': 'nginx with an expired page',
      'apache 2s, lock': 'Apache with an expired page and CacheLock',
      'varnish 2s': 'Varnish with an expired page'
    }
  },
  arms: {
    // A page without a cache entry: all 500 clients miss at once.
    'nginx cold': { topology: 'nginx:uds-keepalive+cache=60m/slow-pages', load: { cold: true } },
    'nginx cold, lock': { topology: 'nginx:uds-keepalive+cache=60m+lock/slow-pages', load: { cold: true } },
    'varnish cold': { topology: 'varnish:uds-keepalive+cache=60m/slow-pages', load: { cold: true } },
    // A page that expires within the window, while 500 clients request it.
    'nginx 2s': 'nginx:uds-keepalive+cache=2s/slow-pages',
    'apache 2s, lock': 'apache:uds-keepalive+cache=2s+lock/slow-pages',
    'varnish 2s': 'varnish:uds-keepalive+cache=2s/slow-pages'
  },
  contrasts: [
    ['nginx cold, lock', 'nginx cold'],
    ['varnish cold', 'nginx cold, lock'],
    ['apache 2s, lock', 'nginx 2s'],
    ['varnish 2s', 'nginx 2s']
  ],
  protocol: 'window',
  // Each window has its own processes. With 3 s, five minutes would be too short for an interval.
  windowSeconds: { full: 2, quick: 2 },
  budgetSeconds: 300,
  errorsAreResults: true,
  load: { engine: 'wrk', connections: 500, path: '/', timeoutSeconds: 2 }
}
