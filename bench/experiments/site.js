// Should nginx serve the files of an app? A page view is one request to an API and 20 assets.
import { PAGE_VIEW } from '../shared/page-view.js'

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'files',
  title: 'Files and app together: who serves the files of a site?',
  question:
    'How many page views does a site serve if its Express app serves the files too, and if nginx or Caddy in front ' +
    'of the app serves them?',
  answer: {
    subject: 'leaving the files to nginx',
    pairs: [
      ['nginx serves', 'app', 'for an app that served them itself'],
      ['nginx serves', 'nginx passes', 'behind nginx'],
      ['nginx serves gzip', 'app compresses', 'for an app that compressed them itself']
    ]
  },
  arms: {
    app: 'express-site',
    'app compresses': 'express-site+compress',
    'nginx passes': 'nginx:uds-keepalive/express-site',
    'nginx serves': 'nginx:uds-keepalive+static/express-site',
    'nginx serves gzip': 'nginx:uds-keepalive+static+gzip_static/express-site',
    'caddy serves': 'caddy:uds-keepalive+static/express-site'
  },
  contrasts: [['nginx passes', 'app'], ['caddy serves', 'nginx serves']],
  unit: 'pages',
  load: {
    engine: 'wrk', connections: 100, path: PAGE_VIEW[0], paths: PAGE_VIEW, headers: { 'Accept-Encoding': 'gzip' }
  }
}
