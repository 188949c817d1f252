// Cost of HTTPS for nginx on persistent connections, by the size of the file and the version of TLS.
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'tls',
  title: 'HTTP and HTTPS by the size of the file',
  question:
    'What does TLS 1.2 with ECDHE-RSA-AES256-GCM-SHA384 cost nginx on connections that are kept, what TLS 1.3, and ' +
    'for which size of file?',
  source: sources.nginxTesting,
  arms: {
    'http 1 KB': { topology: 'nginx/files', load: { path: '/1k.bin' } },
    'http 100 KB': { topology: 'nginx/files', load: { path: '/100k.bin' } },
    'tls 1.2 0 KB': { topology: 'nginx+tls=rsa2048+tls_version=1.2/files', load: { path: '/0.bin' } },
    'tls 1.2 1 KB': { topology: 'nginx+tls=rsa2048+tls_version=1.2/files', load: { path: '/1k.bin' } },
    'tls 1.2 10 KB': { topology: 'nginx+tls=rsa2048+tls_version=1.2/files', load: { path: '/10k.bin' } },
    'tls 1.2 100 KB': { topology: 'nginx+tls=rsa2048+tls_version=1.2/files', load: { path: '/100k.bin' } },
    'tls 1.3 0 KB': { topology: 'nginx+tls=rsa2048+tls_version=1.3/files', load: { path: '/0.bin' } },
    'tls 1.3 1 KB': { topology: 'nginx+tls=rsa2048+tls_version=1.3/files', load: { path: '/1k.bin' } },
    'tls 1.3 10 KB': { topology: 'nginx+tls=rsa2048+tls_version=1.3/files', load: { path: '/10k.bin' } },
    'tls 1.3 100 KB': { topology: 'nginx+tls=rsa2048+tls_version=1.3/files', load: { path: '/100k.bin' } }
  },
  contrasts: [
    ['tls 1.2 1 KB', 'http 1 KB'],
    ['tls 1.2 100 KB', 'http 100 KB'],
    ['tls 1.3 0 KB', 'tls 1.2 0 KB'],
    ['tls 1.3 1 KB', 'tls 1.2 1 KB'],
    ['tls 1.3 10 KB', 'tls 1.2 10 KB'],
    ['tls 1.3 100 KB', 'tls 1.2 100 KB']
  ],
  load: { engine: 'wrk', connections: 50 },
  claims: [
    {
      id: 'openssl-102',
      statement: 'OpenSSL 1.0.2 doubles what nginx does over TLS with OpenSSL 1.0.1.',
      published: 'twice as much',
      notTestable: 'neither OpenSSL is supported any more, and no program here is built with one of them',
      test: { kind: 'ratio', arm: 'tls 1.2 1 KB', baseline: 'http 1 KB' }
    }
  ]
}
