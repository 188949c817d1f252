// An image of 5,081 bytes from nginx, from Node servers, and from Node servers in four processes.
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'files',
  title: 'an image of 5,081 bytes',
  question: 'How fast do Node servers hand out a small image, alone and in four processes, against nginx?',
  answer: {
    pairs: [['http', 'nginx'], ['connect', 'nginx'], ['st', 'nginx'], ['st x4', 'nginx']],
    names: { http: 'node:http', connect: 'serve-static', 'st x4': 'st in 4 processes' }
  },
  source: sources.nodeStatic,
  arms: {
    nginx: 'nginx/files',
    http: 'http-fs',
    'node-static': 'node-static',
    'node-static x4': 'node-static@cluster:4',
    connect: 'connect-static',
    st: 'st',
    'st x4': 'st@cluster:4'
  },
  cores: 'shared',
  // As published, except for persistent connections: opening one costs the client more than nginx.
  load: { engine: 'ab', connections: 200, path: '/image.png' },
  claims: [
    {
      id: 'image-half-of-nginx',
      statement: 'Node with as many processes as nginx serves about half as much.',
      published: 0.5,
      test: { kind: 'ratio', arm: 'http', baseline: 'nginx' }
    },
    {
      id: 'image-http-over-nginx',
      statement: 'A plain http server serves 0.46 times as much as nginx.',
      published: 5243 / 11419,
      test: { kind: 'ratio', arm: 'http', baseline: 'nginx' }
    },
    {
      id: 'image-node-static-over-nginx',
      statement: 'node-static serves 0.49 times as much as nginx.',
      published: 5568 / 11419,
      test: { kind: 'ratio', arm: 'node-static', baseline: 'nginx' }
    },
    {
      id: 'image-connect-over-nginx',
      statement: 'connect serves 0.26 times as much as nginx.',
      published: 3007 / 11419,
      test: { kind: 'ratio', arm: 'connect', baseline: 'nginx' }
    },
    {
      id: 'image-st-over-nginx',
      statement: 'st serves 0.40 times as much as nginx.',
      published: 4547 / 11419,
      test: { kind: 'ratio', arm: 'st', baseline: 'nginx' }
    },
    {
      id: 'image-order',
      statement: 'From fastest to slowest: nginx, node-static, st, connect.',
      published: '11,419 / 5,568 / 4,547 / 3,007 req/s',
      test: { kind: 'order', arms: ['nginx', 'node-static', 'st', 'connect'] }
    },
    {
      id: 'image-node-static-x4-over-nginx',
      statement: 'node-static in four processes serves 1.01 times as much as nginx.',
      published: 11546 / 11419,
      needsCores: 4,
      test: { kind: 'ratio', arm: 'node-static x4', baseline: 'nginx' }
    },
    {
      id: 'image-st-x4-over-nginx',
      statement: 'st in four processes serves 1.04 times as much as nginx.',
      published: 11876 / 11419,
      needsCores: 4,
      test: { kind: 'ratio', arm: 'st x4', baseline: 'nginx' }
    }
  ]
}
