import neostandard, { resolveIgnoresFromGitignore } from 'neostandard'

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
  }
]
