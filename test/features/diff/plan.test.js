/** Options of `hopbench diff` that are checked before anything is installed. */
import t from '../../support/tap.js'
import { checkOptions } from '../../../bench/features/diff/plan.js'

/** @param {string[]} path */
const check = path => checkOptions({ path, lab: false })

t.test('rejects paths whose names are the same', async t => {
  for (const path of [['/a', '/b', '/a'], ['/a?key=1', '/a?key=2']]) {
    await t.rejects(check(path), { code: 'bad-option', message: /^--path cannot be .*: another path is the same/ })
  }
  await t.resolves(check(['/a', '/a?page=2', '/b']))
})

t.test('rejects an unknown engine', t =>
  t.rejects(checkOptions({ engine: 'autocanon', lab: false }), { code: 'unknown-plugin' }))
