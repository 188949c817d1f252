/** Questions about an app and the way to it: data. */

/** @import { Question } from './questions.js' */

const TRANSPORTS = {
  tcp: 'a new TCP connection per request',
  keepalive: 'pooled TCP (keepalive)',
  uds: 'a new Unix socket connection per request',
  'uds-keepalive': 'a pooled Unix socket',
  direct: 'the app alone'
}

const RUNTIMES = ['Node 26', 'Node 24', 'Node 22', 'Node 20', 'Bun', 'Deno']

/** @type {Question[]} */
export const ABOUT_APPS = [
  {
    id: 'transport',
    question: 'A new connection, keepalive or a Unix socket from nginx to the app?',
    experiment: 'uds',
    by: 'choice',
    pairs: [['uds-keepalive', 'keepalive'], ['uds', 'keepalive'], ['keepalive', 'tcp'], ['uds', 'tcp']],
    names: TRANSPORTS,
    sentences: 2,
    costs: { arms: ['uds-keepalive', 'keepalive', 'uds', 'tcp'] },
    second: {
      experiment: 'nginx-defaults',
      pairs: [['since 1.29.7', 'before 1.29.7'], ['pool for all', 'since 1.29.7']],
      names: {
        'before 1.29.7': 'a new connection per request (the default before)',
        'since 1.29.7': 'a pool of 32 connections for 100 clients (the default since nginx 1.29.7)',
        'pool for all': 'a pool for all of them'
      }
    },
    dependsOn: 'the app\'s CPU time per request: the cheaper the app (here about 0.1 ms), the more a connection ' +
      'weighs, and with an app of 1 ms the two pools are equal (app-weight); and the release of Node (below). Over a ' +
      'network a new connection also takes a round trip',
    configuration: 'nginx:uds-keepalive/express-json',
    chart: true,
    pages: ['method.md']
  },
  {
    id: 'pooled-socket',
    question: 'A pooled Unix socket, or pooled TCP?',
    experiment: 'uds',
    by: 'pairs',
    pairs: [['uds-keepalive', 'keepalive']],
    names: TRANSPORTS,
    dependsOn: 'the runtime, the app\'s CPU time per request (here about 0.1 ms) and the size of the responses (here ' +
      '1 KB). Over a network only TCP is possible',
    configuration: 'nginx:uds-keepalive/express-json',
    pages: ['method.md']
  },
  {
    id: 'nginx-cost',
    question: 'What does nginx in front of the app cost?',
    experiment: 'uds',
    by: 'pairs',
    pairs: [['uds-keepalive', 'direct'], ['keepalive', 'direct'], ['tcp', 'direct']],
    names: {
      'uds-keepalive': 'the app behind nginx over a pooled Unix socket',
      keepalive: 'the app behind nginx over pooled TCP',
      tcp: 'the app behind nginx over new TCP connections',
      direct: 'the app alone'
    },
    dependsOn: 'whether nginx and the app share a core, the runtime, and the app\'s CPU time per request (here about ' +
      '0.1 ms). nginx has no other work here: TLS, compression, files and a cache are off, and its access log, which ' +
      'made no difference with the headers of the recommended configuration (deploy.md)',
    configuration: 'nginx:uds-keepalive/express-json',
    pages: ['runtimes.md']
  },
  {
    id: 'cache',
    question: 'Is a cache of 5 seconds in nginx worth it?',
    experiment: 'cache',
    by: 'pairs',
    pairs: [['uds-keepalive-cache', 'uds-keepalive'], ['keepalive-cache', 'keepalive'], ['tcp-cache', 'tcp']],
    lead: { faster: 'Yes, where clients request the same responses', slower: 'No' },
    names: {
      'uds-keepalive-cache': 'nginx with the cache over a pooled Unix socket',
      'keepalive-cache': 'nginx with the cache over pooled TCP',
      'tcp-cache': 'nginx with the cache over new TCP connections',
      'uds-keepalive': 'nginx without it',
      keepalive: 'nginx without it',
      tcp: 'nginx without it'
    },
    second: {
      experiment: 'caches',
      pairs: [['varnish', 'nginx'], ['apache', 'nginx']],
      names: {
        varnish: 'Varnish with pages of 28 KB from its cache',
        apache: 'Apache with pages of 28 KB from its cache',
        nginx: 'nginx with such pages'
      }
    },
    dependsOn: 'how many requests are for the same response within 5 seconds (here all of them), and the app\'s CPU ' +
      'time per request (here about 0.1 ms): a slower app gains more. Responses for a single user cannot be shared. ' +
      'The table has the CPU time of a hit: where it is 31 µs or more, the pauses of the method can add 7 to 14 % to ' +
      'it, and the ratio can be up to a tenth too small; where it is 15 µs or less, they add nothing that was ' +
      'detected (method.md)',
    configuration: 'nginx:uds-keepalive+cache=5s/express-json',
    pages: ['proxies.md', 'method.md']
  },
  {
    id: 'processes',
    question: 'One process, cluster, PM2 or reusePort?',
    experiment: 'workers',
    by: 'choice',
    pairs: [['reusePort', 'one'], ['cluster', 'one'], ['PM2', 'one'], ['SCHED_NONE', 'one'], ['nginx', 'cluster'],
      ['cluster new', 'one new'], ['PM2 new', 'one new'], ['reusePort new', 'cluster new']],
    names: {
      one: 'one process',
      cluster: 'node:cluster (4 workers)',
      PM2: 'PM2 (4 workers)',
      reusePort: 'reusePort (4 processes)',
      SCHED_NONE: 'node:cluster with SCHED_NONE (4 workers)',
      nginx: 'nginx with a Unix socket for each of 4 processes',
      'one new': 'one process with new connections',
      'cluster new': 'node:cluster with a new connection per request',
      'PM2 new': 'PM2 with a new connection per request',
      'reusePort new': 'reusePort with a new connection per request'
    },
    sentences: 2,
    costs: { arms: ['one', 'reusePort', 'SCHED_NONE', 'cluster', 'PM2', 'nginx'], hasShares: true },
    behaviours: ['blocked', 'reload-app', 'reload-kill'],
    note: 'The ratios are of all processes together: one process uses one core at most, and four can use more. One ' +
      'process left part of the two cores idle, and four compete with the load for both, which adds CPU time to each ' +
      'of these arms: compare the ways to run four with each other, and take their difference from one process as an ' +
      'upper bound. With new connections 16 were open at once.',
    dependsOn: 'the number of cores and whether they are free: with fewer cores than processes, as here, neither ' +
      'rates nor their ratios carry over to a machine with more; and the CPU, on which the cost of a request depends ' +
      '(method.md). reusePort and SCHED_NONE distribute connections and not requests, so few connections, or unequal ' +
      'ones, leave processes idle',
    configuration: 'express-json@node:4+runtime=node-24+reuseport',
    pages: ['runtimes.md']
  },
  {
    id: 'runtime',
    question: 'Which Node, Bun or Deno?',
    experiment: 'runtimes',
    by: 'choice',
    pairs: [['Bun', 'Node 26'], ['Deno', 'Node 26'], ['Node 24', 'Node 22'], ['Node 26', 'Node 24'],
      ['Node 22', 'Node 20'], ['node:http, Node 26', 'node:http, Node 20']],
    sentences: 2,
    names: {
      ...Object.fromEntries(RUNTIMES.map(runtime => [runtime, `Express under ${runtime}`])),
      'node:http, Node 26': 'plain node:http under Node 26',
      'node:http, Node 20': 'plain node:http under Node 20'
    },
    dependsOn: 'the framework: Express gains more from release to release than plain node:http does; and the work of ' +
      'the app, here 1 KB of JSON. Bun and Deno run Express on a node:http of their own: test your app under them',
    configuration: 'express-json+runtime=bun',
    pages: ['runtimes.md']
  },
  {
    id: 'tls',
    question: 'Where should TLS end?',
    experiment: 'tls-termination',
    by: 'pairs',
    pairs: [['nginx, Unix socket', 'node:https'], ['nginx, keepalive', 'node:https'], ['node:http2', 'node:https'],
      ['node:http2, 10 streams', 'node:http2'], ['nginx http2, 10 streams', 'node:http2, 10 streams'],
      ['nginx http2, Unix socket', 'nginx, Unix socket'], ['node:https', 'plain HTTP']],
    lead: { faster: 'For kept connections at nginx', slower: 'For kept connections at Node' },
    names: {
      'nginx, Unix socket': 'TLS at nginx over a pooled Unix socket',
      'nginx, keepalive': 'TLS at nginx over pooled TCP',
      'node:https': 'TLS at Node',
      'node:http2': 'HTTP/2 at Node with one request in flight per connection',
      'node:http2, 10 streams': 'HTTP/2 at Node with ten in flight',
      'nginx http2, 10 streams': 'HTTP/2 at nginx with ten in flight',
      'nginx http2, Unix socket': 'HTTP/2 at nginx over a pooled Unix socket',
      'plain HTTP': 'Node without TLS'
    },
    second: {
      experiment: 'tls-termination-new',
      pairs: [['nginx, full', 'node:https, full'], ['nginx, resumed', 'node:https, resumed']],
      names: {
        'nginx, full': 'nginx with a new connection and a full handshake per request',
        'node:https, full': 'Node',
        'nginx, resumed': 'nginx with a resumed session per request',
        'node:https, resumed': 'Node'
      }
    },
    dependsOn: 'the work of the app (here plain node:http with 1 KB), new connections or kept ones, the key type, ' +
      'whether sessions are resumed, and the release of OpenSSL in each program. Node has no hop here: what TLS at ' +
      'nginx adds where nginx is in front anyway is not measured here',
    configuration: 'express-json+tls=ecdsa-p256',
    pages: ['tls.md']
  }
]
