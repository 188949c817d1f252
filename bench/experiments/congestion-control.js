// Effect of TCP congestion control on the loopback: private networks have cubic, and some machines have BBR.
import { requestSize } from '../shared/arm-builders.js'
import { CONGESTION_CONTROL } from '../shared/congestion-control.js'

/** @import { Size } from '../shared/arm-builders.js' */
/** @import { ExperimentFile } from '../types.js' */

/** @type {(topology: string, size: Size) => ExperimentFile['arms'][string]} */
const underBbr = (topology, size) =>
  ({ ...requestSize(topology, size), lab: { sysctl: { [CONGESTION_CONTROL]: 'bbr' } } })

/** @type {ExperimentFile} */
export default {
  group: 'settings',
  title: 'TCP congestion control: cubic or BBR, for files of 100 KB and 1 MB',
  question: 'What does BBR in place of cubic change on the loopback, and does it hide what sendfile saves?',
  answer: {
    pairs: [
      ['100 KB, bbr', '100 KB', 'BBR for 100 KB'],
      ['1 MB, bbr', '1 MB', 'BBR for 1 MB'],
      ['1 MB, no sendfile, bbr', '1 MB, no sendfile', 'BBR for 1 MB without sendfile']
    ],
    names: { '100 KB': 'cubic', '1 MB': 'cubic', '1 MB, no sendfile': 'cubic' }
  },
  arms: {
    '100 KB': requestSize('nginx/files', '100 KB'),
    '100 KB, bbr': underBbr('nginx/files', '100 KB'),
    '1 MB': requestSize('nginx/files', '1 MB'),
    '1 MB, bbr': underBbr('nginx/files', '1 MB'),
    '1 MB, no sendfile': requestSize('nginx+sendfile=off/files', '1 MB'),
    '1 MB, no sendfile, bbr': underBbr('nginx+sendfile=off/files', '1 MB')
  },
  contrasts: [['1 MB, no sendfile', '1 MB'], ['1 MB, no sendfile, bbr', '1 MB, bbr']],
  load: { engine: 'wrk', connections: 100 }
}
