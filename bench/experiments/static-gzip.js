// The same HTML page, compressed: on the fly or before, by nginx or by Node.
import { claim, ratioClaim } from '../shared/arm-builders.js'
import { sources } from '../shared/sources.js'

/** @import { ExperimentFile } from '../types.js' */

/** @type {ExperimentFile} */
export default {
  group: 'compression',
  title: 'an HTML page of 8,550 bytes, compressed',
  question: 'What does compression cost, on the fly and precompressed, in nginx and in Node?',
  answer: {
    pairs: [['nginx', 'nginx plain'], ['nginx precompressed', 'nginx'], ['st', 'st plain']],
    names: {
      nginx: 'nginx with gzip on the fly',
      'nginx plain': 'without',
      'nginx precompressed': 'nginx with files compressed before',
      st: 'st with gzip',
      'st plain': 'without'
    }
  },
  source: sources.nodeStatic,
  arms: {
    nginx: 'nginx+gzip/files',
    'nginx x4': 'nginx+gzip+workers=4/files',
    'nginx precompressed': 'nginx+gzip_static/files',
    'nginx plain': { topology: 'nginx/files', load: { headers: {} } },
    st: 'st',
    'st x4': 'st@cluster:4',
    'st plain': { topology: 'st', load: { headers: {} } },
    'connect + compression': 'connect-compression',
    'connect + compression x4': 'connect-compression@cluster:4',
    'sirv precompressed': 'sirv'
  },
  contrasts: [
    ['st', 'nginx'],
    ['st x4', 'nginx x4'],
    ['connect + compression', 'st'],
    ['sirv precompressed', 'nginx precompressed']
  ],
  cores: 'shared',
  // The published load, ab, uses HTTP/1.0, for which nginx does not compress.
  load: { engine: 'wrk', connections: 200, path: '/page.html', headers: { 'Accept-Encoding': 'gzip' } },
  claims: [
    ratioClaim('gzip-st-over-nginx', ['st', 'nginx'], 4425 / 5543,
      'With gzip st serves # times as much as nginx with one worker.'),
    ratioClaim('gzip-costs-nginx-half', ['nginx', 'nginx plain'], 5543 / 12385,
      'With gzip one nginx worker serves # of what it serves without.'),
    ratioClaim('gzip-costs-st-nothing', ['st', 'st plain'], 4425 / 4268,
      'With gzip st serves # times what it serves without.'),
    ratioClaim('gzip-st-x4-over-nginx-x4', ['st x4', 'nginx x4'], 12232 / 15975,
      'With gzip st in four processes serves # times as much as four nginx workers.', { needsCores: 4 }),
    ratioClaim('gzip-nginx-x4-over-one', ['nginx x4', 'nginx'], 15975 / 5543,
      'With gzip four nginx workers serve # times as much as one.', { needsCores: 4 }),
    ratioClaim('gzip-st-x4-over-one', ['st x4', 'st'], 12232 / 4425,
      'With gzip st in four processes serves # times as much as in one.', { needsCores: 4 }),
    claim('gzip-compression-too-slow', { kind: 'order', arms: ['st', 'connect + compression x4'] },
      'left out of the published table for being too slow',
      'The compression middleware in four processes serves less than st in one.', { needsCores: 4 }),
    claim('gzip-hurts-on-few-cores', { kind: 'order', arms: ['nginx plain', 'nginx'] }, '12,385 / 5,543 req/s',
      'On few cores nginx serves more without gzip.'),
    claim('gzip-bytes-with-headers', { kind: 'ratio', arm: 'nginx', baseline: 'nginx plain', of: 'bytes' },
      345644803 / 877906604, 'gzip reduces a response with its headers to 0.39 of its bytes.')
  ]
}
