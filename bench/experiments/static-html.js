// An HTML page of 8,550 bytes, uncompressed, from nginx and from every Node server.
import { claim, claimsOverNginx, ratioClaim } from '../shared/arm-builders.js'
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
    srvx: 'srvx-static',
    hono: 'hono-static',
    'serve-handler': 'serve-handler',
    'http-server': 'http-server',
    'node-static x4': 'node-static@cluster:4',
    'connect x4': 'connect-static@cluster:4',
    'st x4': 'st@cluster:4'
  },
  cores: 'shared',
  // As published, except for persistent connections: opening one costs the client more than nginx.
  load: { engine: 'ab', connections: 200, path: '/page.html' },
  claims: [
    ratioClaim('html-http-over-nginx', ['http-fs', 'nginx'], 4885 / 12385,
      'A plain http server serves # times as much as nginx.'),
    ...claimsOverNginx('html', 12385, { 'node-static': 4975, connect: 2921, st: 4268 }),
    claim('html-connect-slowest', { kind: 'order', arms: ['st', 'connect'] }, '4,268 / 2,921 req/s',
      'st serves more than connect.'),
    ...claimsOverNginx('html', 12385, { 'node-static x4': 12297, 'connect x4': 8982, 'st x4': 12401 })
  ]
}
