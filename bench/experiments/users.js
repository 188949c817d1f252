// How many users does nginx hold with its default limits, and how many with those of the tuning lab?
import { claim } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/**
 * accept_mutex and multi_accept are off in every arm; worker_rlimit_nofile is twice worker_connections in all of them.
 */
const TUNED = 'nginx+connections=10240+keepalive_requests=1000000+keepalive_timeout=300s/files'
const DEFAULT = 'nginx+connections=1024/files'

/** @type {ExperimentFile} */
export default {
  group: 'load',
  title: 'users that come and stay: nginx with its default limits and tuned',
  question:
    'How many users that keep their connections does nginx hold with its default limit of 1,024 connections, and ' +
    'how many with the limits of the tuning lab?',
  answer: { by: 'users' },
  source: sources.nginxTuning,
  arms: {
    'default 2000': { topology: DEFAULT, load: { connections: 2000, spawnPerSecond: 100 } },
    'default 6000': { topology: DEFAULT, load: { connections: 6000, spawnPerSecond: 300 } },
    'tuned 6000': { topology: TUNED, load: { connections: 6000, spawnPerSecond: 300 } }
  },
  // The users' request rate is an input, so there is no contrast of rates.
  contrasts: [],
  protocol: 'series',
  // All users of an arm are present after twenty seconds.
  windowSeconds: { full: 60, quick: 30 },
  blocks: { full: 6, quick: 1 },
  budgetSeconds: { full: 1800, quick: 300 },
  errorsAreResults: true,
  load: { engine: 'locust', path: '/page.html', perUserPerSecond: 1 },
  claims: [
    claim('users-default-errors', { kind: 'errors', in: ['default 2000'], notIn: ['tuned 6000'] },
      'failures with 2,000 users / none with 6,000',
      'nginx fails some of 2,000 users with its default limits, and none of 6,000 with tuned ones.'),
    claim('users-log', {
      kind: 'logged',
      text: 'worker_connections are not enough',
      in: ['default 2000', 'default 6000'],
      notIn: ['tuned 6000']
    }, '1024 worker_connections are not enough, reusing connections',
    'Only with the default limits the error log has "worker_connections are not enough".'),
    claim('users-cpu', { kind: 'ratio', arm: 'tuned 6000', baseline: 'default 2000', of: 'cpu' }, 31 / 15 / 3,
      'With three times the users a request takes nginx 0.69 times as much CPU time.')
  ]
}
