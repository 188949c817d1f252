// Four processes of one app: how should connections be distributed to them, and what does it cost?
import { claim, ratioClaim } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

const four = {
  cluster: 'express-json@cluster:4+runtime=node-24',
  SCHED_NONE: 'express-json@cluster:4+runtime=node-24+schedule=none',
  PM2: 'express-json@pm2:4+runtime=node-24',
  reusePort: 'express-json@node:4+runtime=node-24+reuseport'
}
const one = 'express-json+runtime=node-24'
/**
 * Arms with a connection for each request. Few at once, so that those in flight at the edges of a slice do not blur the
 * ratio.
 * @type {(arms: Record<string, string>) => ExperimentFile['arms']}
 */
const fresh = arms => Object.fromEntries(Object.entries(arms).map(([name, topology]) =>
  [`${name} new`, { topology, load: { fresh: true, connections: 16 } }]))

/** @type {ExperimentFile} */
export default {
  group: 'processes',
  title: 'four processes: node:cluster, PM2, reusePort, or a socket each behind nginx',
  question:
    'What does a request cost where four processes share the work, and how evenly do they, by who hands them their ' +
    'connections, kept and new ones?',
  answer: {
    pairs: [['cluster', 'one'], ['PM2', 'one'], ['reusePort', 'one']],
    names: {
      one: 'one process',
      cluster: 'node:cluster with 4 processes',
      PM2: 'PM2 with 4 processes',
      reusePort: 'reusePort with 4 processes'
    }
  },
  source: sources.pm2Cluster,
  arms: {
    one,
    ...four,
    nginx: 'nginx:uds-keepalive+balance=round-robin/express-json@node:4+runtime=node-24',
    ...fresh({ one, ...four })
  },
  contrasts: [
    ...Object.keys(four).map(name => /** @type {[string, string]} */ ([name, 'one'])),
    ['nginx', 'cluster'],
    ['PM2', 'cluster'],
    ...Object.keys(four).map(name => /** @type {[string, string]} */ ([`${name} new`, 'one new'])),
    ['reusePort new', 'cluster new']
  ],
  cores: 'shared',
  // Each of four workers is compiled after as many requests as one process: so three starts fit.
  budgetSeconds: 1500,
  load: { engine: 'wrk', connections: 100, path: '/' },
  claims: [
    ratioClaim('pm2-cluster-slower-than-one', ['PM2 new', 'one new'], 5471 / 8591,
      'PM2 with a process per core serves # times as much as one process.', { needsCores: 4 }),
    ratioClaim('pm2-slower-than-cluster', ['PM2', 'cluster'], 790 / 850,
      "PM2 serves # times as much as Node's own cluster module.", { source: sources.pm2OrCluster }),
    claim('reuse-port-improves', { kind: 'order', arms: ['cluster new', 'reusePort new'], of: 'cpu' },
      'it will improve the performance of a server',
      'A new connection costs less with SO_REUSEPORT than by node:cluster.', { source: sources.nodeReusePort })
  ]
}
