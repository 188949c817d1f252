// The second half of the published table: gain of more worker processes for files of 10 and 100 KB.
import { growthClaims } from '../shared/growth-claims.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

const source = sources.nginxTesting

const { growth, beyond } = growthClaims(source, 'files', {
  '10 KB': [54684, 102069, 207848, 392151, 663921, 774567, 764744],
  '100 KB': [33125, 62554, 88691, 91640, 91623, 91640, 91655]
})

/** @type {ExperimentFile} */
export default {
  group: 'processes',
  title: 'requests per second by worker processes, 10 and 100 KB',
  question: 'How does what nginx serves grow with its worker processes, for files of 10 and 100 KB?',
  source,
  arms: {
    '1 KB, workers 1': { topology: 'nginx/files', load: { path: '/1k.bin' } },
    '10 KB, workers 1': { topology: 'nginx/files', load: { path: '/10k.bin' } },
    '10 KB, workers 2': { topology: 'nginx+workers=2/files', load: { path: '/10k.bin' } },
    '10 KB, workers 4': { topology: 'nginx+workers=4/files', load: { path: '/10k.bin' } },
    '100 KB, workers 1': 'nginx/files',
    '100 KB, workers 2': 'nginx+workers=2/files',
    '100 KB, workers 4': 'nginx+workers=4/files'
  },
  contrasts: [
    ['10 KB, workers 2', '10 KB, workers 1'],
    ['10 KB, workers 4', '10 KB, workers 1'],
    ['100 KB, workers 2', '100 KB, workers 1'],
    ['100 KB, workers 4', '100 KB, workers 1'],
    ['10 KB, workers 1', '1 KB, workers 1'],
    ['100 KB, workers 1', '10 KB, workers 1']
  ],
  cores: 'shared',
  load: { engine: 'wrk', connections: 50, path: '/100k.bin' },
  claims: [
    ...growth,
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
    ...beyond,
    {
      id: 'rps-larger-is-flatter',
      statement: 'The larger the file, the flatter the line over the number of CPUs.',
      published: 'from 1 to 4 CPUs: 0 KB 3.73 times, 1 KB 3.53, 10 KB 3.80, 100 KB 2.68',
      notTestable:
        'it sets one growth against another, which is a ratio of ratios and has no interval of its own here; each ' +
        'growth stands beside it',
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
