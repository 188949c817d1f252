import neostandard, { resolveIgnoresFromGitignore } from 'neostandard'

export default [
  ...neostandard({ ignores: resolveIgnoresFromGitignore(), env: ['node'] }),
  // What runs in a browser.
  { files: ['bench/page/browser/**/*.js'], languageOptions: { globals: { HTMLElement: 'readonly' } } },
  {
    rules: {
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }]
    }
  }
]
