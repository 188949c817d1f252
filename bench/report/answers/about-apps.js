/** Questions about an app and its proxy: data. */

/** @import { Question } from './questions.js' */

const TRANSPORTS = {
  tcp: 'a new TCP connection per request',
  keepalive: 'pooled TCP (keepalive)',
  uds: 'a new Unix socket connection per request',
  'uds-keepalive': 'a pooled Unix socket',
  direct: 'the app alone'
}

const RUNTIMES = ['Node 26', 'Node 24', 'Node 22', 'Node 20', 'Bun', 'Deno']

/** Properties of the question about directives with either experiment. @satisfies {Partial<Question>} */
const DIRECTIVES = {
  id: 'directives',
  question: 'Which nginx directives matter?',
  by: /** @type {const} */ ('every'),
  dependsOn: 'the size of the files, above all for sendfile, the number of connections, and TLS, which is off here. ' +
    'The files are in the page cache of the kernel. open_file_cache serves a file that was replaced or deleted from ' +
    'its open descriptor until open_file_cache_valid has passed',
  configuration: 'nginx+open_file_cache/files',
  pages: ['tuning.md']
}

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
      'weighs. Over a network a new connection also takes a round trip',
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
      '0.1 ms). nginx has no other work here: TLS, compression, files and a cache are off',
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
      'Where a hit costs 31 to 40 µs of CPU time, the pauses of the method can add 7 to 14 % to it, and the ratio ' +
      'can be up to a tenth too small; where it costs 13 to 15 µs, they add nothing that was detected (method.md)',
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
    costs: { arms: ['one', 'reusePort', 'SCHED_NONE', 'cluster', 'PM2'], hasShares: true },
    behaviours: ['blocked', 'reload-app', 'reload-kill'],
    note: 'The ratios are of all processes together: one process uses one core at most, and four can use more. CPU ' +
      'time per request compares them per core.',
    dependsOn: 'the number of cores: with fewer cores than processes, as here, neither rates nor their ratios carry ' +
      'over to a machine with more; and the CPU, on which the cost of a request depends (method.md). reusePort and ' +
      'SCHED_NONE distribute connections and not requests, so few connections, or unequal ones, leave processes idle',
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
    configuration: 'nginx:uds-keepalive+tls=ecdsa-p256/express-json',
    pages: ['tls.md']
  },
  {
    id: 'proxy',
    question: 'Which proxy?',
    experiment: 'proxies',
    by: 'choice',
    pairs: [['haproxy uds-keepalive', 'nginx uds-keepalive'], ['varnish uds-keepalive', 'nginx uds-keepalive'],
      ['apache uds-keepalive', 'nginx uds-keepalive'], ['caddy uds-keepalive', 'nginx uds-keepalive'],
      ['nginx uds-keepalive', 'direct']],
    names: {
      'haproxy uds-keepalive': 'HAProxy',
      'varnish uds-keepalive': 'Varnish without its cache',
      'apache uds-keepalive': 'Apache',
      'caddy uds-keepalive': 'Caddy',
      'nginx uds-keepalive': 'nginx',
      direct: 'the app alone'
    },
    sentences: 3,
    costs: {
      arms: ['direct', 'nginx uds-keepalive', 'haproxy uds-keepalive', 'apache uds-keepalive', 'caddy uds-keepalive'],
      when: 'at full load, with an app of 0.1 ms',
      addedMicros: 1000
    },
    second: {
      experiment: 'app-weight',
      costs: {
        arms: ['direct 1 ms', 'uds-keepalive 1 ms'],
        when: 'with an app of 1 ms, at whose lower rate each request wakes nginx',
        hasShares: true
      },
      names: { 'direct 1 ms': 'the app alone', 'uds-keepalive 1 ms': 'nginx' }
    },
    dependsOn: 'its other work (cache, TLS, HTTP/2), its version, the rate of requests, and its cores: proxy and app ' +
      'share one here, and threads on several cores are not compared',
    configuration: 'nginx:uds-keepalive/express-json',
    pages: ['proxies.md']
  },
  {
    id: 'ingress',
    question: 'What do Envoy and Traefik cost beside nginx?',
    experiment: 'proxies-ingress',
    by: 'choice',
    pairs: [['envoy keepalive', 'nginx keepalive'], ['traefik keepalive', 'nginx keepalive'],
      ['envoy uds-keepalive', 'nginx uds-keepalive'], ['envoy uds-keepalive', 'envoy keepalive'],
      ['nginx keepalive', 'direct']],
    names: {
      direct: 'the app alone',
      'nginx keepalive': 'nginx',
      'envoy keepalive': 'Envoy',
      'traefik keepalive': 'Traefik',
      'nginx uds-keepalive': 'nginx over a pooled Unix socket',
      'envoy uds-keepalive': 'Envoy over a pooled Unix socket'
    },
    sentences: 2,
    costs: {
      arms: ['direct', 'nginx keepalive', 'envoy keepalive', 'traefik keepalive'],
      when: 'at full load, over pooled TCP, with an app of 0.1 ms',
      addedMicros: 1000
    },
    note: 'Envoy and Traefik are builds of a third party, because their projects have none in a package registry: ' +
      'nothing is recommended from them (proxies.md).',
    dependsOn: 'their other work (TLS, HTTP/2, mutual TLS, retries), the options that they are built with, how often ' +
      'routes change, and their cores: proxy and app share one here',
    configuration: 'nginx:keepalive/express-json',
    onlyOnPage: true,
    pages: ['proxies.md']
  },
  {
    ...DIRECTIVES,
    experiment: 'directives',
    base: 'sendfile on, no access log and no open_file_cache',
    bySize: {
      directive: 'sendfile',
      without: ['1 KB, no sendfile', '10 KB, no sendfile', '100 KB, no sendfile', '1 MB, no sendfile']
    },
    names: {
      access_log: 'access_log on',
      'access_log buffered': 'access_log on with a buffer of 64 KB',
      open_file_cache: 'open_file_cache and one file',
      '1,000 files, open_file_cache': 'open_file_cache and 1,000 files',
      '1 KB, no sendfile': 'sendfile off and files of 1 KB',
      '10 KB, no sendfile': 'sendfile off and files of 10 KB',
      '100 KB, no sendfile': 'sendfile off and files of 100 KB',
      '1 MB, no sendfile': 'sendfile off and files of 1 MB'
    },
    fallback: {
      ...DIRECTIVES,
      experiment: 'tuning',
      names: {
        access_log: 'access_log on',
        'no tcp_nopush, no tcp_nodelay': 'tcp_nopush and tcp_nodelay off',
        'no gzip, no sendfile': 'sendfile off, where nothing is compressed',
        'no gzip, no sendfile, no tcp_nopush': 'sendfile and tcp_nopush off, where nothing is compressed'
      }
    }
  },
  {
    id: 'ports',
    question: 'When do new connections slow down?',
    sentences: 2,
    experiment: 'time-wait',
    by: 'ports',
    pairs: [['reuse 1', 'reuse 0'], ['keepalive', 'reuse 1'], ['uds', 'reuse 1']],
    names: {
      'reuse 0': 'a new connection without tcp_tw_reuse',
      'reuse 1': 'a new connection with tcp_tw_reuse=1',
      keepalive: 'pooled TCP (keepalive)',
      uds: 'a new Unix socket connection'
    },
    dependsOn: 'net.ipv4.ip_local_port_range, tcp_tw_reuse, the number of addresses and ports of the app, and which ' +
      'side closes first',
    configuration: 'nginx:keepalive/express-json',
    pages: ['method.md']
  },
  {
    id: 'instances',
    question: 'How many dynos or instances for 500, 2,000 or 10,000 req/s?',
    experiment: 'size',
    by: 'sizing',
    app: 'Express with 1 KB of JSON, which takes about 0.1 ms of CPU time',
    dependsOn: 'your app: measure it (here Express with 1 KB of JSON); the CPU of the provider, which is assumed to ' +
      'be as fast as the one here; and prices, which change',
    configuration: 'nginx:uds-keepalive/express-json',
    pages: ['sizing.md'],
    command: 'npx hopbench size nginx:uds-keepalive/express-json --rps 2000 --p99 50ms --verify'
  }
]
