/** Requests of `hopbench diff`. */
import t from 'tap'
import { checkRequests } from '../../bench/studies/diff/diff-plan.js'

/** @param {string[]} path */
const check = path => checkRequests({ path, lab: false })

t.test('rejects paths whose names are the same', t => {
  for (const path of [['/a', '/b', '/a'], ['/a?key=1', '/a?key=2']]) {
    t.throws(() => check(path), { code: 'bad-option', message: /^--path cannot be .*: another path is the same/ })
  }
  t.doesNotThrow(() => check(['/a', '/a?page=2', '/b']))
  t.end()
})
