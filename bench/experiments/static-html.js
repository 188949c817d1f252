// An HTML page of 8,550 bytes, uncompressed, from nginx and from every Node server.
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'files',
  title: 'an HTML page of 8,550 bytes from every server',
  question: 'With which package should Node serve static files, in how many processes, and what is lost against nginx?',
  answer: {
    pairs: [['sirv', 'nginx'], ['connect', 'nginx'], ['express', 'nginx'], ['fastify', 'nginx'], ['koa', 'nginx']],
    names: { express: 'express.static', connect: 'serve-static' }
  },
  source: sources.nodeStatic,
  arms: {
    nginx: 'nginx/files',
    'http-fs': 'http-fs',
    'http-memory': 'http-memory',
    'node-static': 'node-static',
    connect: 'connect-static',
    express: 'express-static',
    st: 'st',
    sirv: 'sirv',
    fastify: 'fastify-static',
    koa: 'koa-static',
    'node-static x4': 'node-static@cluster:4',
    'connect x4': 'connect-static@cluster:4',
    'st x4': 'st@cluster:4'
  },
  cores: 'shared',
  // As published, except for persistent connections: opening one costs the client more than nginx.
  load: { engine: 'ab', connections: 200, path: '/page.html' },
  claims: [
    {
      id: 'html-http-over-nginx',
      statement: 'A plain http server serves 0.39 times as much as nginx.',
      published: 4885 / 12385,
      test: { kind: 'ratio', arm: 'http-fs', baseline: 'nginx' }
    },
    {
      id: 'html-node-static-over-nginx',
      statement: 'node-static serves 0.40 times as much as nginx.',
      published: 4975 / 12385,
      test: { kind: 'ratio', arm: 'node-static', baseline: 'nginx' }
    },
    {
      id: 'html-connect-over-nginx',
      statement: 'connect serves 0.24 times as much as nginx.',
      published: 2921 / 12385,
      test: { kind: 'ratio', arm: 'connect', baseline: 'nginx' }
    },
    {
      id: 'html-st-over-nginx',
      statement: 'st serves 0.34 times as much as nginx.',
      published: 4268 / 12385,
      test: { kind: 'ratio', arm: 'st', baseline: 'nginx' }
    },
    {
      id: 'html-connect-slowest',
      statement: 'st serves more than connect.',
      published: '4,268 / 2,921 req/s',
      test: { kind: 'order', arms: ['st', 'connect'] }
    },
    {
      id: 'html-node-static-x4-over-nginx',
      statement: 'node-static in four processes serves 0.99 times as much as nginx.',
      published: 12297 / 12385,
      needsCores: 4,
      test: { kind: 'ratio', arm: 'node-static x4', baseline: 'nginx' }
    },
    {
      id: 'html-connect-x4-over-nginx',
      statement: 'connect in four processes serves 0.73 times as much as nginx.',
      published: 8982 / 12385,
      needsCores: 4,
      test: { kind: 'ratio', arm: 'connect x4', baseline: 'nginx' }
    },
    {
      id: 'html-st-x4-over-nginx',
      statement: 'st in four processes serves 1.00 times as much as nginx.',
      published: 12401 / 12385,
      needsCores: 4,
      test: { kind: 'ratio', arm: 'st x4', baseline: 'nginx' }
    }
  ]
}
