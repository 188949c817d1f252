// Apache with mod_cache against nginx with proxy_cache, in front of a slow blog; and the effect of 500 clients that
// miss at once.
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
  contrasts: [
    ['nginx', 'apache'],
    ['nginx cold, lock', 'nginx cold'],
    ['nginx 2s', 'nginx'],
    ['nginx 2s, lock', 'nginx 2s'],
    ['nginx 2s, stale', 'nginx 2s'],
    ['apache 2s, lock', 'apache 2s']
  ],
  twin: 'nginx',
  protocol: 'window',
  windowSeconds: { full: 10, quick: 3 },
  budgetSeconds: 1500,
  errorsAreResults: true,
  load: { engine: 'wrk', connections: 500, path: '/', timeoutSeconds: 2 },
  claims: [
    {
      id: 'blog-nginx-over-apache',
      statement:
        'nginx with its cache serves 1.03 times as much as Apache with 700 processes and mod_cache (419.84 / 408.40 ' +
        'req/s, 4,123 / 4,075 requests; the link was full).',
      published: 419.84 / 408.40,
      test: { kind: 'ratio', arm: 'nginx', baseline: 'apache' }
    },
    {
      id: 'blog-timeouts',
      statement: 'Apache lets clients run into timeouts, nginx hardly any (98 / 7 of about 4,100 requests).',
      published: '98 / 7 timeouts',
      test: { kind: 'errors', in: ['apache'], notIn: ['nginx'] }
    },
    {
      id: 'blog-latency',
      statement: 'The mean latency is 1.38 s with nginx and 1.08 s with Apache, the longest 3.21 s and 6.21 s.',
      published: '1.38 / 1.08 s, longest 3.21 / 6.21 s',
      notTestable:
        'the latency of a closed loop restates connections divided by throughput, and wrk invents samples for slow ' +
        'requests: it is no measure of what users wait',
      test: { kind: 'flat', arms: ['nginx', 'apache'] }
    },
    {
      id: 'blog-bytes',
      statement: 'Both carry as much as the link does (11.35 MB/s with nginx, 11.28 with Apache).',
      published: '11.35 / 11.28 MB/s',
      notTestable:
        'both filled a link of 100 Mbit/s, and there is no such link here: the loopback carries what the programs make',
      test: { kind: 'flat', arms: ['nginx', 'apache'] }
    },
    {
      id: 'blog-memory',
      statement: 'nginx in place of Apache frees memory (about 500 MB): Apache takes more.',
      published: '500 MB',
      test: { kind: 'order', arms: ['apache', 'nginx'], of: 'memory' }
    },
    {
      id: 'blog-prefork-child',
      statement: 'A prefork child takes 200 to 300 KB, so that about 1,000 of them fit into 300 MB.',
      published: '200 to 300 KB',
      notTestable: 'it is an amount, and no comparison of arms: the column "MiB" shows what 700 of them take here',
      test: { kind: 'flat', arms: ['apache', 'nginx'] }
    }
  ]
}
