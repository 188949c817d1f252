// Compares ways of running four processes while one request of a hundred blocks the event loop for 200 ms.

/** @import { ExperimentFile } from '../types.js' */

const FOUR = 'behaviour@node:4+runtime=node-24'

/** @type {ExperimentFile} */
export default {
  title: 'requests beside those that block the event loop',
  question: 'How long do the others wait while a request blocks the event loop of its process?',
  scenario: 'blocked',
  answer: {
    by: 'behaviour',
    figure: 'others that took 20 ms or longer',
    names: {
      one: 'one process',
      cluster: 'node:cluster',
      SCHED_NONE: 'node:cluster where the kernel distributes connections',
      'nginx round robin': 'nginx and round robin',
      'nginx least_conn': 'nginx and least_conn',
      'HAProxy leastconn': 'HAProxy and leastconn'
    }
  },
  arms: {
    one: 'behaviour+runtime=node-24',
    cluster: 'behaviour@cluster:4+runtime=node-24',
    SCHED_NONE: 'behaviour@cluster:4+runtime=node-24+schedule=none',
    reusePort: `${FOUR}+reuseport`,
    'nginx round robin': `nginx:keepalive+balance=round-robin/${FOUR}`,
    'nginx least_conn': `nginx:keepalive+balance=least-conn/${FOUR}`,
    'HAProxy leastconn': `haproxy:keepalive+balance=least-conn/${FOUR}`
  },
  cores: 'shared',
  budgetSeconds: { full: 180, quick: 100 }
}
