// nginx as a reverse proxy in front of nginx, with persistent connections on both sides, over HTTP and over TLS.
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'proxy',
  title: 'nginx in front of nginx, by size and worker processes',
  question:
    'How much does nginx serve as a reverse proxy in front of another nginx with connections kept on both sides, by ' +
    'the size of the response, by its worker processes, and over TLS?',
  source: sources.nginxTesting,
  arms: {
    '0 KB, workers 1': { topology: 'nginx:keepalive/nginx', load: { path: '/0.bin' } },
    '1 KB, workers 1': { topology: 'nginx:keepalive/nginx', load: { path: '/1k.bin' } },
    '10 KB, workers 1': { topology: 'nginx:keepalive/nginx', load: { path: '/10k.bin' } },
    '100 KB, workers 1': { topology: 'nginx:keepalive/nginx', load: { path: '/100k.bin' } },
    '0 KB, workers 2': { topology: 'nginx:keepalive+workers=2/nginx+workers=2', load: { path: '/0.bin' } },
    '0 KB, workers 4': { topology: 'nginx:keepalive+workers=4/nginx+workers=4', load: { path: '/0.bin' } },
    'tls 0 KB, workers 1': {
      topology: 'nginx:keepalive+tls=rsa2048+tls_version=1.2/nginx',
      load: { path: '/0.bin' }
    },
    'tls 0 KB, workers 2': {
      topology: 'nginx:keepalive+workers=2+tls=rsa2048+tls_version=1.2/nginx+workers=2',
      load: { path: '/0.bin' }
    },
    'tls 0 KB, workers 4': {
      topology: 'nginx:keepalive+workers=4+tls=rsa2048+tls_version=1.2/nginx+workers=4',
      load: { path: '/0.bin' }
    }
  },
  contrasts: [
    ['1 KB, workers 1', '0 KB, workers 1'],
    ['10 KB, workers 1', '1 KB, workers 1'],
    ['100 KB, workers 1', '10 KB, workers 1'],
    ['0 KB, workers 2', '0 KB, workers 1'],
    ['0 KB, workers 4', '0 KB, workers 1'],
    ['tls 0 KB, workers 1', '0 KB, workers 1'],
    ['tls 0 KB, workers 2', 'tls 0 KB, workers 1'],
    ['tls 0 KB, workers 4', 'tls 0 KB, workers 1']
  ],
  cores: 'shared',
  load: { engine: 'wrk', connections: 50 },
  claims: [
    {
      id: 'hyper-threading',
      statement: 'Hyper-threading adds about 50 % to the TLS transactions per second.',
      published: 1.5,
      notTestable:
        'it takes a machine whose hyper-threading can be turned off and on again, and the suite changes nothing of ' +
        'a machine',
      test: { kind: 'ratio', arm: 'tls 0 KB, workers 2', baseline: 'tls 0 KB, workers 1' }
    }
  ]
}
