/** Tests which line of Node a project names. */
import t from '../support/tap.js'
import { findNodeLine } from '../../bench/request/node-line.js'

t.test('the line is that of volta, .nvmrc, .node-version, or engines', t => {
  const find = (/** @type {Record<string, string>} */ files, /** @type {object} */ manifest = {}) =>
    findNodeLine(t.testdir(files), manifest, 24, '2026-11-28')
  t.strictSame(find({ '.nvmrc': 'lts/hydrogen\n' }), { major: 18, source: '.nvmrc' })
  t.strictSame(find({ '.nvmrc': 'v20.11.1 # for CI' }), { major: 20, source: '.nvmrc' })
  t.strictSame(find({ '.node-version': '22' }), { major: 22, source: '.node-version' })
  t.strictSame(find({ '.nvmrc': '22', '.node-version': '20' }), { major: 22, source: '.nvmrc' })
  t.strictSame(find({ '.nvmrc': '22' }, { volta: { node: '18.20.4' } }), { major: 18, source: 'volta in package.json' })
  for (const text of ['lts/*', 'node', '', 'latest', 'lts/unheard-of', 'system']) {
    t.equal(find({ '.nvmrc': text }), null, text)
  }
  const engines = (/** @type {unknown} */ node) => find({}, { engines: { node } })
  t.strictSame(engines('>=18 <19'), { major: 18, source: 'engines in package.json' })
  t.strictSame(engines('^20 || ^22'), { major: 22, source: 'engines in package.json' }, '20 gets no releases')
  t.strictSame(engines('^16 || ^18'), { major: 18, source: 'engines in package.json' }, 'no line gets releases')
  t.strictSame(engines('>=26'), { major: 26, source: 'engines in package.json' })
  t.strictSame(engines('>=30'), { major: 30, source: 'engines in package.json' })
  for (const range of ['>=18', '24.x', '>=24.5.0', '*', 'not a range', 18, undefined]) t.equal(engines(range), null)
  t.end()
})
