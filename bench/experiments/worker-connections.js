// How many clients does worker_connections admit, alone, over several workers and as a reverse proxy?
import { claim } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

const LIMITS = [64, 256, 512, 1024, 4096, 8192, 65536]

/**
 * In front of an nginx that responds at once: each client has a connection on both sides all the time.
 *
 * @param {number} connections
 */
const proxied = connections =>
  ({ topology: 'nginx:keepalive+workers=2+connections=1024+reuseport/nginx', load: { connections } })

/** @type {ExperimentFile} */
export default {
  group: 'load',
  title: 'worker_connections from 64 to 65536',
  question:
    'How high must worker_connections be for 1,000 clients, does it hold for each worker or for all together, and ' +
    'what does a proxied client take?',
  answer: { by: 'errors', names: Object.fromEntries(LIMITS.map(limit => [limit, `a limit of ${limit}`])) },
  source: sources.nginxExpress,
  arms: {
    ...Object.fromEntries(LIMITS.map(limit => [limit, `nginx+connections=${limit}/files`])),
    // A listening socket for each worker, because otherwise chance decides the number of clients of each.
    '4 workers of 512': 'nginx+workers=4+connections=512+reuseport/files',
    'proxied c512': proxied(512),
    'proxied c768': proxied(768),
    'proxied c1536': proxied(1536)
  },
  contrasts: [['4096', '1024'], ['8192', '1024'], ['65536', '1024'], ['4 workers of 512', '1024']],
  twin: '1024',
  protocol: 'window',
  windowSeconds: { full: 4, quick: 1 },
  budgetSeconds: 900,
  errorsAreResults: true,
  load: { engine: 'h2load', connections: 1000, path: '/1kb.json' },
  claims: [
    claim('worker-connections-errors',
      { kind: 'errors', in: ['64', '256', '512'], notIn: ['1024', '4096', '8192', '65536'] },
      'errors / errors / errors / 38,552 / 38,557 / 38,194 / 37,791 req/s',
      '1,000 clients get errors with worker_connections 64, 256 and 512, and none from 1024 on.'),
    claim('worker-connections-flat', { kind: 'flat', arms: ['1024', '4096', '8192', '65536'] },
      '38,552 / 38,557 / 38,194 / 37,791 req/s', 'worker_connections of 1024, 4096, 8192 and 65536 serve the same.'),
    claim('worker-connections-of-all', { kind: 'errors', in: ['512', '4 workers of 512'], notIn: ['1024'] },
      'errors below 1,000 in all',
      'worker_connections limits nginx as a whole: four workers of 512 cannot hold 1,000 clients.'),
    claim('worker-connections-of-each', { kind: 'errors', in: ['512'], notIn: ['4 workers of 512'] },
      'simultaneous connections of a worker process',
      'worker_connections limits each worker: four workers of 512 hold 1,000 clients.', { source: sources.nginxDocs }),
    claim('most-clients-quarter', { kind: 'errors', in: ['proxied c768'], notIn: ['proxied c512'] },
      '512 clients', 'A proxy holds worker_processes × worker_connections ÷ 4 clients: 512 with two workers of 1024.',
      { source: sources.apacheToNginx }),
    claim('most-clients-half', { kind: 'errors', in: ['proxied c1536'], notIn: ['proxied c512', 'proxied c768'] },
      'all connections of a worker process, those to proxied servers too',
      'Connections to the app count, too: two workers of 1024 hold 768 proxied clients, and not 1,536.',
      { source: sources.nginxDocs })
  ]
}
