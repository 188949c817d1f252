// Apache with mod_cache against nginx with proxy_cache, in front of a slow blog; and the effect of 500 clients that
// miss at once.
import { claim, ratioClaim } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'cache',
  title: 'Apache and nginx as a cache in front of a slow blog',
  question:
    'Which of the two caches serves 500 clients of a slow blog better, and what keeps a page that has just expired ' +
    'from reaching the app 500 times?',
  answer: {
    pairs: [['nginx', 'apache'], ['nginx 2s, lock', 'nginx 2s'], ['nginx 2s, stale', 'nginx 2s']],
    names: {
      apache: 'Apache',
      'nginx 2s': 'nginx with a page that expires',
      'nginx 2s, lock': 'nginx with proxy_cache_lock',
      'nginx 2s, stale': 'nginx with proxy_cache_use_stale'
    }
  },
  source: sources.apacheToNginx,
  arms: {
    apache: 'apache:tcp+mpm=prefork+processes=700+cache=60m+store=disk/slow-pages',
    nginx: 'nginx:tcp+cache=60m/slow-pages',
    // A page without a cache entry: all 500 clients miss at once.
    'nginx cold': { topology: 'nginx:tcp+cache=60m/slow-pages', load: { cold: true } },
    'nginx cold, lock': { topology: 'nginx:tcp+cache=60m+lock/slow-pages', load: { cold: true } },
    // A page that expires within the window: all 500 clients meet the expired entry.
    'nginx 2s': 'nginx:tcp+cache=2s+stale=off/slow-pages',
    'nginx 2s, lock': 'nginx:tcp+cache=2s+stale=off+lock/slow-pages',
    'nginx 2s, stale': 'nginx:tcp+cache=2s+stale/slow-pages',
    'apache 2s': 'apache:tcp+mpm=prefork+processes=700+cache=2s+store=disk+stale=off/slow-pages',
    'apache 2s, lock': 'apache:tcp+mpm=prefork+processes=700+cache=2s+store=disk+stale=off+lock/slow-pages'
  },
  contrasts: [['nginx cold, lock', 'nginx cold'], ['nginx 2s', 'nginx'], ['apache 2s, lock', 'apache 2s']],
  twin: 'nginx',
  protocol: 'window',
  windowSeconds: { full: 10, quick: 3 },
  budgetSeconds: 1500,
  errorsAreResults: true,
  load: { engine: 'wrk', connections: 500, path: '/', timeoutSeconds: 2 },
  claims: [
    ratioClaim('blog-nginx-over-apache', ['nginx', 'apache'], 419.84 / 408.40,
      'nginx with proxy_cache serves # times as much as Apache with mod_cache.'),
    claim('blog-timeouts', { kind: 'errors', in: ['apache'], notIn: ['nginx'] }, '98 / 7 timeouts',
      'Clients of Apache run into timeouts, and hardly any of nginx.'),
    claim('blog-memory', { kind: 'order', arms: ['apache', 'nginx'], of: 'memory' }, '500 MB',
      'Apache takes more memory than nginx.')
  ]
}
