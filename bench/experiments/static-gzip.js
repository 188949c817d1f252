// The same HTML page, compressed: on the fly or before, by nginx or by Node.
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
    {
      id: 'gzip-st-over-nginx',
      statement: 'With gzip st serves 0.80 times as much as nginx with one worker.',
      published: 4425 / 5543,
      test: { kind: 'ratio', arm: 'st', baseline: 'nginx' }
    },
    {
      id: 'gzip-costs-nginx-half',
      statement: 'With gzip one nginx worker serves 0.45 of what it serves without.',
      published: 5543 / 12385,
      test: { kind: 'ratio', arm: 'nginx', baseline: 'nginx plain' }
    },
    {
      id: 'gzip-costs-st-nothing',
      statement: 'With gzip st serves 1.04 times what it serves without.',
      published: 4425 / 4268,
      test: { kind: 'ratio', arm: 'st', baseline: 'st plain' }
    },
    {
      id: 'gzip-st-x4-over-nginx-x4',
      statement: 'With gzip st in four processes serves 0.77 times as much as four nginx workers.',
      published: 12232 / 15975,
      needsCores: 4,
      test: { kind: 'ratio', arm: 'st x4', baseline: 'nginx x4' }
    },
    {
      id: 'gzip-nginx-x4-over-one',
      statement: 'With gzip four nginx workers serve 2.88 times as much as one.',
      published: 15975 / 5543,
      needsCores: 4,
      test: { kind: 'ratio', arm: 'nginx x4', baseline: 'nginx' }
    },
    {
      id: 'gzip-st-x4-over-one',
      statement: 'With gzip st in four processes serves 2.76 times as much as in one.',
      published: 12232 / 4425,
      needsCores: 4,
      test: { kind: 'ratio', arm: 'st x4', baseline: 'st' }
    },
    {
      id: 'gzip-compression-too-slow',
      statement: 'The compression middleware in four processes serves less than st in one.',
      published: 'left out of the published table for being too slow',
      needsCores: 4,
      test: { kind: 'order', arms: ['st', 'connect + compression x4'] }
    },
    {
      id: 'gzip-hurts-on-few-cores',
      statement: 'On few cores nginx serves more without gzip.',
      published: '12,385 / 5,543 req/s',
      test: { kind: 'order', arms: ['nginx plain', 'nginx'] }
    },
    {
      id: 'gzip-bytes-with-headers',
      statement: 'gzip reduces a response with its headers to 0.39 of its bytes.',
      published: 345644803 / 877906604,
      test: { kind: 'ratio', arm: 'nginx', baseline: 'nginx plain', of: 'bytes' }
    }
  ]
}
