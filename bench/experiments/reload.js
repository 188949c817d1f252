// Counts the requests that a release loses: a reload of the proxy, a restart of the app, a process that is killed.

/** @import { AnswerWords, ExperimentFile } from '../types.js' */

/** @type {AnswerWords} */
const answer = { by: 'behaviour', figure: 'failed requests' }
/** Words for arms in an answer. */
const NAMES = {
  one: 'one process',
  'nginx and one': 'one process behind nginx',
  cluster: 'node:cluster',
  'nginx and four': 'four processes behind nginx'
}
/** The line of Node of all arms. reusePort requires Node 23. */
const NODE = '+runtime=node-24'
const FOUR = `4${NODE}`
/** An app of your own may reject POST, and starts its own processes. */
const userApp = {
  options: { post: false },
  answer: { ...answer, names: NAMES },
  arms: {
    one: 'behaviour',
    'nginx and one': 'nginx:keepalive/behaviour',
    'nginx and four': 'nginx:keepalive+balance=round-robin/behaviour@node:4'
  }
}

/** @type {ExperimentFile} */
export default {
  title: 'requests during a reload of the proxy',
  question: 'What does a reload of the proxy lose?',
  scenario: 'reload',
  options: { act: 'reload-proxy' },
  answer,
  userApp: { options: userApp.options },
  arms: {
    nginx: 'nginx:keepalive/behaviour',
    haproxy: 'haproxy:keepalive+master/behaviour',
    caddy: 'caddy:keepalive+admin/behaviour',
    apache: 'apache:keepalive/behaviour'
  },
  // Some requests are in flight at any time.
  load: { path: '/?wait=20' },
  budgetSeconds: { full: 180, quick: 90 },
  variants: {
    app: {
      title: 'requests during a restart of the app',
      question: 'What does a restart of the app lose?',
      options: { act: 'restart-app', times: 2 },
      userApp,
      answer: {
        ...answer,
        names: {
          ...NAMES,
          'one, drains': 'one process that drains',
          'nginx and one': 'one process that drains behind nginx',
          'nginx and four': 'four processes that drain behind nginx',
          'cluster, drains': 'node:cluster that drains',
          'PM2, drains': 'PM2 that drains',
          'reusePort, drains': 'reusePort that drains'
        }
      },
      arms: {
        one: `behaviour${NODE}`,
        'one, drains': `behaviour${NODE}+drain`,
        'nginx and one': `nginx:keepalive/behaviour${NODE}+drain`,
        cluster: `behaviour@cluster:${FOUR}`,
        'cluster, drains': `behaviour@cluster:${FOUR}+drain`,
        'PM2, drains': `behaviour@pm2:${FOUR}+drain`,
        'reusePort, drains': `behaviour@node:${FOUR}+reuseport+drain`,
        'nginx and four': `nginx:keepalive+balance=round-robin/behaviour@node:${FOUR}+drain`
      },
      blocks: { full: 1, quick: 1 },
      budgetSeconds: { full: 180, quick: 180 }
    },
    kill: {
      title: 'requests while a process of the app is killed',
      question: 'What does a process lose that is killed?',
      options: { act: 'kill-app', times: 8 },
      userApp,
      answer: { ...answer, names: NAMES },
      arms: {
        one: `behaviour${NODE}`,
        'nginx and one': `nginx:keepalive/behaviour${NODE}`,
        cluster: `behaviour@cluster:${FOUR}`,
        PM2: `behaviour@pm2:${FOUR}`,
        reusePort: `behaviour@node:${FOUR}+reuseport`,
        'nginx and four': `nginx:keepalive+balance=round-robin/behaviour@node:${FOUR}`
      },
      blocks: { full: 1, quick: 1 },
      budgetSeconds: { full: 180, quick: 180 }
    }
  }
}
