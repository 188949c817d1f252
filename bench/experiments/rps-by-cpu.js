// Gain of more worker processes for an empty file and one of 1 KB.
import { growthClaims } from '../shared/growth-claims.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

const source = sources.nginxTesting

const { growth, beyond } = growthClaims(source, 'responses', {
  '0 KB': [145551, 249293, 543061, 1048421, 2001846, 3019182, 3298511],
  '1 KB': [74091, 131466, 261269, 524745, 972382, 1316362, 1309358]
})

/** @type {ExperimentFile} */
export default {
  group: 'processes',
  title: 'requests per second by worker processes, 0 and 1 KB',
  question: 'How does what nginx serves grow with its worker processes, for an empty response and one of 1 KB?',
  source,
  arms: {
    '0 KB, workers 1': { topology: 'nginx/files', load: { path: '/0.bin' } },
    '0 KB, workers 2': { topology: 'nginx+workers=2/files', load: { path: '/0.bin' } },
    '0 KB, workers 4': { topology: 'nginx+workers=4/files', load: { path: '/0.bin' } },
    '1 KB, workers 1': 'nginx/files',
    '1 KB, workers 2': 'nginx+workers=2/files',
    '1 KB, workers 4': 'nginx+workers=4/files'
  },
  contrasts: [
    ['0 KB, workers 2', '0 KB, workers 1'],
    ['0 KB, workers 4', '0 KB, workers 1'],
    ['1 KB, workers 2', '1 KB, workers 1'],
    ['1 KB, workers 4', '1 KB, workers 1'],
    ['1 KB, workers 1', '0 KB, workers 1']
  ],
  cores: 'shared',
  load: { engine: 'wrk', connections: 50, path: '/1k.bin' },
  claims: [
    ...growth,
    {
      id: 'rps-1k-over-0k',
      statement: 'On one CPU nginx serves 0.51 times as many responses of 1 KB as empty ones (74,091 / 145,551 req/s).',
      published: 74091 / 145551,
      test: { kind: 'ratio', arm: '1 KB, workers 1', baseline: '0 KB, workers 1' }
    },
    ...beyond,
    {
      id: 'rps-flattens',
      statement: 'Growth flattens past 16 CPUs.',
      published: 'from 16 to 36 CPUs: 0 KB 1.65 times, 1 KB 1.35, 10 KB 1.15, 100 KB 1.00',
      notTestable: 'it takes more than 16 CPUs for nginx and as many for the load',
      test: { kind: 'flat', arms: ['1 KB, workers 1', '1 KB, workers 4'] }
    },
    {
      id: 'rps-32-as-36',
      statement: '32 CPUs do as well as 36 for responses of 1 and 10 KB.',
      published: '1,316,362 / 1,309,358 and 774,567 / 764,744 req/s',
      notTestable: 'it takes 36 CPUs for nginx and as many for the load',
      test: { kind: 'flat', arms: ['1 KB, workers 1', '1 KB, workers 4'] }
    },
    {
      id: 'price-for-performance',
      statement:
        "nginx on a company's own servers is up to 83 % cheaper for what it serves than three appliances, 80 to 84 % " +
        'in the first year.',
      published: 'up to 83 %, 80 to 84 %',
      notTestable:
        'it compares prices of 2017 with appliances that are not here; hopbench size divides prices of today by ' +
        'what was measured',
      test: { kind: 'order', arms: ['1 KB, workers 4', '1 KB, workers 1'] }
    },
    {
      id: 'price-instances',
      statement: 'An instance serves 1.2 million requests per second, two about 2.5 million.',
      published: '1.2 and 2.5 million req/s',
      notTestable: 'it is about servers with 36 CPUs and two links of 40 Gbit/s',
      test: { kind: 'order', arms: ['1 KB, workers 4', '1 KB, workers 1'] }
    }
  ]
}
