/** Questions about proxies and their directives: data. */

/** @import { Question } from './questions.js' */

/** Properties of the question about directives with either experiment. @satisfies {Partial<Question>} */
const DIRECTIVES = {
  id: 'directives',
  question: 'Which nginx directives matter for files?',
  by: /** @type {const} */ ('every'),
  dependsOn: 'the size of the files, above all for sendfile, the number of connections, and TLS, which is off here. ' +
    'The files are in the page cache of the kernel. open_file_cache serves a file that was replaced or deleted from ' +
    'its open descriptor until open_file_cache_valid has passed',
  note: 'Larger effects are in other answers: a pool of upstream connections (transport), a cache (cache) and files ' +
    'compressed ahead (compression).',
  configuration: 'nginx+open_file_cache/files',
  pages: ['tuning.md']
}

/** @type {Question[]} */
export const ABOUT_PROXIES = [
  {
    id: 'proxy',
    question: 'Which proxy?',
    experiment: 'proxies',
    by: 'choice',
    pairs: [['haproxy uds-keepalive', 'nginx uds-keepalive'], ['apache uds-keepalive', 'nginx uds-keepalive'],
      ['caddy uds-keepalive', 'nginx uds-keepalive'], ['varnish uds-keepalive', 'nginx uds-keepalive'],
      ['nginx uds-keepalive', 'direct']],
    names: {
      'haproxy uds-keepalive': 'HAProxy',
      'varnish uds-keepalive': 'Varnish without its cache',
      'apache uds-keepalive': 'Apache',
      'caddy uds-keepalive': 'Caddy',
      'nginx uds-keepalive': 'nginx',
      direct: 'the app alone'
    },
    sentences: 3,
    costs: {
      arms: ['direct', 'nginx uds-keepalive', 'haproxy uds-keepalive', 'apache uds-keepalive', 'caddy uds-keepalive'],
      when: 'at full load, over a pooled Unix socket, with an app of 0.1 ms',
      addedMicros: 1000
    },
    second: {
      experiment: 'app-weight',
      costs: {
        arms: ['direct 1 ms', 'uds-keepalive 1 ms'],
        when: 'over a pooled Unix socket with an app of 1 ms, at whose lower rate each request wakes nginx',
        hasShares: true
      },
      names: { 'direct 1 ms': 'the app alone', 'uds-keepalive 1 ms': 'nginx' }
    },
    dependsOn: 'the transport: the table has all three, and over pooled TCP, the only one to another host, HAProxy ' +
      'and nginx are not separated either; its other work (cache, TLS, HTTP/2), its version, the rate of requests, ' +
      'the machine (app-weight); its cores: proxy and app share one here, and threads on several cores are not ' +
      'compared; and its counters: Caddy is measured with its metrics on, at a cost that was not measured and that ' +
      'its recommended configuration does not have',
    configuration: 'nginx:uds-keepalive/express-json',
    pages: ['proxies.md']
  },
  {
    id: 'ingress',
    question: 'What do Envoy and Traefik cost beside nginx?',
    experiment: 'proxies-ingress',
    by: 'choice',
    pairs: [['envoy keepalive', 'nginx keepalive'], ['traefik keepalive', 'nginx keepalive'],
      ['envoy uds-keepalive', 'nginx uds-keepalive'], ['envoy uds-keepalive', 'envoy keepalive'],
      ['nginx keepalive', 'direct']],
    names: {
      direct: 'the app alone',
      'nginx keepalive': 'nginx',
      'envoy keepalive': 'Envoy',
      'traefik keepalive': 'Traefik',
      'nginx uds-keepalive': 'nginx over a pooled Unix socket',
      'envoy uds-keepalive': 'Envoy over a pooled Unix socket'
    },
    sentences: 2,
    costs: {
      arms: ['direct', 'nginx keepalive', 'envoy keepalive', 'traefik keepalive'],
      when: 'at full load, over pooled TCP, with an app of 0.1 ms',
      addedMicros: 1000
    },
    note: 'Envoy and Traefik are builds of a third party, because their projects have none in a package registry: ' +
      'nothing is recommended from them (proxies.md).',
    dependsOn: 'their other work (TLS, HTTP/2, mutual TLS, retries), the options that they are built with, how often ' +
      'routes change, their cores: proxy and app share one here; and their counters: Traefik is measured with its ' +
      'metrics on, at a cost that was not measured and that its recommended configuration does not have',
    configuration: 'nginx:keepalive/express-json',
    pages: ['proxies.md']
  },
  {
    ...DIRECTIVES,
    experiment: 'directives',
    base: 'sendfile on, no access log and no open_file_cache',
    beside: { access_log: 'access_log buffered' },
    bySize: {
      directive: 'sendfile',
      without: ['1 KB, no sendfile', '10 KB, no sendfile', '100 KB, no sendfile', '1 MB, no sendfile']
    },
    names: {
      access_log: 'access_log on',
      'access_log buffered': 'a buffer of 64 KB for it',
      open_file_cache: 'open_file_cache and one file',
      '1,000 files, open_file_cache': 'open_file_cache and 1,000 files',
      '1 KB, no sendfile': 'sendfile off and files of 1 KB',
      '10 KB, no sendfile': 'sendfile off and files of 10 KB',
      '100 KB, no sendfile': 'sendfile off and files of 100 KB',
      '1 MB, no sendfile': 'sendfile off and files of 1 MB'
    },
    fallback: {
      ...DIRECTIVES,
      experiment: 'tuning',
      names: {
        access_log: 'access_log on',
        'no tcp_nopush, no tcp_nodelay': 'tcp_nopush and tcp_nodelay off',
        'no gzip, no sendfile': 'sendfile off, where nothing is compressed',
        'no gzip, no sendfile, no tcp_nopush': 'sendfile and tcp_nopush off, where nothing is compressed'
      }
    }
  }
]
