/** The questions of docs/answers.md, in its order: data. The answers are those of the runs. */

/**
 * @typedef {object} Question
 * @property {string} id anchor of the page
 * @property {string} question
 * @property {string[]} runs experiments whose last runs answer it; "size": the last sizing for each rate
 * @property {string} dependsOn conditions that would change the answer; completes "It depends on …"; # is replaced by
 * the CPU time of `costOf`
 * @property {string} [costOf] arm whose CPU time of the server per request is printed
 * @property {string[]} check commands that measure the answer, without the name of the program
 * @property {string[]} [measure] commands that make its reference runs; default: those of `check` that run or size
 * @property {number[]} [lines] lines of Node under which its reference runs are made; default: the current LTS
 * @property {boolean} [headline] true: README.md has its answer, from three reference runs in different hours
 * @property {[arm: string, baseline: string][]} [pairs] those of the answer of the first experiment; default: all
 * @property {boolean} [chart] true: the main chart of the first run is stored with the page
 * @property {boolean} [advice] true: the recommendations of the first run follow the answer
 * @property {{ label: string, link: string }} [page] link to the table, if another page has it
 */

/** @type {(Omit<Question, 'runs' | 'check'> & Partial<Question>)[]} */
const questions = [
  {
    id: 'static-server',
    headline: true,
    question: 'Which static server for Node, and is it safe?',
    runs: ['static-html'],
    advice: true,
    page: { label: 'Failures and throughput of each server', link: 'static.md#checked-and-measured' },
    dependsOn: 'the size of the files (here 8,550 bytes), whether they change while they are served, and the ' +
      'releases of packages and Node',
    check: ['run static-html --release current', 'check']
  },
  {
    id: 'nginx-files',
    headline: true,
    question: 'Should nginx serve the files?',
    runs: ['site', 'site-latency'],
    dependsOn: 'the share of requests for files (a page view is one to an API and 20 for files), and how the app ' +
      'serves them (here express.static; compressed: nginx ahead of time, the app on the fly). Caddy: with metrics'
  },
  {
    id: 'compression',
    headline: true,
    question: 'Compress ahead of time, or on the fly?',
    runs: ['static-gzip'],
    dependsOn: 'the level (nginx: 1), caches (st keeps what it compressed), the size of the responses (here 8,550 ' +
      'bytes), and the speed of the link'
  },
  {
    id: 'brotli',
    question: 'gzip or Brotli, at which level?',
    runs: ['brotli'],
    dependsOn: 'the size of the responses (here 8,550 bytes)'
  },
  {
    id: 'transport',
    headline: true,
    question: 'A new connection, keepalive or a Unix socket from nginx to the app?',
    runs: ['uds', 'nginx-defaults'],
    lines: [24, 26],
    pairs: [['keepalive', 'tcp'], ['uds-keepalive', 'keepalive']],
    chart: true,
    costOf: 'direct',
    dependsOn: 'the CPU time of the app (here #; at 1 ms each pool costs 6 %) and the release of Node'
  },
  {
    id: 'nginx-cost',
    headline: true,
    question: 'What does nginx in front of the app cost?',
    runs: ['uds', 'latency-nginx'],
    pairs: [['uds-keepalive', 'direct']],
    costOf: 'direct',
    dependsOn: 'the CPU time of the app (here #), and whether nginx and the app share a core, as here'
  },
  {
    id: 'cache',
    headline: true,
    question: 'Is a cache of 5 seconds in nginx worth it?',
    runs: ['cache', 'caches'],
    costOf: 'uds-keepalive',
    dependsOn: 'how many requests are for the same response within 5 seconds (here all), and the CPU time of the ' +
      'app (#). Apache and Varnish: pages of 28 KB'
  },
  {
    id: 'processes',
    headline: true,
    question: 'One process, cluster, PM2 or reusePort?',
    runs: ['workers', 'pm2'],
    dependsOn: 'free cores: here four processes and the load share two, and with reusePort on many connections'
  },
  {
    id: 'runtime',
    headline: true,
    question: 'Which Node, Bun or Deno?',
    runs: ['runtimes', 'runtimes-apps'],
    dependsOn: 'the framework (here Express, which gains more from Node 20 to 26 than node:http) and the work of ' +
      'the app. Bun and Deno run Express on a node:http of their own',
    check: ['run runtimes', 'run runtimes-apps']
  },
  {
    id: 'tls',
    headline: true,
    question: 'Where should TLS end?',
    runs: ['tls-termination'],
    dependsOn: 'the work of the app (here node:http), the type of the key, whether nginx is in front anyway (not ' +
      'measured), and how many connections are new (tls.md)'
  },
  {
    id: 'proxy',
    headline: true,
    question: 'Which proxy?',
    runs: ['proxies'],
    dependsOn: 'the transport, other work (cache, TLS, HTTP/2), and cores'
  },
  {
    id: 'ingress',
    question: 'What do Envoy and Traefik cost beside nginx?',
    runs: ['proxies-ingress'],
    dependsOn: 'other work (TLS, HTTP/2, retries) and cores'
  },
  {
    id: 'directives',
    headline: true,
    question: 'Which nginx directives matter for files?',
    dependsOn: 'the size of the files. open_file_cache serves a file that was replaced until ' +
      'open_file_cache_valid has passed'
  },
  {
    id: 'ports',
    question: 'When do new connections slow down?',
    runs: ['time-wait'],
    dependsOn: 'which side closes first (it keeps the port for 60 s), ip_local_port_range (here 12,288 ports) and ' +
      'tcp_tw_reuse (default 2: loopback only). By calculation, if nginx closes first, half of the default ' +
      'ports are used at 14,116 ÷ 60 = 235 connections/s to one address'
  },
  {
    id: 'instances',
    question: 'How many dynos or instances for 500, 2,000 or 10,000 req/s?',
    runs: ['size'],
    dependsOn: 'your app (here Express with 1 KB of JSON behind nginx, p99 50 ms), the CPU of the provider ' +
      '(its range is assumed), and prices (sizing.md)',
    page: { label: 'Each class of offering', link: 'sizing.md#three-answers' },
    check: [500, 2000, 10_000].map(rate =>
      `size nginx:uds-keepalive/express-json --rps ${rate} --p99 50ms --emulate --release current`)
  },
  {
    id: 'app-weight',
    headline: true,
    question: 'Does the hop matter for my app?',
    chart: true,
    dependsOn: 'the CPU time of your app, the machine, and the rate'
  },
  {
    id: 'idle-502',
    question: 'Which timeouts lose requests?',
    chart: true,
    dependsOn: 'whether the app is busy then (blocked for 40 ms, a third of the requests or more are lost by each ' +
      'proxy, HAProxy too), and how often a request meets the end of an idle connection (here all, within 10 ms). ' +
      "Set server.keepAliveTimeout above the proxy's: 65_000 for nginx (60 s), more for Caddy (120 s)"
  },
  {
    id: 'blocked',
    question: 'How many others wait while a request blocks the event loop?',
    chart: true,
    dependsOn: 'the share of requests that block (here one of a hundred), for how long (200 ms), and the number of ' +
      'processes'
  },
  {
    id: 'rollout',
    headline: true,
    question: 'How is a build replaced without a lost request?',
    page: { label: 'Losses of each way', link: 'rollout.md#measured-losses' },
    dependsOn: 'whether the app finishes its requests at SIGTERM, the time in which it starts, and the hashed files ' +
      'that open pages request (here 3 of each build)',
    check: ['rollout main']
  },
  {
    id: 'reload',
    question: 'What does a reload of the proxy lose?',
    chart: true,
    dependsOn: 'the rate (here 200 a second), the duration of responses (20 ms), and the way of the reload'
  },
  {
    id: 'reload-app',
    question: 'What does a restart of the app lose?',
    chart: true,
    dependsOn: 'the rate (here 200 a second), the time in which the app starts, and whether another ' +
      'process takes over'
  },
  {
    id: 'reload-kill',
    question: 'How many requests does a killed process lose?',
    chart: true,
    dependsOn: 'the rate (here 200 a second), the method (nginx repeats a GET in flight at another process, no ' +
      'POST), the number of processes, and the time until the manager has started a new one'
  },
  {
    id: 'streaming',
    question: 'Do events arrive when the app sends them?',
    chart: true,
    dependsOn: 'proxy_buffering, HTTP/1.0 towards the app, TLS, compression, http-no-delay of HAProxy, and the ' +
      'size of the events (here 100 bytes). After 4,010 ms a stream of 4 s has ended: it was held back'
  },
  {
    id: 'slow-clients',
    question: 'What do slow clients cost the app?',
    chart: true,
    dependsOn: 'whether the app makes whole responses, as here, or streams them, and their size (8 MB for each of ' +
      'fifty clients at 400 KB/s)'
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
    dependsOn: 'the size of the messages (here 64 bytes over 100 connections), what the app does with each, and TLS'
  },
  {
    id: 'idle-connections',
    question: 'How much memory does an idle WebSocket take?',
    chart: true,
    dependsOn: 'what the app keeps for each connection, and TLS. Kernel buffers are not included'
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
  const { runs = [question.id] } = question
  const { check = runs.map(name => `run ${name} --release current`) } = question
  return { check, measure: check.filter(words => /^(run|size) /.test(words)), ...question, runs }
})
