// nginx in front of two Node processes: over an address for each, or over one socket that they share?

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'processes',
  title: 'two sockets behind nginx, or one that is shared',
  question: 'Should nginx spread requests over a socket for each Node process, or should the processes share one?',
  answer: {
    pairs: [['round robin', 'shared by cluster'], ['least connections', 'round robin']],
    names: {
      'round robin': 'round robin over a socket for each process',
      'least connections': 'least connections',
      'shared by cluster': 'one socket shared by node:cluster'
    }
  },
  arms: {
    'shared by cluster': 'nginx:uds-keepalive/express-json@cluster:2',
    'shared by pm2': 'nginx:uds-keepalive/express-json@pm2:2',
    'round robin': 'nginx:uds-keepalive+balance=round-robin/express-json@node:2',
    'least connections': 'nginx:uds-keepalive+balance=least-conn/express-json@node:2'
  },
  contrasts: [['shared by pm2', 'shared by cluster']],
  cores: 'shared',
  load: { engine: 'wrk', connections: 100, path: '/' }
}
