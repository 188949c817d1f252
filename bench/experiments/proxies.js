// What does each proxy cost in front of Express, over pooled TCP and over a Unix socket?

/** @import { Experiment } from '../types.js' */

/** @type {Experiment} */
export default {
  group: 'proxy',
  title: 'nginx, Apache, HAProxy, Caddy and Varnish in front of Express',
  question:
    'What does each proxy cost in front of an Express JSON app, over pooled TCP and over pooled Unix sockets, ' +
    'against the app alone?',
  source: null,
  arms: {
    direct: 'express-json',
    'nginx keepalive': 'nginx:keepalive/express-json',
    'nginx uds': 'nginx:uds-keepalive/express-json',
    'apache keepalive': 'apache:keepalive/express-json',
    'apache uds': 'apache:uds-keepalive/express-json',
    'haproxy keepalive': 'haproxy:keepalive/express-json',
    'haproxy uds': 'haproxy:uds-keepalive/express-json',
    'caddy keepalive': 'caddy:keepalive/express-json',
    'caddy uds': 'caddy:uds-keepalive/express-json',
    'varnish keepalive': 'varnish:keepalive/express-json',
    'varnish uds': 'varnish:uds-keepalive/express-json'
  },
  contrasts: [
    ['nginx uds', 'direct'],
    ['apache uds', 'nginx uds'],
    ['haproxy uds', 'nginx uds'],
    ['caddy uds', 'nginx uds'],
    ['varnish uds', 'nginx uds'],
    ['nginx uds', 'nginx keepalive'],
    ['apache uds', 'apache keepalive'],
    ['haproxy uds', 'haproxy keepalive'],
    ['caddy uds', 'caddy keepalive'],
    ['varnish uds', 'varnish keepalive']
  ],
  protocol: 'gang',
  unit: 'requests',
  budgetSeconds: 300,
  load: { connections: 100, path: '/' }
}
