import neostandard, { resolveIgnoresFromGitignore } from 'neostandard'

/** Functions that open a file without a limit of its size, and wait for the writer of a FIFO. */
const OPENERS = ['default', 'promises', 'createReadStream', 'open', 'openSync', 'readFile', 'readFileSync']
const OPENER = 'Read files from outside by bench/machine/files/plain-files.js, those of hopbench by own-files.js.'

export default [
  ...neostandard({ ignores: resolveIgnoresFromGitignore(), env: ['node'] }),
  // Scripts for browsers.
  {
    files: ['bench/**/browser/**/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        ['HTMLElement', 'HTMLFormElement', 'HTMLButtonElement', 'HTMLInputElement', 'HTMLProgressElement',
          'HTMLSelectElement', 'EventSource', 'FormData', 'addEventListener', 'getComputedStyle', 'history', 'location',
          'uPlot'
        ].map(name => [name, 'readonly'])
      )
    }
  },
  {
    rules: {
      '@stylistic/max-len': ['error', { code: 120, ignoreUrls: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }]
    }
  },
  // Limits named arguments to six. A function with more has two purposes, or its arguments form an object with a name.
  {
    files: ['bench/**/*.js', 'servers/**/*.js', 'proxy/**/*.js'],
    rules: {
      'no-restricted-syntax': ['error', {
        selector: ':function > ObjectPattern.params[properties.length>6]',
        message: 'more than six named arguments'
      }]
    }
  },
  {
    files: ['bench/**/*.js'],
    ignores: [
      // Rooms that read what hopbench itself has written or fetched, /proc and /sys.
      'bench/load/**',
      'bench/machine/**',
      'bench/topology/**',
      // Files of the project, its own configurations and logs, standard input.
      'bench/cli.js',
      'bench/engines/locust.js',
      'bench/features/advise/clients/read-pauses.js',
      'bench/features/deploy/configs/{kit-subject,subject-files}.js',
      'bench/plan/plugins.js',
      'bench/report/templates.js'
    ],
    rules: {
      'no-restricted-imports': ['error', {
        paths: ['fs', 'fs/promises', 'node:fs', 'node:fs/promises']
          .map(name => ({ name, importNames: OPENERS, message: OPENER }))
      }]
    }
  }
]
