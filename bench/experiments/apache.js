// nginx against Apache prefork with a fixed number of processes, and against Apache's event, step by step up to the
// first errors.
import { count } from '../shared/format.js'
import { claim, ratioClaim } from '../shared/arm-builders.js'
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

const ratios = Object.entries(preforks).flatMap(([arm, figures]) => figures.map((figure, step) =>
  ratioClaim(`${arm.replace(' ', '-')}-c${steps[step]}`, [`nginx c${steps[step]}`, `${arm} c${steps[step]}`],
    nginx[step] / figure, `At ${count(steps[step])} connections nginx serves # times as much as Apache with ` +
      `${count(Number(arm.split(' ')[1]))} processes.`)))

const decline = nginx.slice(1).map((figure, i) =>
  ratioClaim(`nginx-c${steps[i + 1]}`, [`nginx c${steps[i + 1]}`, 'nginx c100'], figure / nginx[0],
    `At ${count(steps[i + 1])} connections nginx serves # times as much as at 100.`))

const limits = Object.entries(preforks).map(([arm, figures]) => {
  const connections = steps[figures.length]
  return claim(`${arm.replace(' ', '-')}-errors`, { kind: 'first-error-at', arm, connections },
    `errors at ${count(connections)}`, `Apache with ${count(Number(arm.split(' ')[1]))} processes shows its first ` +
      `errors at ${count(connections)} connections.`)
})

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
    ...Object.fromEntries(Object.keys(preforks).map(name =>
      [name, `apache+mpm=prefork+processes=${name.split(' ')[1]}+gzip/files`])),
    event: 'apache+mpm=event+gzip/files'
  },
  contrasts: [
    ...Object.keys(preforks).map(name => /** @type {[string, string]} */ ([`${name} c100`, 'nginx c100'])),
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
    claim('nginx-holds-10000', { kind: 'first-error-at', arm: 'nginx', connections: null }, 'no errors up to 10,000',
      'nginx with worker_connections 8192 holds 10,000 connections without an error.'),
    ...limits,
    claim('apache-errors-beyond-processes', { kind: 'first-error-at', arm: 'prefork 5000', connections: 10000 },
      'errors beyond 5,000',
      'Apache fails once there are more connections than processes: with 5,000 at 10,000 connections.'),
    claim('too-many-processes', { kind: 'order', arms: ['prefork 500 c500', 'prefork 5000 c500'] },
      '34,429 / 30,705 req/s', 'At 500 connections Apache serves more with 500 processes than with 5,000.'),
    ...ratios,
    ...decline
  ]
}
