// gzip and Brotli on the fly at several levels, against files that were compressed before: the cost of each response.
import { claim } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

const gzip = { headers: { 'Accept-Encoding': 'gzip' } }
const br = { headers: { 'Accept-Encoding': 'br' } }

/** @type {ExperimentFile} */
export default {
  title: 'gzip and Brotli, on the fly and before',
  question:
    'What does an HTML page of 8.5 KB cost nginx and Node when it is compressed for every request with gzip or ' +
    'Brotli at several levels, and what when it was compressed before?',
  answer: {
    pairs: [['nginx brotli 4', 'nginx gzip 6'], ['nginx before', 'nginx plain'], ['Node brotli 4', 'Node gzip 6']],
    names: {
      'nginx brotli 4': 'nginx with Brotli at level 4',
      'nginx gzip 6': 'with gzip at level 6',
      'nginx before': 'nginx with a file compressed before',
      'nginx plain': 'without compression',
      'Node brotli 4': 'Node with Brotli at level 4',
      'Node gzip 6': 'with gzip at level 6'
    }
  },
  source: sources.universalDeploy,
  group: 'compression',
  arms: {
    'nginx plain': 'nginx/files',
    'nginx gzip 6': { topology: 'nginx+gzip+gzip_comp_level=6/files', load: gzip },
    'nginx brotli 4': { topology: 'nginx+brotli+brotli_comp_level=4/files', load: br },
    'nginx brotli 6': { topology: 'nginx+brotli/files', load: br },
    'nginx brotli 11': { topology: 'nginx+brotli+brotli_comp_level=11/files', load: br },
    'nginx before': { topology: 'nginx+brotli_static/files', load: br },
    'Node gzip 6': { topology: 'connect-compression', load: gzip },
    'Node brotli 4': { topology: 'connect-compression', load: br },
    'Node brotli 11': { topology: 'connect-compression+brotli_comp_level=11', load: br },
    'Node before': { topology: 'sirv', load: br }
  },
  contrasts: [
    ['nginx brotli 6', 'nginx gzip 6'],
    ['nginx brotli 4', 'nginx brotli 11'],
    ['nginx before', 'nginx brotli 4'],
    ['Node brotli 4', 'Node brotli 11'],
    ['Node before', 'Node brotli 4']
  ],
  load: { engine: 'wrk', connections: 20, path: '/page.html' },
  claims: [
    claim('brotli-11-over-4', { kind: 'ratio', arm: 'Node brotli 4', baseline: 'Node brotli 11', tolerance: 2 },
      486.4 / 22.6, 'For 126 KB (here 8.5 KB) Brotli at level 4 serves 21.5 times as much as at level 11.')
  ]
}
