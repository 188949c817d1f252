// nginx as a reverse proxy in front of nginx, with persistent connections on both sides, over HTTP and over TLS.
import { armsBySize, armsByWorkers, contrastsByWorkers, requestSize } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'proxy',
  title: 'nginx in front of nginx, by size and worker processes',
  question:
    'How much does nginx serve as a reverse proxy in front of another nginx with connections kept on both sides, by ' +
    'the size of the response, by its worker processes, and over TLS?',
  answer: {
    pairs: [
      ['100 KB, workers 1', '10 KB, workers 1'],
      ['0 KB, workers 4', '0 KB, workers 1'],
      ['tls 0 KB, workers 1', '0 KB, workers 1']
    ],
    names: {
      '100 KB, workers 1': 'nginx as a proxy for 100 KB',
      '10 KB, workers 1': 'for 10 KB',
      '0 KB, workers 1': 'one worker over HTTP',
      '0 KB, workers 4': 'nginx with 4 workers',
      'tls 0 KB, workers 1': 'one worker over TLS'
    }
  },
  source: sources.nginxTesting,
  arms: {
    ...armsBySize(['0 KB', '1 KB', '10 KB', '100 KB'], 'nginx:keepalive/nginx', size => `${size}, workers 1`),
    ...armsByWorkers('0 KB', workers => requestSize(`nginx:keepalive${workers}/nginx${workers}`, '0 KB')),
    ...armsByWorkers('tls 0 KB', workers =>
      requestSize(`nginx:keepalive${workers}+tls=rsa2048+tls_version=1.2/nginx${workers}`, '0 KB'))
  },
  contrasts: [
    ['1 KB, workers 1', '0 KB, workers 1'],
    ['10 KB, workers 1', '1 KB, workers 1'],
    ...contrastsByWorkers('0 KB'),
    ...contrastsByWorkers('tls 0 KB')
  ],
  cores: 'shared',
  load: { engine: 'wrk', connections: 50 }
}
