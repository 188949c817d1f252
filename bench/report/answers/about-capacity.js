/** Questions about the load that a host or an instance serves: data. */

/** @import { Question } from './questions.js' */

/** @type {Question[]} */
export const ABOUT_CAPACITY = [
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
    dependsOn: 'net.ipv4.ip_local_port_range, tcp_tw_reuse (with 1 only where both ends have TCP timestamps), the ' +
      'kernel, the number of addresses and ports of the app, which side closes first, and for the slow arms the ' +
      'length of the window (here 30 s) and the number of ports, which the kernel searches: with all 28,232 another ' +
      'run fell to 350 a second (method.md)',
    configuration: 'nginx:keepalive/express-json',
    pages: ['method.md']
  },
  {
    id: 'instances',
    question: 'How many dynos or instances for 500, 2,000 or 10,000 req/s?',
    experiment: 'size',
    by: 'sizing',
    dependsOn: 'your app: measure it (here Express with 1 KB of JSON); the CPU of the provider, which is assumed to ' +
      'be as fast as the one here: nothing ran at a provider; prices, which change; and the rule by which an ' +
      'offering is named: the cheapest of its class without reservations about its CPU, its price or its sale ' +
      '(sizing.md)',
    configuration: 'nginx:uds-keepalive/express-json',
    pages: ['sizing.md'],
    command: 'npm run hopbench -- size nginx:uds-keepalive/express-json --rps 2000 --p99 50ms --verify'
  }
]
