/** Tests the command line of a check of a configuration of one's own. */
import t from '../../support/tap.js'
import { checkPath, isConfigPath } from '../../../bench/features/own-config/index.js'

t.test('a path has a slash or a dot, unlike the name of a server', async t => {
  const paths = ['./nginx.conf', 'nginx.conf', 'deploy/nginx', '-', '.', '/etc/nginx']
  t.strictSame(paths.map(isConfigPath), paths.map(() => true))
  t.strictSame(['sirv', 'express-static', 'files', 'nginx'].map(isConfigPath), Array(4).fill(false))
})

t.test('rejects a missing path, a second one, and options of other checks', async t => {
  /** @type {[words: string[], options: Record<string, any>, message: RegExp][]} */
  const cases = [
    [['./missing.conf'], {}, /no such file or folder/],
    [['.', 'b'], {}, /is checked alone/],
    [['.'], { ownNode: true }, /^--own-node/]
  ]
  for (const [words, options, message] of cases) {
    await t.rejects(checkPath(words, options, words), { code: 'bad-option', message })
  }
})
