// Gain of more processes for an Express app, alone and behind nginx.
import { claim, ratioClaim } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'processes',
  title: 'Express in more processes: node:cluster and PM2',
  question:
    'What does running an Express app in two or four processes bring, under node:cluster and under PM2, with and ' +
    'without nginx in front?',
  answer: {
    pairs: [['cluster 4', 'one'], ['pm2 4', 'one'], ['nginx + cluster 2', 'cluster 2']],
    names: {
      one: 'one process',
      'cluster 2': 'node:cluster with 2 processes',
      'cluster 4': 'node:cluster with 4 processes',
      'pm2 4': 'PM2 with 4 processes',
      'nginx + cluster 2': 'nginx in front of it'
    }
  },
  source: sources.nginxExpress,
  arms: {
    one: 'express-json',
    // Numbers of processes from which bench/judge/scaling.js projects: one to four.
    'cluster 2': 'express-json@cluster:2',
    'cluster 3': 'express-json@cluster:3',
    'cluster 4': 'express-json@cluster:4',
    'pm2 2': 'express-json@pm2:2',
    'pm2 3': 'express-json@pm2:3',
    'pm2 4': 'express-json@pm2:4',
    'nginx + cluster 2': 'nginx:uds-keepalive/express-json@cluster:2',
    'nginx + pm2 2': 'nginx:uds-keepalive/express-json@pm2:2',
    // As published: a new connection on the socket for every request.
    'nginx uds + pm2 4': 'nginx:uds/express-json@pm2:4'
  },
  contrasts: [
    ['cluster 2', 'one'],
    ['cluster 4', 'cluster 2'],
    ['pm2 2', 'cluster 2'],
    ['nginx + pm2 2', 'nginx + cluster 2'],
    ['nginx uds + pm2 4', 'pm2 4']
  ],
  cores: 'shared',
  // Each of four workers is compiled after as many requests as one process: so three starts fit.
  budgetSeconds: 1200,
  claims: [
    ratioClaim('pm2-over-one', ['pm2 4', 'one'], 46179 / 14477,
      'PM2 with four processes serves # times as much as one process.', { needsCores: 4 }),
    claim('pm2-helps', { kind: 'order', arms: ['pm2 4', 'one'] }, '46,179 / 14,477 req/s',
      'PM2 with four processes serves more than one process.', { needsCores: 2 }),
    ratioClaim('nginx-before-pm2', ['nginx uds + pm2 4', 'pm2 4'], 36129 / 46179,
      'nginx over a Unix domain socket serves # times as much as PM2 alone.', { needsCores: 4 })
  ]
}
