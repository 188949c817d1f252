// Do more worker processes serve more, also beyond the number of cores?
import { claim, ratioClaim } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'processes',
  title: 'worker_processes 1, 4 and 16, gzip on and off',
  question:
    'What do more nginx worker processes bring for a file of 1 KB, with and without compression, and beyond the ' +
    'number of cores?',
  answer: {
    pairs: [['workers 4', 'workers 1'], ['workers 16', 'workers 4'], ['gzip, workers 4', 'gzip, workers 1']],
    names: {
      'workers 1': 'with one',
      'workers 4': 'nginx with 4 workers',
      'workers 16': 'nginx with 16 workers',
      'gzip, workers 4': 'nginx with gzip and 4 workers',
      'gzip, workers 1': 'with gzip and one'
    }
  },
  source: sources.nginxExpress,
  arms: {
    'workers 1': 'nginx/files',
    'workers 4': 'nginx+workers=4/files',
    'workers 16': 'nginx+workers=16/files',
    'gzip, workers 1': 'nginx+gzip/files',
    'gzip, workers 4': 'nginx+gzip+workers=4/files',
    'gzip, workers 16': 'nginx+gzip+workers=16/files'
  },
  contrasts: [['gzip, workers 16', 'gzip, workers 4'], ['gzip, workers 4', 'workers 4']],
  cores: 'shared',
  errorsAreResults: true,
  load: { engine: 'h2load', connections: 1000, path: '/1kb.json', headers: { 'Accept-Encoding': 'gzip' } },
  claims: [
    ratioClaim('workers-4-over-1', ['workers 4', 'workers 1'], 44183 / 42547,
      'Four workers serve # times as much as one.', { needsCores: 4 }),
    ratioClaim('workers-16-over-4', ['workers 16', 'workers 4'], 51488 / 44183,
      'Sixteen workers serve # times as much as four.'),
    claim('workers-beyond-cores', { kind: 'flat', arms: ['workers 4', 'workers 16'] }, 'nothing gained',
      'Sixteen workers serve what four do.', { source: sources.apacheToNginx }),
    claim('workers-gzip-errors',
      { kind: 'errors', in: ['gzip, workers 1'], notIn: ['gzip, workers 4', 'gzip, workers 16'] },
      'errors / 64,114 / 64,033 req/s', 'With gzip only one worker has errors at 1,000 connections.'),
    claim('workers-gzip-flat', { kind: 'flat', arms: ['gzip, workers 4', 'gzip, workers 16'] },
      '64,114 / 64,033 req/s', 'With gzip sixteen workers serve what four do.'),
    ratioClaim('workers-gzip-over-plain', ['gzip, workers 4', 'workers 4'], 64114 / 44183,
      'With four workers gzip serves # times as much as without.', { needsCores: 4 })
  ]
}
