// Which cache in front of a slow app serves hits fastest, lets the fewest of 500 misses through, and answers while it
// renews?

/** @import { Experiment } from '../types.js' */

/** @type {Experiment} */
export default {
  group: 'cache',
  title: 'nginx, Apache and Varnish as caches: hits, a herd of misses, stale answers',
  question:
    'Which cache in front of a slow app serves hits fastest, how many of 500 clients that miss at once reach the ' +
    'app, and what do they get while an expired page is renewed?',
  source: null,
  arms: {
    nginx: 'nginx:uds-keepalive+cache=60m/slow-pages',
    apache: 'apache:uds-keepalive+cache=60m/slow-pages',
    varnish: 'varnish:uds-keepalive+cache=60m/slow-pages',
    // A page that nobody has asked for yet: all 500 clients miss at once.
    'nginx cold': { topology: 'nginx:uds-keepalive+cache=60m/slow-pages', load: { cold: true } },
    'nginx cold, lock': { topology: 'nginx:uds-keepalive+cache=60m+lock/slow-pages', load: { cold: true } },
    'apache cold': { topology: 'apache:uds-keepalive+cache=60m/slow-pages', load: { cold: true } },
    'varnish cold': { topology: 'varnish:uds-keepalive+cache=60m/slow-pages', load: { cold: true } },
    // A page that expires within the window, while 500 clients ask for it.
    'nginx 2s': 'nginx:uds-keepalive+cache=2s/slow-pages',
    'apache 2s, lock': 'apache:uds-keepalive+cache=2s+lock/slow-pages',
    'varnish 2s': 'varnish:uds-keepalive+cache=2s/slow-pages'
  },
  contrasts: [
    ['apache', 'nginx'],
    ['varnish', 'nginx'],
    ['nginx cold, lock', 'nginx cold'],
    ['apache cold', 'nginx cold'],
    ['varnish cold', 'nginx cold, lock'],
    ['nginx 2s', 'nginx'],
    ['apache 2s, lock', 'apache'],
    ['varnish 2s', 'varnish']
  ],
  twin: 'nginx',
  protocol: 'window',
  unit: 'requests',
  windowSeconds: { full: 3, quick: 2 },
  budgetSeconds: 300,
  errorsAreResults: true,
  load: { engine: 'wrk', connections: 500, path: '/', timeoutSeconds: 2 }
}
