/** Questions about files: data. */

/** @import { Question } from './questions.js' */

const SIZES = ['1 KB', '100 KB', '1 MB']

/**
 * The question for files alone, used while there is no run of a whole site.
 * @type {Question}
 */
const FILES_ALONE = {
  id: 'nginx-files',
  question: 'Should nginx serve the files?',
  experiment: 'static-html',
  by: 'pairs',
  pairs: [['connect', 'nginx'], ['fastify', 'nginx'], ['express', 'nginx'], ['sirv', 'nginx'], ['koa', 'nginx']],
  lead: { faster: 'No', slower: 'Yes' },
  names: {
    connect: 'serve-static over connect',
    fastify: '@fastify/static',
    express: 'express.static',
    sirv: 'sirv',
    koa: 'koa-static',
    nginx: 'nginx'
  },
  second: {
    experiment: 'static-sizes',
    pairs: SIZES.map(size => [`sirv ${size}`, `nginx ${size}`]),
    names: Object.fromEntries(SIZES.flatMap(size =>
      [[`sirv ${size}`, `sirv with files of ${size}`], [`nginx ${size}`, 'nginx']]))
  },
  note: 'A CDN is not measured: it serves the requests that it can, and for the others the question is the same.',
  dependsOn: 'the other work of your app: CPU time that Node spends on files is not available for requests; and TLS, ' +
    'which is off here',
  configuration: 'nginx/files',
  pages: ['static.md']
}

/** @type {Question[]} */
export const ABOUT_FILES = [
  {
    id: 'static-server',
    question: 'Which static server for Node, and is it safe?',
    experiment: 'static-html',
    by: 'recommendation',
    names: { connect: 'serve-static over connect', 'fastify-static': '@fastify/static' },
    sentences: 2,
    dependsOn: 'the size of the files (here one page of 8,550 bytes), whether they change while they are served, the ' +
      'releases of the packages (a server that passes all probes may have other faults), the load (ab, which speaks ' +
      'HTTP/1.0 with kept connections; nginx\'s CPU time can be up to a tenth too large by the pauses of the ' +
      'method), and the release of Node: under Node 22 express serves less than half of what serve-static over ' +
      'connect does (runtimes.md)',
    configuration: 'nginx/files',
    chart: true,
    pages: ['static.md', 'check.md', 'runtimes.md']
  },
  {
    id: 'nginx-files',
    question: 'Should nginx serve the files?',
    experiment: 'site',
    by: 'site',
    pairs: [['nginx serves', 'app'], ['nginx passes', 'app'], ['nginx serves gzip', 'app compresses'],
      ['caddy serves', 'nginx serves']],
    names: {
      app: 'the app alone',
      'nginx serves': 'nginx',
      'caddy serves': 'Caddy that serves the files',
      'app compresses': 'the app that compresses each of them',
      'nginx passes': 'the app behind nginx, with the files at the app,',
      'nginx serves gzip': 'the app behind nginx, which serves files that were compressed ahead,'
    },
    second: { experiment: 'site-latency', steps: ['nginx serves', 'app serves'] },
    note: 'A page view is a request to an API (3 KB of JSON after 5 ms) and 20 files in the numbers and sizes of the ' +
      'HTTP Archive\'s median page. Files alone are compared in static.md. A CDN is not measured: it serves the ' +
      'requests that it can, and for the others the question is the same.',
    dependsOn: 'how many of the requests are for files (fewer from browsers with a warm cache); how the app serves ' +
      'them: here express.static from the disk, at 125 µs a file in static-html, where node:http with files in ' +
      'memory takes 19 µs and nginx 18; the CPU time that the app takes for its own requests; TLS, which is off ' +
      'here; and for Caddy its metrics, which are on here and off in its recommended configuration',
    configuration: 'nginx:uds-keepalive+static+gzip_static/express-site',
    pages: ['static.md', 'experiments.md'],
    fallback: FILES_ALONE
  },
  {
    id: 'compression',
    question: 'Compress ahead of time, or on the fly?',
    experiment: 'static-gzip',
    by: 'pairs',
    pairs: [['nginx precompressed', 'nginx'], ['nginx', 'nginx plain'], ['sirv precompressed', 'nginx precompressed'],
      ['connect + compression', 'st']],
    names: {
      'nginx precompressed': 'nginx with files compressed ahead',
      nginx: 'nginx compressing on the fly (gzip level 1)',
      'nginx plain': 'nginx without compression',
      'sirv precompressed': 'sirv with files compressed ahead',
      'connect + compression': 'connect with the compression middleware',
      st: 'st, which keeps compressed files'
    },
    costs: { arms: ['nginx precompressed', 'nginx'], answer: 'Ahead of time' },
    bytes: ['nginx precompressed', 'nginx', 'nginx plain'],
    second: {
      experiment: 'brotli',
      pairs: [['nginx brotli 4', 'nginx gzip 6'], ['nginx before', 'nginx brotli 4'], ['Node brotli 4', 'Node gzip 6'],
        ['Node brotli 4', 'Node brotli 11']],
      names: {
        'nginx brotli 4': 'nginx with Brotli at level 4',
        'nginx gzip 6': 'nginx with gzip at level 6',
        'nginx before': 'nginx with files compressed ahead by Brotli',
        'Node brotli 4': 'connect with Brotli at level 4',
        'Node brotli 11': 'connect with Brotli at level 11',
        'Node gzip 6': 'connect with gzip at level 6'
      }
    },
    dependsOn: 'the compression level, the size of the responses (here one page of 8,550 bytes), and whether the CPU ' +
      'is the bottleneck or the link, which is the loopback here. Responses that the app computes cannot be ' +
      'compressed ahead',
    configuration: 'nginx+gzip_static/files',
    pages: ['static.md']
  }
]
