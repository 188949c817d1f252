// Gain of more worker processes, by the size of the file.
import { armsByWorkers, contrastsByWorkers, ratioClaim, requestSize } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { Size } from '../shared/arm-builders.js' */
/** @import { ExperimentFile } from '../types.js' */

/** Numbers of workers and of CPUs. */
const WORKERS = [1, 2, 4]

/**
 * Makes claims that compare each number of workers with one.
 *
 * @param {Record<string, number[]>} published requests per second by size and by WORKERS
 * @returns {NonNullable<ExperimentFile['claims']>}
 */
const growthClaims = published => Object.entries(published).flatMap(([size, figures]) =>
  [1, 2].map(i => ratioClaim(`rps-${size.replace(' KB', 'k')}-x${WORKERS[i]}`,
    [`${size}, workers ${WORKERS[i]}`, `${size}, workers 1`], figures[i] / figures[0],
    `${size}: ${WORKERS[i]} workers serve # times as much as one.`, { needsCores: WORKERS[i] })))

// The published table in two halves.
const responses = growthClaims({ '0 KB': [145551, 249293, 543061], '1 KB': [74091, 131466, 261269] })
const files = growthClaims({ '10 KB': [54684, 102069, 207848], '100 KB': [33125, 62554, 88691] })

/** @param {Size} size */
const armsOfSize = size => armsByWorkers(size, workers => requestSize(`nginx${workers}/files`, size))

/** @type {ExperimentFile} */
export default {
  group: 'processes',
  title: 'requests per second by worker processes, 0 and 1 KB',
  question: 'How does what nginx serves grow with its worker processes, for an empty response and one of 1 KB?',
  answer: {
    pairs: [
      ['0 KB, workers 4', '0 KB, workers 1', 'nginx with 4 workers for an empty response'],
      ['1 KB, workers 4', '1 KB, workers 1', 'nginx with 4 workers for 1 KB']
    ],
    names: { '0 KB, workers 1': 'one worker', '1 KB, workers 1': 'one worker' }
  },
  source: sources.nginxTesting,
  arms: { ...armsOfSize('0 KB'), ...armsOfSize('1 KB') },
  contrasts: [...contrastsByWorkers('0 KB'), ...contrastsByWorkers('1 KB'), ['1 KB, workers 1', '0 KB, workers 1']],
  cores: 'shared',
  load: { engine: 'wrk', connections: 50 },
  claims: [
    ...responses,
    ratioClaim('rps-1k-over-0k', ['1 KB, workers 1', '0 KB, workers 1'], 74091 / 145551,
      'One worker serves # times as many responses of 1 KB as empty ones.')
  ],
  variants: {
    files: {
      title: 'requests per second by worker processes, 10 and 100 KB',
      question: 'How does what nginx serves grow with its worker processes, for files of 10 and 100 KB?',
      answer: {
        pairs: [
          ['10 KB, workers 4', '10 KB, workers 1', 'nginx with 4 workers for 10 KB'],
          ['100 KB, workers 4', '100 KB, workers 1', 'nginx with 4 workers for 100 KB']
        ],
        names: { '10 KB, workers 1': 'one worker', '100 KB, workers 1': 'one worker' }
      },
      arms: { '1 KB, workers 1': requestSize('nginx/files', '1 KB'), ...armsOfSize('10 KB'), ...armsOfSize('100 KB') },
      contrasts: [
        ...contrastsByWorkers('10 KB'),
        ...contrastsByWorkers('100 KB'),
        ['10 KB, workers 1', '1 KB, workers 1'],
        ['100 KB, workers 1', '10 KB, workers 1']
      ],
      claims: [
        ...files,
        ratioClaim('rps-10k-over-1k', ['10 KB, workers 1', '1 KB, workers 1'], 54684 / 74091,
          'One worker serves # times as many files of 10 KB as of 1 KB.'),
        ratioClaim('rps-100k-over-10k', ['100 KB, workers 1', '10 KB, workers 1'], 33125 / 54684,
          'One worker serves # times as many files of 100 KB as of 10 KB.')
      ]
    }
  }
}
