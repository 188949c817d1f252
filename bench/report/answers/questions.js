/** The questions that people come with, and which arms of which experiment answer them: data. What a sentence says
 * follows from the verdicts of a run, never from here. */

/** @typedef {object} Question
 * @property {string} id
 * @property {string} question
 * @property {string} experiment that answers it; of a sizing: "size"
 * @property {'pairs' | 'every' | 'ranking' | 'recommendation' | 'sizing' | 'ports'} by pairs: the contrasts named;
 * every: all contrasts, by verdict; ranking: who is ahead of whom; recommendation: static servers and what the check
 * found; sizing: instances for rates; ports: local ports for connections to the app
 * @property {[arm: string, baseline: string][]} [pairs] the first is the answer, the others go with it
 * @property {Record<string, string>} [names] of arms, in a sentence
 * @property {string} dependsOn what would change the answer
 * @property {string | null} configuration the topology to take home
 * @property {string} [command] left out: the experiment */

const TRANSPORTS = {
  tcp: 'a new TCP connection per request',
  keepalive: 'pooled TCP (keepalive)',
  uds: 'a new Unix socket connection per request',
  'uds-keepalive': 'a pooled Unix socket',
  direct: 'the app alone'
}

/** @type {Question[]} */
export const QUESTIONS = [
  {
    id: 'static-server',
    question: 'Which static server for Node, and is it safe?',
    experiment: 'static-html',
    by: 'recommendation',
    dependsOn: 'the size of the files, whether they change while they are served, and the packages\' releases',
    configuration: null
  },
  {
    id: 'nginx-files',
    question: 'Should nginx (or a CDN) serve the files?',
    experiment: 'static-html',
    by: 'pairs',
    pairs: [['fastify', 'nginx'], ['express', 'nginx'], ['sirv', 'nginx'], ['koa', 'nginx']],
    names: { fastify: '@fastify/static', express: 'express.static', sirv: 'sirv', koa: 'koa-static', nginx: 'nginx' },
    dependsOn: 'the size of the files: the larger they are, the closer the servers',
    configuration: 'nginx/files'
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
      nginx: 'nginx compressing on the fly',
      'nginx plain': 'nginx without compression',
      'sirv precompressed': 'sirv with files compressed ahead',
      'connect + compression': 'connect with the compression middleware'
    },
    dependsOn: 'the compression level, the size of the answers and whether the link or the CPU is the bottleneck',
    configuration: 'nginx+gzip_static/files'
  },
  {
    id: 'transport',
    question: 'A new connection, keepalive or a Unix socket from nginx to the app?',
    experiment: 'uds',
    by: 'pairs',
    pairs: [['keepalive', 'tcp'], ['uds', 'keepalive'], ['uds', 'tcp']],
    names: TRANSPORTS,
    dependsOn: 'how much CPU the app takes per request: the cheaper the app, the more a connection weighs',
    configuration: 'nginx:uds-keepalive/express-json'
  },
  {
    id: 'pooled-socket',
    question: 'A pooled Unix socket, or pooled TCP?',
    experiment: 'uds',
    by: 'pairs',
    pairs: [['uds-keepalive', 'keepalive']],
    names: TRANSPORTS,
    dependsOn: 'the runtime and the app\'s CPU time per request; over a network only TCP is possible',
    configuration: 'nginx:uds-keepalive/express-json'
  },
  {
    id: 'nginx-cost',
    question: 'What does nginx in front of the app cost?',
    experiment: 'uds',
    by: 'pairs',
    pairs: [['uds-keepalive', 'direct'], ['keepalive', 'direct'], ['tcp', 'direct']],
    names: TRANSPORTS,
    dependsOn: 'whether nginx and the app share a core, and on the runtime',
    configuration: 'nginx:uds-keepalive/express-json'
  },
  {
    id: 'cache',
    question: 'Is a cache of 5 seconds in nginx worth it?',
    experiment: 'cache',
    by: 'pairs',
    pairs: [['uds-keepalive-cache', 'uds-keepalive'], ['keepalive-cache', 'keepalive'], ['tcp-cache', 'tcp']],
    names: {
      ...TRANSPORTS,
      'uds-keepalive-cache': 'a pooled Unix socket with the cache',
      'keepalive-cache': 'pooled TCP with the cache',
      'tcp-cache': 'new TCP connections with the cache'
    },
    dependsOn: 'how many requests ask for the same answer within 5 seconds: here all of them do',
    configuration: 'nginx:uds-keepalive+cache=5s/express-json'
  },
  {
    id: 'processes',
    question: 'One process, cluster, PM2 or reusePort?',
    experiment: 'workers',
    by: 'every',
    dependsOn: 'the number of cores: with fewer cores than processes only the cost per request is told',
    configuration: null
  },
  {
    id: 'runtime',
    question: 'Which Node, Bun or Deno?',
    experiment: 'runtimes',
    by: 'ranking',
    dependsOn: 'the framework: what Express costs changed fourfold between releases of Node, plain node:http did not',
    configuration: null
  },
  {
    id: 'tls',
    question: 'Where should TLS end?',
    experiment: 'tls-termination',
    by: 'every',
    dependsOn: 'new connections or kept ones, the key type, and whether sessions are resumed',
    configuration: 'nginx:uds-keepalive+tls=ecdsa-p256/express-json'
  },
  {
    id: 'proxy',
    question: 'Which proxy?',
    experiment: 'proxies',
    by: 'ranking',
    dependsOn: 'what else it has to do: cache, TLS, HTTP/2; with a core of its own its cost hardly shows',
    configuration: null
  },
  {
    id: 'directives',
    question: 'Which nginx directives matter?',
    experiment: 'tuning',
    by: 'every',
    dependsOn: 'the size of the answers and the number of connections',
    configuration: null
  },
  {
    id: 'ports',
    question: 'When do the ports run out?',
    experiment: 'time-wait',
    by: 'ports',
    pairs: [['reuse 1', 'reuse 0'], ['keepalive', 'reuse 1'], ['uds', 'reuse 1']],
    names: {
      'reuse 0': 'a new connection without tcp_tw_reuse',
      'reuse 1': 'a new connection with tcp_tw_reuse=1',
      keepalive: 'pooled TCP (keepalive)',
      uds: 'a new Unix socket connection'
    },
    dependsOn: 'net.ipv4.ip_local_port_range, tcp_tw_reuse, and which side closes first',
    configuration: 'nginx:keepalive/express-json'
  },
  {
    id: 'instances',
    question: 'How many dynos or instances for 500, 2,000 or 10,000 req/s?',
    experiment: 'size',
    by: 'sizing',
    dependsOn: 'your app: measure it',
    configuration: null,
    command: 'npx hopbench size express-json --rps 2000 --p99 50ms'
  }
]
