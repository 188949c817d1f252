// Settings of how nginx's workers accept connections, one at a time, with a new connection for each request.
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'settings',
  title: 'how nginx takes connections, one change at a time',
  question:
    'Which settings about accepting connections change what two nginx workers serve, when every request comes on a ' +
    'connection of its own?',
  source: sources.apacheToNginx,
  arms: {
    base: 'nginx+workers=2/files',
    multi_accept: 'nginx+workers=2+multi_accept/files',
    accept_mutex: 'nginx+workers=2+accept_mutex/files',
    'accept_mutex_delay 100ms': 'nginx+workers=2+accept_mutex+accept_mutex_delay=100ms/files',
    reuseport: 'nginx+workers=2+reuseport/files',
    worker_cpu_affinity: 'nginx+workers=2+worker_cpu_affinity=auto/files',
    'backlog 511': 'nginx+workers=2+backlog=511/files'
  },
  contrasts: [
    ['multi_accept', 'base'],
    ['accept_mutex', 'base'],
    ['accept_mutex_delay 100ms', 'accept_mutex'],
    ['reuseport', 'base'],
    ['worker_cpu_affinity', 'base'],
    ['backlog 511', 'base']
  ],
  cores: 'shared',
  load: { engine: 'wrk', connections: 500, path: '/1kb.json', fresh: true },
  claims: [
    {
      id: 'accept-mutex-delay',
      statement: 'accept_mutex_delay is said to matter, and no difference was seen.',
      published: 'no difference',
      test: { kind: 'flat', arms: ['accept_mutex', 'accept_mutex_delay 100ms'] }
    }
  ]
}
