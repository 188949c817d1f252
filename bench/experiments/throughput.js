// Bytes per second of large files, with and without sendfile.
import { armsBySize } from '../shared/arm-builders.js'
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
    subject: 'nginx without sendfile',
    pairs: [
      ['100 KB, no sendfile', '100 KB', 'for 100 KB'],
      ['1 MB, no sendfile', '1 MB', 'for 1 MB'],
      ['10 MB, no sendfile', '10 MB', 'for 10 MB']
    ]
  },
  source: sources.nginxTesting,
  arms: {
    ...armsBySize(sizes, 'nginx/files', size => size),
    ...armsBySize(sizes, 'nginx+sendfile=off/files', size => `${size}, no sendfile`)
  },
  contrasts: [
    ['1 MB', '100 KB'],
    ['10 MB', '1 MB'],
    ['100 KB, no sendfile', '100 KB'],
    ['1 MB, no sendfile', '1 MB'],
    ['10 MB, no sendfile', '10 MB']
  ],
  unit: 'bytes',
  load: { engine: 'wrk', connections: 50 },
  claims: [
    {
      id: 'throughput-link',
      statement: 'Files of 100 KB come to about 75 Gbit/s, which is what two links of 40 Gbit/s carry.',
      published: '91,655 responses of 100 KB per second',
      notTestable:
        'it is the limit of the links, and the loopback has none of that kind; the throughput table shows what one ' +
        'core copies',
      test: { kind: 'flat', arms: ['100 KB', '1 MB'] }
    },
    {
      id: 'throughput-sendfile',
      source: sources.apacheToNginx,
      statement: 'sendfile changes the speed of files overwhelmingly: 1 MB comes faster with it.',
      published: 'not measured',
      test: { kind: 'order', arms: ['1 MB', '1 MB, no sendfile'] }
    }
  ]
}
