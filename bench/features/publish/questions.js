/** The questions of docs/answers.md, in its order: data. The answers are those of the runs. */

/**
 * @typedef {object} Question
 * @property {string} id anchor of the page
 * @property {string} question
 * @property {string[]} runs experiments whose last runs answer it; "size": the last sizing for each rate
 * @property {string} dependsOn conditions that would change the answer; completes "It depends on …"
 * @property {string[]} check commands that measure the answer, without the name of the program
 * @property {[arm: string, baseline: string][]} [pairs] those of the answer of the first experiment; default: all
 * @property {boolean} [chart] true: the main chart of the first run is stored with the page
 * @property {boolean} [advice] true: the recommendations of the first run follow the answer
 */

/** @type {(Omit<Question, 'runs' | 'check'> & Partial<Question>)[]} */
const questions = [
  {
    id: 'static-server',
    question: 'Which static server for Node, and is it safe?',
    runs: ['static-html'],
    advice: true,
    dependsOn: 'the size of the files (here 8,550 bytes), whether they change while they are served, and the ' +
      'releases of the packages and of Node',
    check: ['run static-html --release current', 'check']
  },
  {
    id: 'nginx-files',
    question: 'Should nginx serve the files?',
    runs: ['site', 'site-latency'],
    dependsOn: 'the share of requests for files (a page view is one to an API and 20 for files), and how the app ' +
      'serves them (here express.static)'
  },
  {
    id: 'compression',
    question: 'Compress ahead of time, or on the fly?',
    runs: ['static-gzip', 'brotli'],
    dependsOn: 'the level, the size of the responses (here 8,550 bytes), and whether CPU time or the link is the ' +
      'bottleneck'
  },
  {
    id: 'transport',
    question: 'A new connection, keepalive or a Unix socket from nginx to the app?',
    runs: ['uds', 'nginx-defaults'],
    pairs: [['keepalive', 'tcp'], ['uds-keepalive', 'keepalive']],
    chart: true,
    dependsOn: 'the CPU time of the app (here 0.1 ms; at 1 ms the two pools are equal) and the release of Node'
  },
  {
    id: 'pooled-socket',
    question: 'A pooled Unix socket, or pooled TCP?',
    runs: ['uds'],
    pairs: [['uds-keepalive', 'keepalive']],
    dependsOn: 'the release of Node, the CPU time of the app (here 0.1 ms) and the size of the responses (here 1 KB)'
  },
  {
    id: 'nginx-cost',
    question: 'What does nginx in front of the app cost?',
    runs: ['uds'],
    pairs: [['uds-keepalive', 'direct']],
    dependsOn: 'the CPU time of the app (here 0.1 ms), and whether nginx and the app share a core, as here: with a ' +
      'core each nginx raises the total rate'
  },
  {
    id: 'cache',
    question: 'Is a cache of 5 seconds in nginx worth it?',
    runs: ['cache', 'caches'],
    dependsOn: 'how many requests are for the same response within 5 seconds (here all), and the CPU time of the ' +
      'app (0.1 ms)'
  },
  {
    id: 'processes',
    question: 'One process, cluster, PM2 or reusePort?',
    runs: ['workers', 'blocked', 'reload-app', 'reload-kill'],
    dependsOn: 'the number of free cores: here four processes share two with the load. reusePort distributes ' +
      'connections: few of them leave processes idle',
    check: ['run workers --release current']
  },
  {
    id: 'runtime',
    question: 'Which Node, Bun or Deno?',
    runs: ['runtimes'],
    dependsOn: 'the framework (Express gains more from release to release than node:http) and the work of the app. ' +
      'Bun and Deno run Express on a node:http of their own',
    check: ['run runtimes']
  },
  {
    id: 'tls',
    question: 'Where should TLS end?',
    runs: ['tls-termination', 'tls-termination-new'],
    dependsOn: 'the work of the app (here node:http), the type of the key, and whether nginx is in front anyway ' +
      '(not measured)'
  },
  {
    id: 'proxy',
    question: 'Which proxy?',
    runs: ['proxies'],
    dependsOn: 'the transport, other work (cache, TLS, HTTP/2), and cores, which proxy and app share here. Caddy is ' +
      'measured with its metrics on, unlike its recommended configuration'
  },
  {
    id: 'ingress',
    question: 'What do Envoy and Traefik cost beside nginx?',
    runs: ['proxies-ingress'],
    dependsOn: 'other work (TLS, HTTP/2, retries) and cores, which proxy and app share here. Both are builds of a ' +
      'third party: nothing is recommended from them'
  },
  {
    id: 'directives',
    question: 'Which nginx directives matter for files?',
    dependsOn: 'the size of the files, above all for sendfile. open_file_cache serves a file that was replaced ' +
      'until open_file_cache_valid has passed'
  },
  {
    id: 'ports',
    question: 'When do new connections slow down?',
    runs: ['time-wait'],
    dependsOn: 'net.ipv4.ip_local_port_range and tcp_tw_reuse. By calculation, connections to one address of ' +
      'another host are slow from 235 a second on (method.md)'
  },
  {
    id: 'instances',
    question: 'How many dynos or instances for 500, 2,000 or 10,000 req/s?',
    runs: ['size'],
    dependsOn: 'your app (here Express with 1 KB of JSON behind nginx, p99 50 ms), the CPU of the provider, which is ' +
      'assumed to be as fast as the one here, and prices (sizing.md)',
    check: ['size nginx:uds-keepalive/express-json --rps 2000 --p99 50ms --emulate']
  },
  {
    id: 'app-weight',
    question: 'Does the hop matter for my app?',
    chart: true,
    dependsOn: 'the CPU time of your app, which hopbench run --app prints, the machine (on a slower one nginx took ' +
      '13 % of 1 ms), and the rate'
  },
  {
    id: 'idle-502',
    question: 'Which timeouts lose requests?',
    chart: true,
    dependsOn: 'how often a request meets the end of an idle connection, as each of these does. An app that keeps ' +
      'them for longer than its proxy (server.keepAliveTimeout = 65_000) loses none'
  },
  {
    id: 'blocked',
    question: 'How long do others wait while a request blocks the event loop?',
    chart: true,
    dependsOn: 'the share of requests that block (here one of a hundred), for how long (200 ms), and the number of ' +
      'processes'
  },
  {
    id: 'reload',
    question: 'What does a reload of the proxy lose?',
    chart: true,
    dependsOn: 'the rate (here 200 a second), the duration of responses (20 ms), and options that a reload needs: ' +
      "HAProxy's master process, Caddy's admin endpoint"
  },
  {
    id: 'reload-app',
    question: 'What does a restart of the app lose?',
    chart: true,
    dependsOn: 'the rate (here 200 requests a second), the time in which the app starts, and whether another ' +
      'process takes over'
  },
  {
    id: 'reload-kill',
    question: 'How many requests does a killed process lose?',
    chart: true,
    dependsOn: 'the rate (here 200 requests a second), the number of processes, and the time until the manager has ' +
      'started a new one'
  },
  {
    id: 'streaming',
    question: 'Do events arrive when the app sends them?',
    chart: true,
    dependsOn: 'proxy_buffering, HTTP/1.0 towards the app, compression, and the size of the events (here 100 ' +
      'bytes). After 4,010 ms a stream of 4 s has ended: it was held back'
  },
  {
    id: 'slow-clients',
    question: 'What do slow clients cost the app?',
    chart: true,
    dependsOn: 'the size of the responses (here 8 MB for each of fifty clients at 400 KB/s)'
  },
  {
    id: 'slow-starters',
    question: 'Which proxies serve others beside incomplete headers (Slowloris)?',
    runs: ['slow-clients-starters'],
    chart: true,
    dependsOn: 'the number of such connections (here a thousand), and the limits and timeouts of the proxy'
  },
  {
    id: 'websockets',
    question: 'What do WebSockets cost behind each proxy?',
    chart: true,
    dependsOn: 'the size of the messages (here 64 bytes over 100 connections), what the app does with each, and ' +
      'TLS, off here'
  },
  {
    id: 'idle-connections',
    question: 'How much memory does an idle WebSocket take?',
    chart: true,
    dependsOn: 'what the app keeps for each connection, and TLS, off here. Buffers of the kernel are not included'
  },
  {
    id: 'pool',
    question: 'How large must the pool of upstream connections be?',
    chart: true,
    dependsOn: 'the requests in flight at once (here bursts of 200) and the workers, each with its own pool'
  }
]

/**
 * Questions with the fields that most of them have in common: the answer is in the experiment of that name, which is
 * measured again under the newest versions of the programs.
 *
 * @type {Question[]}
 */
export const QUESTIONS = questions.map(question => {
  const { runs = [question.id], check = runs.map(name => `run ${name} --release current`) } = question
  return { ...question, runs, check }
})
