/** Questions about failures, delays and memory of an app and its proxy: data. */

/** @import { Question } from './questions.js' */

/** Properties that all but the first question share. @satisfies {Partial<Question>} */
const ABOUT = { by: /** @type {const} */ ('behaviour'), pages: ['behaviour.md'], chart: true }

/** @type {Question[]} */
export const ABOUT_BEHAVIOUR = [
  {
    id: 'app-weight',
    question: 'Does the hop matter for my app?',
    experiment: 'app-weight',
    by: 'pairs',
    pairs: [
      ['uds-keepalive 1 ms', 'direct 1 ms'],
      ['keepalive 1 ms', 'direct 1 ms'],
      ['uds-keepalive 0.1 ms', 'direct 0.1 ms'],
      ['uds-keepalive 5 ms', 'direct 5 ms']
    ],
    names: {
      'uds-keepalive 1 ms': 'nginx over a pooled Unix socket',
      'keepalive 1 ms': 'nginx over pooled TCP',
      'direct 1 ms': 'an app alone that uses 1 ms of CPU',
      'uds-keepalive 0.1 ms': 'nginx over a pooled Unix socket in front of an app of 0.1 ms',
      'direct 0.1 ms': 'that app alone',
      'uds-keepalive 5 ms': 'nginx over a pooled Unix socket in front of an app of 5 ms',
      'direct 5 ms': 'that app alone'
    },
    costs: { arms: ['direct 1 ms', 'uds-keepalive 1 ms', 'keepalive 1 ms'], hasShares: true },
    dependsOn: 'the CPU time of your app per request, which hopbench run --app prints; the machine: on a slower one ' +
      'nginx took 0.09, 0.13 and 0.23 ms for apps of 0.1, 1 and 5 ms, which is 13 % of 1 ms; the rate, because a ' +
      'rarer request wakes nginx each time; and whether nginx and the app share a core, as here. Connections are ' +
      'kept; new ones cost more (transport). Response times are another question: a hop added 0.4 ' +
      'to 0.6 ms to p50 in site-latency, whose app waits for 5 ms (nginx-files)',
    configuration: 'nginx:uds-keepalive/express-json',
    chart: true,
    pages: ['behaviour.md']
  },
  {
    ...ABOUT,
    id: 'idle-502',
    question: 'Which timeouts lose requests?',
    experiment: 'idle-502',
    forms: [
      { group: 'POST', requests: 'POSTs sent within 10 ms of the moment at which the app closes the connection' },
      { group: 'GET', requests: 'such GETs' },
      { group: 'POST, busy app', requests: 'such POSTs while the event loop of the app is blocked' }
    ],
    note: 'If the app keeps idle connections for longer than the proxy, the proxy closes them first: ' +
      'server.keepAliveTimeout = 65_000, for nginx\'s 60 s. The app closes them after 200 ms here, before the proxy, ' +
      'as Node does by default after some 6 s. The arm with the longer timeout shows that nothing ' +
      'is lost while neither side closes; that the remedy holds follows from which side closes first.',
    dependsOn: 'how often a request meets the end of an idle connection, which each of these requests does within 10 ' +
      'ms. Over a network the critical time is longer, by the delay between proxy and app. The configuration that ' +
      'hopbench config haproxy:keepalive/express-json prints retries such GETs; the measured one does not, so that ' +
      'no failure is hidden',
    configuration: 'nginx:keepalive/express-json'
  },
  {
    ...ABOUT,
    id: 'blocked',
    question: 'How long do the others wait while a request blocks the event loop of its process?',
    experiment: 'blocked',
    forms: [
      {
        figure: 'others that took 20 ms or longer',
        requests: 'requests that block nothing and took 20 ms or longer'
      },
      {}
    ],
    note: 'One request of a hundred blocks its process for 200 ms, at 100 requests a second. Where more than a ' +
      'hundredth of the others wait, the 99th percentile does not show how many do.',
    dependsOn: 'the share of requests that block, for how long, their rate (here one a second, so that no two ' +
      'processes are blocked at once), the number of processes, and the connections of the clients: here 64, used in ' +
      'turn',
    configuration: 'nginx:keepalive+balance=least-conn/express-json@node:4'
  },
  {
    ...ABOUT,
    id: 'reload',
    question: 'What does a reload of the proxy lose?',
    experiment: 'reload',
    forms: [{}, { figure: 'longest time without a response' }],
    note: 'Six reloads of each proxy, three in each of two plays, at 200 requests a second, ' +
      'GET and POST, on kept and on new connections.',
    dependsOn: 'the rate of requests, the duration of responses (here 20 ms; streams and WebSockets are not tried), ' +
      'and the options that a reload needs: ' +
      'HAProxy with its master process, Caddy with its admin endpoint',
    configuration: 'nginx:keepalive/express-json'
  },
  {
    ...ABOUT,
    id: 'reload-app',
    question: 'What does a restart of the app lose?',
    experiment: 'reload-app',
    forms: [{
      names: {
        'nginx and one': 'one process that drains behind nginx',
        'nginx and four': 'four processes that drain behind nginx'
      }
    }],
    note: 'Two restarts at 200 requests a second. An app that "drains" completes its responses before it ends. With ' +
      'one process, draining or not, requests fail for as long as the app takes to start.',
    dependsOn: 'the rate of requests, the time that the app takes to start, and whether another process or a proxy ' +
      'takes over',
    configuration: 'nginx:keepalive+balance=round-robin/express-json@node:4'
  },
  {
    ...ABOUT,
    id: 'reload-kill',
    question: 'How many requests does a killed process lose?',
    experiment: 'reload-kill',
    forms: [{
      unit: 'per kill',
      names: { 'nginx and one': 'one process behind nginx', 'nginx and four': 'four processes behind nginx' }
    }],
    note: 'Two kills (kill -9) at 200 requests a second. No app of these arms drains.',
    dependsOn: 'the rate of requests, the number of processes, and the time until the manager has started a new one',
    configuration: 'nginx:keepalive+balance=round-robin/express-json@node:4'
  },
  {
    ...ABOUT,
    id: 'streaming',
    question: 'Do events arrive when the app sends them?',
    experiment: 'streaming',
    note: 'A stream has an event every 100 ms and lasts 4 s, so 4,010 ms means that it is held back until its end; a ' +
      'longer one is held back until a buffer is full. The order of figures of a few ms means nothing. An event that ' +
      'arrives after the app has sent the next one is a failure.',
    dependsOn: 'proxy_buffering, TLS, HTTP/1.0 towards the app, compression, and the size of the events: here 100 ' +
      'bytes, which fill a buffer of 4 to 16 KB slowly. An app that sends X-Accel-Buffering: no turns buffering off ' +
      'for its streams alone; +buffering=off turns it off for all responses, which costs memory of the app ' +
      '(slow-clients)',
    configuration: 'nginx:keepalive/express-json'
  },
  {
    ...ABOUT,
    id: 'slow-clients',
    question: 'What do slow clients cost the app?',
    experiment: 'slow-clients',
    forms: [{}, { figure: 'temporary files of the proxy' }],
    note: 'Fifty clients read 8 MB each at 400 KB/s. With proxy_buffering nginx takes the responses off the app and ' +
      'writes to temporary files what exceeds its buffers in memory.',
    dependsOn: 'the size of the responses: on one machine the kernel holds some megabytes of each, over a network ' +
      'less; and the disk, to which nginx writes its temporary files unless the page cache holds them',
    configuration: 'nginx:keepalive/express-json'
  },
  {
    ...ABOUT,
    id: 'slow-starters',
    question: 'Which proxies serve others beside connections that never complete their headers (Slowloris)?',
    experiment: 'slow-clients-starters',
    note: 'A thousand connections send a byte a second. Timeouts of a measurement are long, so this is the limit of ' +
      'connections, and not the time after which a proxy ends them. nginx has a limit of 4,096 here unless it is ' +
      'named; each proxy fails once there are more such connections than its limit. The share is that of the 12 s of ' +
      'the attack.',
    dependsOn: 'the largest number of connections or threads of the proxy, its timeouts, and the number of such ' +
      'connections',
    configuration: 'nginx:keepalive/express-json'
  },
  {
    ...ABOUT,
    id: 'websockets',
    question: 'What do WebSockets cost behind each proxy?',
    experiment: 'websockets',
    note: 'Messages of 64 bytes over 100 connections, by the CPU time of proxy and app together.',
    dependsOn: 'the size of the messages, what the app does with each, and TLS and compression, which are off here',
    configuration: 'nginx:uds-keepalive+websocket/express-json'
  },
  {
    ...ABOUT,
    id: 'idle-connections',
    question: 'How much memory does an idle WebSocket take, in the proxy and in the app?',
    experiment: 'idle-connections',
    note: 'Memory of the processes, that of Caddy with what Go has not collected yet. Buffers of the kernel for each ' +
      'connection are not included.',
    dependsOn: 'what the app keeps for each connection, and TLS, which is off here and has buffers of its own',
    configuration: 'nginx:keepalive+websocket/express-json'
  },
  {
    ...ABOUT,
    id: 'pool',
    question: 'How large must the pool of upstream connections be?',
    experiment: 'pool',
    note: 'Bursts of 200 requests that are in flight at once: without new connections the pool is as large as that.',
    dependsOn: 'the number of requests in flight at once, and of worker processes, each of which has its own pool',
    configuration: 'nginx:keepalive+pool=256/express-json'
  }
]
