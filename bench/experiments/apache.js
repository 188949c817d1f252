// nginx against Apache prefork with a fixed number of processes, and against Apache's event, step by step up to the
// first errors.
import { count } from '../shared/format.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

const steps = [100, 500, 1000, 5000, 10000]

/** Published requests per second, for each step without errors. */
const published = {
  nginx: [64050, 63556, 61421, 54867, 44350],
  'prefork 500': [34659, 34429],
  'prefork 1000': [34504, 31149, 28140],
  'prefork 3000': [34570, 30769, 28364],
  'prefork 5000': [32829, 30705]
}
const { nginx, ...preforks } = published
/** Returns the step after the last one without errors. @param {number[]} reached */
const firstErrors = reached => steps[reached.length]

/** @type {NonNullable<ExperimentFile['claims']>} */
const ratios = Object.entries(preforks).flatMap(([arm, figures]) =>
  figures.map((figure, step) => ({
    id: `${arm.replace(' ', '-')}-c${steps[step]}`,
    statement:
      `At ${count(steps[step])} connections nginx serves ${(nginx[step] / figure).toFixed(2)} times as much as ` +
      `Apache with ${count(Number(arm.split(' ')[1]))} processes.`,
    published: nginx[step] / figure,
    test: { kind: 'ratio', arm: `nginx c${steps[step]}`, baseline: `${arm} c${steps[step]}` }
  }))
)

/** @type {NonNullable<ExperimentFile['claims']>} */
const decline = nginx.slice(1).map((figure, i) => ({
  id: `nginx-c${steps[i + 1]}`,
  statement:
    `At ${count(steps[i + 1])} connections nginx serves ${(figure / nginx[0]).toFixed(2)} times as much as at 100.`,
  published: figure / nginx[0],
  test: { kind: 'ratio', arm: `nginx c${steps[i + 1]}`, baseline: 'nginx c100' }
}))

/** @type {NonNullable<ExperimentFile['claims']>} */
const limits = Object.entries(preforks).map(([arm, figures]) => ({
  id: `${arm.replace(' ', '-')}-errors`,
  statement:
    `Apache with ${count(Number(arm.split(' ')[1]))} processes shows its first errors at ` +
    `${count(firstErrors(figures))} connections.`,
  published: `errors at ${count(firstErrors(figures))}`,
  test: { kind: 'first-error-at', arm, connections: firstErrors(figures) }
}))

/** @type {ExperimentFile} */
export default {
  group: 'load',
  title: 'nginx against Apache, up to the first errors',
  question:
    'How many connections do nginx and Apache hold without an error, and how much do they serve on the way there?',
  answer: { by: 'first-errors' },
  source: sources.nginxExpress,
  arms: {
    // Fewer than two workers cannot hold 10,000 connections with the published worker_connections.
    nginx: 'nginx+workers=2+connections=8192+gzip/files',
    'prefork 500': 'apache+mpm=prefork+processes=500+gzip/files',
    'prefork 1000': 'apache+mpm=prefork+processes=1000+gzip/files',
    'prefork 3000': 'apache+mpm=prefork+processes=3000+gzip/files',
    'prefork 5000': 'apache+mpm=prefork+processes=5000+gzip/files',
    event: 'apache+mpm=event+gzip/files'
  },
  contrasts: [
    ['prefork 500 c100', 'nginx c100'],
    ['prefork 1000 c100', 'nginx c100'],
    ['prefork 3000 c100', 'nginx c100'],
    ['prefork 5000 c100', 'nginx c100'],
    ['event c100', 'nginx c100'],
    ['prefork 500 c500', 'nginx c500'],
    ['prefork 5000 c500', 'prefork 500 c500'],
    ['prefork 1000 c1000', 'nginx c1000'],
    ['event c1000', 'nginx c1000'],
    ['event c10000', 'nginx c10000']
  ],
  protocol: 'ladder',
  steps,
  // Longer than the retransmission of a connect, so that a client without a response at the end is an error.
  windowSeconds: { full: 6, quick: 2 },
  // Ten contrasts need nine blocks of 200 s each for intervals.
  budgetSeconds: 2100,
  errorsAreResults: true,
  load: { engine: 'h2load', path: '/1kb.json', headers: { 'Accept-Encoding': 'gzip' } },
  claims: [
    {
      id: 'nginx-holds-10000',
      statement: 'nginx with worker_connections 8192 holds 10,000 connections without an error.',
      published: 'no errors up to 10,000',
      test: { kind: 'first-error-at', arm: 'nginx', connections: null }
    },
    ...limits,
    {
      id: 'apache-errors-beyond-processes',
      statement: 'Apache fails once there are more connections than processes: with 5,000 at 10,000 connections.',
      published: 'errors beyond 5,000',
      test: { kind: 'first-error-at', arm: 'prefork 5000', connections: 10000 }
    },
    {
      id: 'too-many-processes',
      statement: 'At 500 connections Apache serves more with 500 processes than with 5,000.',
      published: '34,429 / 30,705 req/s',
      test: { kind: 'order', arms: ['prefork 500 c500', 'prefork 5000 c500'] }
    },
    ...ratios,
    ...decline
  ]
}
