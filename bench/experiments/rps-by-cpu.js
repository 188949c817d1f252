// Gain of more worker processes, by the size of the file.
import { armsByWorkers, contrastsByWorkers, requestSize } from '../shared/arm-builders.js'
import { growthClaims } from '../shared/growth-claims.js'
import { sources } from '../shared/sources.js'

/** @import { Size } from '../shared/arm-builders.js' */
/** @import { ExperimentFile } from '../types.js' */

// The published table in two halves.
const responses = growthClaims('responses', {
  '0 KB': [145551, 249293, 543061, 1048421, 2001846, 3019182, 3298511],
  '1 KB': [74091, 131466, 261269, 524745, 972382, 1316362, 1309358]
})
const files = growthClaims('files', {
  '10 KB': [54684, 102069, 207848, 392151, 663921, 774567, 764744],
  '100 KB': [33125, 62554, 88691, 91640, 91623, 91640, 91655]
})

/** @param {Size} size */
const armsOfSize = size => armsByWorkers(size, workers => requestSize(`nginx${workers}/files`, size))

/** @type {ExperimentFile} */
export default {
  group: 'processes',
  title: 'requests per second by worker processes, 0 and 1 KB',
  question: 'How does what nginx serves grow with its worker processes, for an empty response and one of 1 KB?',
  answer: {
    subject: 'nginx with 4 workers in place of one',
    pairs: [
      ['0 KB, workers 4', '0 KB, workers 1', 'for an empty response'],
      ['1 KB, workers 4', '1 KB, workers 1', 'for 1 KB']
    ]
  },
  source: sources.nginxTesting,
  arms: { ...armsOfSize('0 KB'), ...armsOfSize('1 KB') },
  contrasts: [
    ...contrastsByWorkers('0 KB'),
    ...contrastsByWorkers('1 KB'),
    ['1 KB, workers 1', '0 KB, workers 1']
  ],
  cores: 'shared',
  load: { engine: 'wrk', connections: 50 },
  claims: [
    ...responses.growth,
    {
      id: 'rps-1k-over-0k',
      statement: 'On one CPU nginx serves 0.51 times as many responses of 1 KB as empty ones (74,091 / 145,551 req/s).',
      published: 74091 / 145551,
      test: { kind: 'ratio', arm: '1 KB, workers 1', baseline: '0 KB, workers 1' }
    },
    ...responses.beyond,
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
  ],
  variants: {
    files: {
      title: 'requests per second by worker processes, 10 and 100 KB',
      question: 'How does what nginx serves grow with its worker processes, for files of 10 and 100 KB?',
      answer: {
        subject: 'nginx with 4 workers in place of one',
        pairs: [
          ['10 KB, workers 4', '10 KB, workers 1', 'for 10 KB'],
          ['100 KB, workers 4', '100 KB, workers 1', 'for 100 KB']
        ]
      },
      arms: {
        '1 KB, workers 1': requestSize('nginx/files', '1 KB'),
        ...armsOfSize('10 KB'),
        ...armsOfSize('100 KB')
      },
      contrasts: [
        ...contrastsByWorkers('10 KB'),
        ...contrastsByWorkers('100 KB'),
        ['10 KB, workers 1', '1 KB, workers 1'],
        ['100 KB, workers 1', '10 KB, workers 1']
      ],
      claims: [
        ...files.growth,
        {
          id: 'rps-10k-over-1k',
          statement: 'On one CPU nginx serves 0.74 times as many files of 10 KB as of 1 KB (54,684 / 74,091 req/s).',
          published: 54684 / 74091,
          test: { kind: 'ratio', arm: '10 KB, workers 1', baseline: '1 KB, workers 1' }
        },
        {
          id: 'rps-100k-over-10k',
          statement: 'On one CPU nginx serves 0.61 times as many files of 100 KB as of 10 KB (33,125 / 54,684 req/s).',
          published: 33125 / 54684,
          test: { kind: 'ratio', arm: '100 KB, workers 1', baseline: '10 KB, workers 1' }
        },
        ...files.beyond,
        {
          id: 'rps-larger-is-flatter',
          statement: 'The larger the file, the flatter the line over the number of CPUs.',
          published: 'from 1 to 4 CPUs: 0 KB 3.73 times, 1 KB 3.53, 10 KB 3.80, 100 KB 2.68',
          notTestable:
            'it sets one growth against another, which is a ratio of ratios and has no interval of its own here; ' +
            'each growth stands beside it',
          test: { kind: 'ratio', arm: '100 KB, workers 4', baseline: '100 KB, workers 1' }
        },
        {
          id: 'rps-link-full',
          statement: 'Files of 100 KB fill the link from 8 CPUs on.',
          published: '91,640 / 91,623 / 91,640 / 91,655 req/s for 8, 16, 32 and 36 CPUs',
          notTestable: 'it is the limit of two links of 40 Gbit/s, and the loopback has none of that kind',
          test: { kind: 'flat', arms: ['100 KB, workers 1', '100 KB, workers 4'] }
        }
      ]
    }
  }
}
