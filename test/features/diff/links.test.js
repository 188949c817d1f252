/** Links of a checkout that hopbench rejects, because they lead outside. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '../../support/tap.js'
import { isHopbenchError } from '../../../bench/errors.js'
import { rejectLinkedPath, rejectLinks } from '../../../bench/features/diff/links.js'
import { attempt } from '../../../bench/shared/attempt.js'

/**
 * Returns the link in the error of an action.
 *
 * @param {() => void} reject
 * @returns {string | null} null: no error
 */
const findRejected = reject => attempt(() => {
  reject()
  return null
}, error => {
  if (isHopbenchError(error, 'linked-checkout')) return error.details.link
  throw error
})

/** @type {[path: string, target: string, always: boolean, withoutInstall: boolean][]} */
const LINKS = [
  ['node_modules', '../outside', true, true],
  ['node_modules', '../missing', true, true],
  ['node_modules', 'lib', false, false],
  ['node_modules', 'node_modules', true, true],
  ['Node_Modules', '../outside', true, true],
  ['packages/api/node_modules', '../../../outside', true, true],
  ['node_modules/.cache', '../../outside', true, true],
  ['.yarn', '../outside', true, true],
  ['package-lock.json', '/dev/zero', true, true],
  ['.npmrc', '../outside/file', true, true],
  ['data', '../outside', false, true],
  ['data', '..', false, true],
  ['data', '.', false, false],
  ['data', 'lib', false, false],
  ['data', '../missing', false, false],
  ['data', '../outside/file', false, false]
]

t.test('rejects links of managed paths and folders that lead outside', async t => {
  for (const [path, target, always, withoutInstall] of LINKS) {
    const dir = t.testdir({ outside: { file: '' }, top: { lib: {} } })
    const top = join(dir, 'top')
    mkdirSync(dirname(join(top, path)), { recursive: true })
    symlinkSync(target, join(top, path))
    const checkout = { name: 'base', label: 'base', top, app: top }
    t.strictSame([true, false].map(permitsFolders => findRejected(() => rejectLinks(checkout, { permitsFolders }))),
      [always, withoutInstall].map(isRejected => isRejected ? path : null), `${path} -> ${target}`)
  }
})

t.test('rejects a path below a link that leads outside, and a path through two links', async t => {
  const dir = t.testdir({ outside: { a: {} }, top: { inside: {} } })
  const top = join(dir, 'top')
  symlinkSync('../outside', join(top, 'out'))
  symlinkSync('inside', join(top, 'in'))
  symlinkSync('../../outside', join(top, 'inside/out'))
  const checkout = { name: 'base', label: 'base', top, app: top }
  const find = (/** @type {string} */ path) => findRejected(() => rejectLinkedPath(checkout, join(top, path)))
  t.strictSame(['out/a', 'in/out/a', 'in/new', 'new/out', ''].map(find), ['out', 'in/out', null, null, null])
  const app = join(top, 'out/a')
  t.equal(findRejected(() => rejectLinks({ ...checkout, app }, { permitsFolders: true })), 'out')
})
