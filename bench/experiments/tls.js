// Cost of HTTPS for nginx on persistent connections, by the size of the file and the version of TLS, and by worker
// processes.
import { armsBySize, armsByWorkers, contrastsByWorkers, requestSize } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { Size } from '../shared/arm-builders.js' */
/** @import { ExperimentFile } from '../types.js' */

/** @satisfies {Size[]} */
const sizes = ['0 KB', '1 KB', '10 KB', '100 KB']
/** Versions and sizes that are measured by the number of workers. */
const BY_CPU = ['tls 1.2 1 KB', 'tls 1.2 100 KB', 'tls 1.3 1 KB']
/**
 * Returns an arm of a TLS version and a size for each number of workers.
 *
 * @param {'1.2' | '1.3'} version
 * @param {Size} size
 */
const armsOfVersion = (version, size) => armsByWorkers(`tls ${version} ${size}`, workers =>
  requestSize(`nginx${workers}+tls=rsa2048+tls_version=${version}/files`, size))

/** @type {ExperimentFile} */
export default {
  group: 'tls',
  title: 'HTTP and HTTPS by the size of the file',
  question:
    'What does TLS 1.2 with ECDHE-RSA-AES256-GCM-SHA384 cost nginx on connections that are kept, what TLS 1.3, and ' +
    'for which size of file?',
  answer: {
    pairs: [
      ['tls 1.2 1 KB', 'http 1 KB', 'TLS 1.2 for files of 1 KB'],
      ['tls 1.2 100 KB', 'http 100 KB', 'TLS 1.2 for files of 100 KB']
    ],
    names: { 'http 1 KB': 'plain HTTP', 'http 100 KB': 'plain HTTP' }
  },
  source: sources.nginxTesting,
  arms: {
    ...armsBySize(['1 KB', '100 KB'], 'nginx/files', size => `http ${size}`),
    ...armsBySize(sizes, 'nginx+tls=rsa2048+tls_version=1.2/files', size => `tls 1.2 ${size}`),
    ...armsBySize(sizes, 'nginx+tls=rsa2048+tls_version=1.3/files', size => `tls 1.3 ${size}`)
  },
  contrasts: sizes.map(size => [`tls 1.3 ${size}`, `tls 1.2 ${size}`]),
  load: { engine: 'wrk', connections: 50 },
  variants: {
    'by-cpu': {
      title: 'HTTPS by worker processes',
      question:
        'How does what nginx serves over TLS 1.2 and TLS 1.3 grow with its worker processes, for files of 1 ' +
        'and 100 KB?',
      answer: {
        pairs: BY_CPU.map(label => [`${label}, workers 4`, `${label}, workers 1`,
          `nginx with 4 workers over ${label.replace('tls', 'TLS').replace(/(?<=\.\d) /, ' for ')}`]),
        names: Object.fromEntries(BY_CPU.map(label => [`${label}, workers 1`, 'one worker']))
      },
      arms: { ...armsOfVersion('1.2', '1 KB'), ...armsOfVersion('1.2', '100 KB'), ...armsOfVersion('1.3', '1 KB') },
      contrasts: BY_CPU.flatMap(contrastsByWorkers),
      cores: 'shared'
    }
  }
}
