// Does the distance between nginx and Node shrink as files grow?

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'files',
  title: 'files from nothing to 1 MB',
  question: 'How does the distance between nginx and a Node server change with the size of the file?',
  arms: {
    'nginx 0 B': { topology: 'nginx/files', load: { path: '/0.bin' } },
    'sirv 0 B': { topology: 'sirv', load: { path: '/0.bin' } },
    'nginx 1 KB': { topology: 'nginx/files', load: { path: '/1k.bin' } },
    'sirv 1 KB': { topology: 'sirv', load: { path: '/1k.bin' } },
    'nginx 10 KB': { topology: 'nginx/files', load: { path: '/10k.bin' } },
    'sirv 10 KB': { topology: 'sirv', load: { path: '/10k.bin' } },
    'nginx 100 KB': { topology: 'nginx/files', load: { path: '/100k.bin' } },
    'sirv 100 KB': { topology: 'sirv', load: { path: '/100k.bin' } },
    'nginx 1 MB': { topology: 'nginx/files', load: { path: '/1m.bin' } },
    'sirv 1 MB': { topology: 'sirv', load: { path: '/1m.bin' } }
  },
  contrasts: [
    ['sirv 0 B', 'nginx 0 B'],
    ['sirv 1 KB', 'nginx 1 KB'],
    ['sirv 10 KB', 'nginx 10 KB'],
    ['sirv 100 KB', 'nginx 100 KB'],
    ['sirv 1 MB', 'nginx 1 MB']
  ],
  load: { engine: 'wrk', connections: 100 }
}
