// Which cache in front of a slow app serves hits fastest?

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'cache',
  title: 'nginx, Apache and Varnish as caches: pages from the cache',
  question: 'Which cache in front of a slow app serves hits fastest, and at what CPU time per request?',
  answer: { pairs: [['apache', 'nginx'], ['varnish', 'nginx']], names: { apache: 'Apache', varnish: 'Varnish' } },
  arms: {
    nginx: 'nginx:uds-keepalive+cache=60m/slow-pages',
    // Apache closes persistent connections when all threads of a process are busy. With twice as many threads as
    // clients none is closed.
    apache: 'apache:uds-keepalive+cache=60m+processes=200/slow-pages',
    varnish: 'varnish:uds-keepalive+cache=60m/slow-pages'
  },
  load: { engine: 'wrk', connections: 100, path: '/' }
}
