// Cost of each proxy in front of Express, over pooled TCP and over a Unix socket.

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'proxy',
  title: 'nginx, Apache, HAProxy, Caddy and Varnish in front of Express',
  question:
    'What does each proxy cost in front of an Express JSON app, over pooled TCP and over pooled Unix sockets, ' +
    'against the app alone?',
  arms: {
    direct: 'express-json',
    'nginx keepalive': 'nginx:keepalive/express-json',
    'nginx uds-keepalive': 'nginx:uds-keepalive/express-json',
    'apache keepalive': 'apache:keepalive/express-json',
    'apache uds-keepalive': 'apache:uds-keepalive/express-json',
    'haproxy keepalive': 'haproxy:keepalive/express-json',
    'haproxy uds-keepalive': 'haproxy:uds-keepalive/express-json',
    'caddy keepalive': 'caddy:keepalive/express-json',
    'caddy uds-keepalive': 'caddy:uds-keepalive/express-json',
    'varnish keepalive': 'varnish:keepalive/express-json',
    'varnish uds-keepalive': 'varnish:uds-keepalive/express-json'
  },
  contrasts: [
    ['nginx uds-keepalive', 'direct'],
    ['apache uds-keepalive', 'nginx uds-keepalive'],
    ['haproxy uds-keepalive', 'nginx uds-keepalive'],
    ['caddy uds-keepalive', 'nginx uds-keepalive'],
    ['varnish uds-keepalive', 'nginx uds-keepalive'],
    ['nginx uds-keepalive', 'nginx keepalive'],
    ['apache uds-keepalive', 'apache keepalive'],
    ['haproxy uds-keepalive', 'haproxy keepalive'],
    ['caddy uds-keepalive', 'caddy keepalive'],
    ['varnish uds-keepalive', 'varnish keepalive']
  ],
  budgetSeconds: 300,
  load: { connections: 100, path: '/' }
}
