// Bytes per second of large files, with and without sendfile.
import { armsBySize, claim } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { Size } from '../shared/arm-builders.js' */
/** @import { ExperimentFile } from '../types.js' */

/** @satisfies {Size[]} */
const sizes = ['100 KB', '1 MB', '10 MB']

/** @type {ExperimentFile} */
export default {
  group: 'files',
  title: 'throughput of large files, sendfile on and off',
  question: 'How many bytes per second does nginx send of files of 100 KB, 1 MB and 10 MB, and what does sendfile add?',
  answer: {
    pairs: [
      ['100 KB, no sendfile', '100 KB', 'no sendfile for 100 KB'],
      ['1 MB, no sendfile', '1 MB', 'no sendfile for 1 MB'],
      ['10 MB, no sendfile', '10 MB', 'no sendfile for 10 MB']
    ],
    names: Object.fromEntries(sizes.map(size => [size, 'sendfile']))
  },
  source: sources.nginxTesting,
  arms: {
    ...armsBySize(sizes, 'nginx/files', size => size),
    ...armsBySize(sizes, 'nginx+sendfile=off/files', size => `${size}, no sendfile`)
  },
  contrasts: [['1 MB', '100 KB'], ['10 MB', '1 MB']],
  unit: 'bytes',
  load: { engine: 'wrk', connections: 50 },
  claims: [
    claim('throughput-sendfile', { kind: 'order', arms: ['1 MB', '1 MB, no sendfile'] }, 'not measured',
      'nginx serves more files of 1 MB with sendfile.', { source: sources.apacheToNginx })
  ]
}
