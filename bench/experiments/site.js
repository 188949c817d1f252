// Should nginx serve the files of an app? A page view is one request to an API and 20 assets.
import { PAGE_VIEW } from '../shared/http/page-view.js'

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'files',
  title: 'Files and app together: who serves the files of a site?',
  question:
    'How many page views does a site serve if its Express app serves the files too, and if nginx or Caddy in front ' +
    'of the app serves them?',
  answer: {
    pairs: [['nginx serves', 'app'], ['nginx serves', 'nginx passes'], ['nginx serves gzip', 'app compresses']],
    names: {
      app: 'the app with them',
      'app compresses': 'the app that compresses them',
      'nginx passes': 'nginx without them',
      'nginx serves': 'nginx with the files',
      'nginx serves gzip': 'nginx with compressed files'
    }
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
