// Effect of running out of ports towards the app, and of the three remedies.
import { claim, ratioClaim } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/**
 * 12,288 ports in place of 28,232, because a machine that serves 1,500 requests a second does not use up those in a
 * window. With fewer, a machine of 12,000 a second would run out although tcp_tw_reuse reuses a port after one second.
 */
const PORTS = { 'net.ipv4.ip_local_port_range': '32768 45055' }
/** @param {number} value of tcp_tw_reuse */
const reuse = value =>
  ({ topology: 'nginx:tcp/express-json', lab: { sysctl: { ...PORTS, 'net.ipv4.tcp_tw_reuse': String(value) } } })

/** Settings of the published app. */
const conditions = { processes: 4 }

/** @type {ExperimentFile} */
export default {
  group: 'proxy',
  title: 'ports that run out: tcp_tw_reuse, keepalive or a Unix socket',
  question:
    'How long does nginx go on with a new TCP connection per request before its ports have run out, and what do ' +
    'tcp_tw_reuse, keepalive and a Unix socket change?',
  answer: {
    pairs: [['reuse 1', 'reuse 0'], ['keepalive', 'reuse 1'], ['uds', 'reuse 1']],
    names: {
      'reuse 0': 'with 0',
      'reuse 1': 'a new TCP connection per request with tcp_tw_reuse 1',
      uds: 'a Unix socket'
    }
  },
  source: sources.nginxExpress,
  arms: {
    'reuse 0': reuse(0),
    'reuse 1': reuse(1),
    // The default since Linux 4.19: on the loopback only.
    'reuse 2': reuse(2),
    keepalive: 'nginx:keepalive/express-json',
    uds: 'nginx:uds/express-json'
  },
  contrasts: [['reuse 2', 'reuse 1'], ['uds', 'keepalive']],
  twin: 'keepalive',
  protocol: 'series',
  // Half of the ports are used up after half a second to five seconds, and finding a free one takes long; the full
  // window shows the effect.
  windowSeconds: { full: 30, quick: 10 },
  budgetSeconds: 1500,
  errorsAreResults: true,
  load: { engine: 'h2load', connections: 100, path: '/' },
  claims: [
    ratioClaim('time-wait-reuse-1', ['reuse 1', 'reuse 0'], 10180 / 1748,
      'tcp_tw_reuse=1 serves # times as much as no extra settings.', { conditions }),
    claim('time-wait-errors', { kind: 'errors', in: ['reuse 0'], notIn: ['reuse 1', 'keepalive', 'uds'] },
      '1,748 with errors / 10,180 / 30,373 / 36,129 req/s',
      'Only a new connection per request without tcp_tw_reuse brings errors.', { conditions }),
    claim('time-wait-default', { kind: 'errors', in: ['reuse 2'], notIn: ['reuse 1'] }, '1,748 req/s with errors',
      'tcp_tw_reuse=2, the default since Linux 4.19, brings errors.', { conditions }),
    claim('time-wait-order', { kind: 'order', arms: ['uds', 'keepalive', 'reuse 1', 'reuse 0'] },
      '36,129 / 30,373 / 10,180 / 1,748 req/s',
      'From fastest to slowest: Unix domain socket, keepalive, tcp_tw_reuse=1, no extra settings.', { conditions })
  ]
}
