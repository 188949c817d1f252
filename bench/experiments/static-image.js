// An image of 5,081 bytes from nginx, from Node servers, and from Node servers in four processes.
import { claim, claimsOverNginx, ratioClaim } from '../shared/arm-builders.js'
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
    claim('image-half-of-nginx', { kind: 'ratio', arm: 'http', baseline: 'nginx' }, 0.5,
      'Node with as many processes as nginx serves about half as much.'),
    ratioClaim('image-http-over-nginx', ['http', 'nginx'], 5243 / 11419,
      'A plain http server serves # times as much as nginx.'),
    ...claimsOverNginx('image', 11419, { 'node-static': 5568, connect: 3007, st: 4547 }),
    claim('image-order', { kind: 'order', arms: ['nginx', 'node-static', 'st', 'connect'] },
      '11,419 / 5,568 / 4,547 / 3,007 req/s', 'From fastest to slowest: nginx, node-static, st, connect.'),
    ...claimsOverNginx('image', 11419, { 'node-static x4': 11546, 'st x4': 11876 })
  ]
}
