import t from './tap.js'
import { makeMutants } from './mutants.js'

/** @param {string} text */
const changes = text => makeMutants(text).map(({ text }) => text)

t.test('changes one operator, condition or constant at a time', async t => {
  t.strictSame(changes('a + b * 2'), ['a - b * 2', 'a + b / 2', 'a + b * (2 + 1)'])
  t.strictSame(changes('a < b'), ['a <= b', 'a >= b'])
  t.strictSame(changes('if (a === true) b()'),
    ['if (!(a === true)) b()', 'if (a !== true) b()', 'if (a === false) b()'])
  t.strictSame(changes('a && !b ? -c : d'),
    ['!(a && !b) ? -c : d', 'a || !b ? -c : d', 'a && b ? -c : d', 'a && !b ? c : d'])
  t.strictSame(changes('Math.min(a.some(b), c)'), ['Math.max(a.some(b), c)', 'Math.min(a.every(b), c)'])
})

t.test('leaves comments, imports and strings unchanged, and names the line', async t => {
  t.strictSame(changes("// a < 1\nimport b from './b-1.js'\nconst c = 'a + 1'"), [])
  t.match(makeMutants('a()\nb(1)'), [{ line: 2, from: '1', to: '(1 + 1)', text: 'a()\nb((1 + 1))' }])
})
