import t from '../../support/tap.js'
import { listPackages } from '../../../bench/machine/files/app-packages.js'

t.test('lists the packages of an app, and tolerates a package.json of any content', async t => {
  /** @type {[string, string[]][]} */
  const cases = [
    ['{"dependencies":{"express":"^4","koa":"1"},"devDependencies":{"tap":"1"}}', ['express', 'koa']],
    ['{}', []], ['null', []], ['{', []], ['{"dependencies":null}', []]
  ]
  for (const [text, expected] of cases) {
    t.strictSame(listPackages(t.testdir({ 'package.json': text })), expected, text)
  }
  t.strictSame(listPackages(t.testdir({})), [])
})
