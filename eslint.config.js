import neostandard, { resolveIgnoresFromGitignore } from 'neostandard'

export default [
  ...neostandard({ ignores: resolveIgnoresFromGitignore(), env: ['node'] }),
  // What runs in a browser.
  {
    files: ['bench/{page,serve}/browser/**/*.js'],
    languageOptions: { globals: Object.fromEntries(['HTMLElement', 'HTMLFormElement', 'HTMLButtonElement', 'HTMLInputElement', 'HTMLProgressElement', 'EventSource', 'FormData', 'addEventListener', 'getComputedStyle', 'uPlot'].map(name => [name, 'readonly'])) }
  },
  {
    rules: {
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }]
    }
  }
]
