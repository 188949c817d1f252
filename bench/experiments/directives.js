// Which directives of nginx matter for files? Each is compared with one base configuration at the same file.
import { armsBySize, MANY_FILES, requestSize } from '../shared/arm-builders.js'

/** @import { Size } from '../shared/arm-builders.js' */
/** @import { ExperimentFile } from '../types.js' */

/** @satisfies {Size[]} */
const SIZES = ['1 KB', '10 KB', '100 KB', '1 MB']
/** @type {(options: string) => { topology: string, load: { path: string, paths: string[] } }} */
const requestMany = options => ({ topology: `nginx${options}/files`, load: { path: MANY_FILES[0], paths: MANY_FILES } })

/** @type {ExperimentFile} */
export default {
  group: 'settings',
  title: 'nginx directives for files: access log, open_file_cache and sendfile',
  question:
    'What do an access log, a buffered one, open_file_cache with one file and with 1,000, and sendfile by the size ' +
    'of the file change?',
  answer: {
    pairs: [
      ['access_log', '1 KB'],
      ['access_log buffered', '1 KB'],
      ['open_file_cache', '1 KB'],
      ['1,000 files, open_file_cache', '1,000 files'],
      ...SIZES.flatMap(size => /** @type {[string, string][]} */ (
        [[`${size}, no tcp_nopush`, size], [`${size}, no sendfile`, `${size}, no tcp_nopush`]]))
    ],
    names: { '1 KB': 'the base configuration' }
  },
  arms: {
    ...armsBySize(SIZES, 'nginx/files', size => size),
    // Separates the two, because tcp_nopush has an effect only with sendfile.
    ...armsBySize(SIZES, 'nginx+tcp_nopush=off/files', size => `${size}, no tcp_nopush`),
    ...armsBySize(SIZES, 'nginx+sendfile=off/files', size => `${size}, no sendfile`),
    access_log: requestSize('nginx+access_log/files', '1 KB'),
    'access_log buffered': requestSize('nginx+access_log+access_log_buffer/files', '1 KB'),
    open_file_cache: requestSize('nginx+open_file_cache/files', '1 KB'),
    '1,000 files': requestMany(''),
    '1,000 files, open_file_cache': requestMany('+open_file_cache')
  },
  contrasts: SIZES.map(size => [`${size}, no sendfile`, size]),
  budgetSeconds: { full: 400, quick: 160 },
  load: { engine: 'h2load', connections: 100 }
}
