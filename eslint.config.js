import neostandard, { resolveIgnoresFromGitignore } from 'neostandard'

export default [
  ...neostandard({ ignores: resolveIgnoresFromGitignore(), env: ['node'] }),
  {
    rules: {
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }]
    }
  }
]
