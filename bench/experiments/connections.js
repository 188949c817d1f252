// New connections per second, one request on each, over HTTP and HTTPS, by worker processes.
import { armsByWorkers, contrastsByWorkers } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'load',
  title: 'new connections per second by worker processes',
  question:
    'How many new connections per second does nginx take, each with one request for an empty file, over HTTP and ' +
    'over HTTPS, by its worker processes?',
  answer: {
    pairs: [['https, workers 1', 'http, workers 1'], ['http, workers 4', 'http, workers 1']],
    names: {
      'http, workers 1': 'over HTTP with one worker',
      'http, workers 4': 'nginx over HTTP with 4 workers',
      'https, workers 1': 'nginx over HTTPS with one worker'
    }
  },
  source: sources.nginxTesting,
  arms: {
    ...armsByWorkers('http', workers => `nginx${workers}/files`),
    ...armsByWorkers('https', workers => `nginx${workers}+tls=rsa2048+tls_version=1.2/files`)
  },
  contrasts: [...contrastsByWorkers('http'), ...contrastsByWorkers('https')],
  unit: 'connections',
  cores: 'shared',
  // With more connections, those in flight at the edges of a slice would blur one connection per request.
  load: { engine: 'wrk', connections: 16, path: '/0.bin', fresh: true }
}
