// Does the distance between nginx and Node shrink as files grow?
import { requestSize } from '../shared/arm-builders.js'

/** @import { Size } from '../shared/arm-builders.js' */
/** @import { ExperimentFile } from '../types.js' */

/** @satisfies {Size[]} */
const sizes = ['0 B', '1 KB', '10 KB', '100 KB', '1 MB']

/** @type {ExperimentFile} */
export default {
  group: 'files',
  title: 'files from nothing to 1 MB',
  question: 'How does the distance between nginx and a Node server change with the size of the file?',
  answer: {
    pairs: [
      ['sirv 1 KB', 'nginx 1 KB', 'sirv with 1 KB'],
      ['sirv 10 KB', 'nginx 10 KB', 'sirv with 10 KB'],
      ['sirv 100 KB', 'nginx 100 KB', 'sirv with 100 KB'],
      ['sirv 1 MB', 'nginx 1 MB', 'sirv with 1 MB']
    ],
    names: Object.fromEntries(sizes.map(size => [`nginx ${size}`, 'nginx']))
  },
  arms: Object.fromEntries(sizes.flatMap(size => [
    [`nginx ${size}`, requestSize('nginx/files', size)],
    [`sirv ${size}`, requestSize('sirv', size)]
  ])),
  contrasts: sizes.map(size => [`sirv ${size}`, `nginx ${size}`]),
  load: { engine: 'wrk', connections: 100 }
}
