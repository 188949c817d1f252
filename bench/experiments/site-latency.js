// Does file traffic slow down the other requests of an app?
import { PAGE_VIEW } from '../shared/http/page-view.js'

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'files',
  title: 'Response times of an API beside file traffic',
  question:
    'How long do the requests to an API take if its app also serves the files of the page, and if nginx serves them?',
  answer: { by: 'latency' },
  arms: { 'app serves': 'express-site', 'nginx serves': 'nginx:uds-keepalive+static/express-site' },
  protocol: 'rates',
  unit: 'pages',
  shares: [0.25, 0.5, 0.75],
  // A p99 needs 1,000 responses in three windows, and one request of 21 is to the API.
  windowSeconds: { full: 7, quick: 4 },
  // Time for a peak of each arm, then three blocks, each with a start, its warm-up and three windows for each arm.
  budgetSeconds: 420,
  // An open loop: up to this many connections at once.
  load: {
    engine: 'paced', connections: 400, path: PAGE_VIEW[0], paths: PAGE_VIEW, headers: { 'Accept-Encoding': 'gzip' }
  },
  variants: {
    // Compression on the fly is known to take most of the app's CPU time; two equal arms must not differ.
    control: {
      title: 'Response times of an API beside file traffic: controls',
      question: 'Does the measurement show file traffic that costs CPU time, and no difference between two equal arms?',
      answer: { by: 'latency' },
      // The app that compresses has a low peak, so a p99 needs longer windows.
      shares: [0.75],
      windowSeconds: { full: 8, quick: 6 },
      arms: {
        'app compresses': 'express-site+compress',
        'nginx serves': 'nginx:uds-keepalive+static/express-site',
        'nginx serves, again': 'nginx:uds-keepalive+static/express-site'
      }
    }
  }
}
