// Which of Node's own settings change the cost of a server?
import { claim } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/** @type {(topology: string) => { topology: string, load: { path: string } }} */
const files = topology => ({ topology, load: { path: '/page.html' } })

/** @type {ExperimentFile} */
export default {
  group: 'runtime',
  title: "Node's own settings: io_uring, the young generation, no JIT",
  question: 'What do io_uring, a larger young generation and the JIT change for a server, and which can be left alone?',
  answer: {
    pairs: [
      ['files, Node 24, io_uring', 'files, Node 24'],
      ['Express, semi-space 64 MB', 'Express'],
      ['Express, jitless', 'Express']
    ],
    names: {
      'files, Node 24, io_uring': 'Node 24 with io_uring',
      'files, Node 24': 'Node 24 without it',
      'Express, semi-space 64 MB': 'Express with a young generation of 64 MB',
      Express: 'Express without a flag',
      'Express, jitless': 'Express without the JIT'
    }
  },
  source: sources.nodeUring,
  arms: {
    'files, Node 20': files('http-fs+runtime=node-20'),
    'files, Node 20, io_uring': files('http-fs+runtime=node-20+io-uring'),
    'files, Node 24': files('http-fs+runtime=node-24'),
    'files, Node 24, io_uring': files('http-fs+runtime=node-24+io-uring'),
    Express: 'express-json+runtime=node-24',
    'Express, semi-space 1 MB': 'express-json+runtime=node-24+flags=max-semi-space-size:1',
    'Express, semi-space 64 MB': 'express-json+runtime=node-24+flags=max-semi-space-size:64',
    // Upper bound of the cost: the same code, never compiled.
    'Express, jitless': 'express-json+runtime=node-24+flags=jitless'
  },
  contrasts: [['files, Node 20, io_uring', 'files, Node 20'], ['Express, semi-space 1 MB', 'Express']],
  load: { engine: 'wrk', connections: 50, path: '/' },
  claims: [
    claim('io-uring-helps', { kind: 'order', arms: ['files, Node 20, io_uring', 'files, Node 20'] },
      'an 8x increase in throughput has been observed',
      'File operations gain throughput by io_uring.', { source: sources.libuvUring }),
    claim('io-uring-costs', { kind: 'order', arms: ['files, Node 20', 'files, Node 20, io_uring'] },
      '22 to 31 % less than Node 16 in 6 of 10 cases of url',
      'With io_uring Node 20 and 21 are slower than without.')
  ]
}
