// Settings with a reputation for files, and settings for accepting connections, one at a time, to measure where there
// is no effect.
import { claim } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

const vps = sources.apacheToNginx

/** @type {ExperimentFile} */
export default {
  group: 'settings',
  title: 'nginx settings for files, one change at a time',
  question:
    'Which of the settings that every guide to nginx names changes what it serves, when the clients keep their ' +
    'connections?',
  answer: {
    pairs: [
      ['multi_accept', 'base'],
      ['open_file_cache', 'base'],
      ['no tcp_nopush, no tcp_nodelay', 'base'],
      ['access_log', 'base'],
      ['worker_connections 5000', 'base'],
      ['no gzip, no sendfile', 'no gzip']
    ],
    names: {
      base: 'the base configuration',
      'no tcp_nopush, no tcp_nodelay': 'no tcp_nopush and no tcp_nodelay',
      'no gzip, no sendfile': 'nginx without sendfile',
      'no gzip': 'with it (both without gzip)'
    }
  },
  source: sources.nginxExpress,
  arms: {
    base: 'nginx+gzip/files',
    multi_accept: 'nginx+gzip+multi_accept/files',
    open_file_cache: 'nginx+gzip+open_file_cache/files',
    'no tcp_nopush, no tcp_nodelay': 'nginx+gzip+tcp_nopush=off+tcp_nodelay=off/files',
    access_log: 'nginx+gzip+access_log/files',
    'worker_connections 5000': 'nginx+gzip+connections=5000/files',
    // Without compression, because the kernel cannot send a file that nginx compresses.
    'no gzip': 'nginx/files',
    'no gzip, no sendfile': 'nginx+sendfile=off/files',
    'no gzip, no sendfile, no tcp_nopush': 'nginx+sendfile=off+tcp_nopush=off/files'
  },
  contrasts: [['no gzip, no sendfile, no tcp_nopush', 'no gzip']],
  load: { engine: 'h2load', connections: 1000, path: '/1kb.json', headers: { 'Accept-Encoding': 'gzip' } },
  claims: [
    claim('tuning-multi-accept', { kind: 'flat', arms: ['base', 'multi_accept'] }, '60,604 / 60,156 req/s',
      'multi_accept has no effect.'),
    claim('tuning-open-file-cache', { kind: 'flat', arms: ['base', 'open_file_cache'] }, '60,604 / 59,132 req/s',
      'open_file_cache has no effect.'),
    claim('tuning-tcp', { kind: 'flat', arms: ['base', 'no tcp_nopush, no tcp_nodelay'] }, '60,604 / 59,134 req/s',
      'tcp_nopush and tcp_nodelay have no effect.'),
    claim('tuning-access-log', { kind: 'flat', arms: ['base', 'access_log'] }, '60,604 / 60,307 req/s',
      'Turning the access log off has no effect.'),
    claim('tuning-worker-connections-5000', { kind: 'flat', arms: ['base', 'worker_connections 5000'] },
      'no difference', 'worker_connections 5000 with worker_rlimit_nofile has no effect.', { source: vps }),
    claim('tuning-sendfile', { kind: 'order', arms: ['no gzip', 'no gzip, no sendfile, no tcp_nopush'] },
      'not measured', 'nginx serves more with sendfile and tcp_nopush.', { source: vps })
  ],
  variants: {
    accept: {
      title: 'how nginx takes connections, one change at a time',
      question:
        'Which settings about accepting connections change what two nginx workers serve, when every request comes on ' +
        'a connection of its own?',
      answer: {
        pairs: [
          ['multi_accept', 'base'],
          ['accept_mutex', 'base'],
          ['reuseport', 'base'],
          ['worker_cpu_affinity', 'base'],
          ['backlog 511', 'base']
        ],
        names: { base: 'the base configuration', 'backlog 511': 'a backlog of 511' }
      },
      source: vps,
      arms: {
        base: 'nginx+workers=2/files',
        multi_accept: 'nginx+workers=2+multi_accept/files',
        accept_mutex: 'nginx+workers=2+accept_mutex/files',
        'accept_mutex_delay 100ms': 'nginx+workers=2+accept_mutex+accept_mutex_delay=100ms/files',
        reuseport: 'nginx+workers=2+reuseport/files',
        worker_cpu_affinity: 'nginx+workers=2+worker_cpu_affinity=auto/files',
        'backlog 511': 'nginx+workers=2+backlog=511/files'
      },
      contrasts: [['accept_mutex_delay 100ms', 'accept_mutex']],
      cores: 'shared',
      load: { engine: 'wrk', connections: 500, path: '/1kb.json', fresh: true },
      claims: [
        claim('accept-mutex-delay', { kind: 'flat', arms: ['accept_mutex', 'accept_mutex_delay 100ms'] },
          'no difference', 'accept_mutex_delay has no effect.')
      ]
    }
  }
}
