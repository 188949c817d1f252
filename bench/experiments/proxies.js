// Cost of each proxy in front of Express, over pooled TCP and over a Unix socket.

/** @import { ExperimentFile } from '../types.js' */

const proxies = ['nginx', 'apache', 'haproxy', 'caddy', 'varnish']
const transports = ['keepalive', 'uds-keepalive']
/** Turns off the metrics of these proxies, as their recommended configurations do. */
const OPTIONS = new Map([['caddy', '+metrics=off'], ['traefik', '+metrics=off']])
/** @type {(proxy: string, transport: string) => [name: string, topology: string]} */
const toArm = (proxy, transport) =>
  [`${proxy} ${transport}`, `${proxy}:${transport}${OPTIONS.get(proxy) ?? ''}/express-json`]
// Traefik cannot reach an app over a Unix socket.
const ingress = ['nginx', 'envoy', 'traefik'].flatMap(proxy =>
  (proxy === 'traefik' ? ['keepalive'] : transports).map(transport => toArm(proxy, transport)))

/** @type {ExperimentFile} */
export default {
  group: 'proxy',
  title: 'nginx, Apache, HAProxy, Caddy and Varnish in front of Express',
  question:
    'What does each proxy cost in front of an Express JSON app, over pooled TCP and over pooled Unix sockets, ' +
    'against the app alone?',
  answer: {
    pairs: [
      ['nginx uds-keepalive', 'direct'],
      ['apache uds-keepalive', 'nginx uds-keepalive'],
      ['haproxy uds-keepalive', 'nginx uds-keepalive'],
      ['caddy uds-keepalive', 'nginx uds-keepalive'],
      ['varnish uds-keepalive', 'nginx uds-keepalive']
    ],
    names: {
      direct: 'the app alone',
      'nginx uds-keepalive': 'nginx over a pooled Unix socket',
      'apache uds-keepalive': 'Apache',
      'haproxy uds-keepalive': 'HAProxy',
      'caddy uds-keepalive': 'Caddy',
      'varnish uds-keepalive': 'Varnish'
    }
  },
  arms: {
    direct: 'express-json',
    ...Object.fromEntries(proxies.flatMap(proxy => transports.map(transport => toArm(proxy, transport))))
  },
  contrasts: proxies.map(proxy => [`${proxy} uds-keepalive`, `${proxy} keepalive`]),
  variants: {
    ingress: {
      title: 'nginx, Envoy and Traefik in front of Express',
      question:
        'What do Envoy and Traefik, the usual ingress proxies, cost in front of an Express JSON app, beside nginx ' +
        'and against the app alone?',
      answer: {
        pairs: [
          ['envoy keepalive', 'nginx keepalive'],
          ['traefik keepalive', 'nginx keepalive'],
          ['envoy uds-keepalive', 'nginx uds-keepalive'],
          ['nginx keepalive', 'direct']
        ],
        names: {
          direct: 'the app alone',
          'nginx keepalive': 'nginx over pooled TCP',
          'envoy keepalive': 'Envoy',
          'traefik keepalive': 'Traefik',
          'nginx uds-keepalive': 'nginx over a pooled Unix socket',
          'envoy uds-keepalive': 'Envoy over a pooled Unix socket'
        }
      },
      arms: { direct: 'express-json', ...Object.fromEntries(ingress) },
      contrasts: [['envoy uds-keepalive', 'envoy keepalive']]
    }
  }
}
