// Cost and gain of gzip in nginx for a file of 1 KB.
import { claim, ratioClaim } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'compression',
  title: 'gzip on and off, 1 KB from nginx',
  question: 'What does compressing a file of 1 KB on the fly cost nginx, and what does it save on the wire?',
  answer: {
    pairs: [['on', 'off', 'compressing 1 KB at level 1'], ['level 6', 'on', 'compressing it at level 6']],
    names: { off: 'no compression', on: 'level 1' }
  },
  source: sources.nginxExpress,
  arms: { off: 'nginx/files', on: 'nginx+gzip/files', 'level 6': 'nginx+gzip+gzip_comp_level=6/files' },
  contrasts: [],
  load: { engine: 'h2load', connections: 100, path: '/1kb.json', headers: { 'Accept-Encoding': 'gzip' } },
  claims: [
    ratioClaim('gzip-on-over-off', ['on', 'off'], 61616 / 44829, 'With gzip nginx serves # times as much as without.'),
    claim('gzip-cpu', { kind: 'ratio', arm: 'on', baseline: 'off', of: 'cpu' }, (70 / 61616) / (10 / 44829),
      'A response takes 5.09 times as much CPU time with gzip.')
  ]
}
