// Gain of more worker processes over HTTPS.
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'tls',
  title: 'HTTPS by worker processes',
  question:
    'How does what nginx serves over TLS 1.2 and TLS 1.3 grow with its worker processes, for files of 1 and 100 KB?',
  source: sources.nginxTesting,
  arms: {
    'tls 1.2 1 KB, workers 1': { topology: 'nginx+tls=rsa2048+tls_version=1.2/files', load: { path: '/1k.bin' } },
    'tls 1.2 1 KB, workers 2': {
      topology: 'nginx+workers=2+tls=rsa2048+tls_version=1.2/files',
      load: { path: '/1k.bin' }
    },
    'tls 1.2 1 KB, workers 4': {
      topology: 'nginx+workers=4+tls=rsa2048+tls_version=1.2/files',
      load: { path: '/1k.bin' }
    },
    'tls 1.2 100 KB, workers 1': { topology: 'nginx+tls=rsa2048+tls_version=1.2/files', load: { path: '/100k.bin' } },
    'tls 1.2 100 KB, workers 2': {
      topology: 'nginx+workers=2+tls=rsa2048+tls_version=1.2/files',
      load: { path: '/100k.bin' }
    },
    'tls 1.2 100 KB, workers 4': {
      topology: 'nginx+workers=4+tls=rsa2048+tls_version=1.2/files',
      load: { path: '/100k.bin' }
    },
    'tls 1.3 1 KB, workers 1': { topology: 'nginx+tls=rsa2048+tls_version=1.3/files', load: { path: '/1k.bin' } },
    'tls 1.3 1 KB, workers 2': {
      topology: 'nginx+workers=2+tls=rsa2048+tls_version=1.3/files',
      load: { path: '/1k.bin' }
    },
    'tls 1.3 1 KB, workers 4': {
      topology: 'nginx+workers=4+tls=rsa2048+tls_version=1.3/files',
      load: { path: '/1k.bin' }
    }
  },
  contrasts: [
    ['tls 1.2 1 KB, workers 2', 'tls 1.2 1 KB, workers 1'],
    ['tls 1.2 1 KB, workers 4', 'tls 1.2 1 KB, workers 1'],
    ['tls 1.2 100 KB, workers 2', 'tls 1.2 100 KB, workers 1'],
    ['tls 1.2 100 KB, workers 4', 'tls 1.2 100 KB, workers 1'],
    ['tls 1.3 1 KB, workers 2', 'tls 1.3 1 KB, workers 1'],
    ['tls 1.3 1 KB, workers 4', 'tls 1.3 1 KB, workers 1']
  ],
  cores: 'shared',
  load: { engine: 'wrk', connections: 50 }
}
