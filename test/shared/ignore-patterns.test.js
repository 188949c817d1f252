/** Tests the patterns of Docker's ignore files. */
import fc from 'fast-check'
import t from '../support/tap.js'
import { isIgnored, readIgnoreFile, toException, toLine } from '../../bench/shared/ignore-patterns.js'
import { filesInContext } from '../support/docker-context.js'

/**
 * Returns the paths that an ignore file leaves out.
 * @param {string} text
 * @param {string[]} paths
 */
const listIgnored = (text, paths) => paths.filter(path => isIgnored(readIgnoreFile(text), path))

t.test('the last rule decides, and a rule for a folder is one for its files', async t => {
  const paths = ['a', 'a/b', 'a/b/c', 'd/a', 'd/e.md', 'f.md']
  t.strictSame(listIgnored('a', paths), ['a', 'a/b', 'a/b/c'])
  t.strictSame(listIgnored('**/a', paths), ['a', 'a/b', 'a/b/c', 'd/a'])
  t.strictSame(listIgnored('*.md', paths), ['f.md'])
  t.strictSame(listIgnored('**/*.md\n!d', paths), ['f.md'])
  t.strictSame(listIgnored('*\n!a\n a/b ', paths), ['a/b', 'a/b/c', 'd/a', 'd/e.md', 'f.md'])
  t.strictSame(listIgnored('a/**', paths), ['a/b', 'a/b/c'])
})

t.test('paths are cleaned, and comments and lines without a meaning are skipped', async t => {
  const paths = ['a', 'b', '#c', 'c']
  t.strictSame(listIgnored('\uFEFFa\r\n', paths), ['a'])
  t.strictSame(listIgnored('/a/\n./x/../b', paths), ['a', 'b'])
  t.strictSame(listIgnored('#c\n!\n[a\n[b-a]\na\\\n\n', paths), [])
  t.strictSame(listIgnored('\\#c', paths), ['#c'])
  t.strictSame(listIgnored('[!ab]\n[^a-b]', paths), ['a', 'b', 'c'])
})

t.test('the line for a path is an exception for this path only', async t => {
  const name = fc.stringMatching(/^[a-c*?[\]#!. \\^]{1,4}$/)
  fc.assert(fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), fc.array(name, { minLength: 1, maxLength: 3 }),
    (names, others) => {
      const [path, other] = [names.join('/'), others.join('/')]
      if ([...names, ...others].some(name => /^\.+$/.test(name))) return true
      const line = toException(path)
      if (line === null) return /[\\^]|^ | $/.test(path)
      const rules = readIgnoreFile(`**\n${line}`)
      return !isIgnored(rules, path) && (other === path || other.startsWith(`${path}/`) || isIgnored(rules, other))
    }), { numRuns: 2000 })
  t.strictSame(['a\nb', ' a', 'a ', 'a\\b', '\uFFFD', 'a^'].map(toException), [null, null, null, null, null, null])
  t.strictSame(['#a', '!a', 'a#'].map(toLine), ['\\#a', '\\!a', 'a#'])
})

t.test('two readings of the rules agree', async t => {
  const word = fc.constantFrom('a', 'b', 'ab', '*', '?', 'a*', '*b', '**', '[ab]', '\\*', '.a')
  const line = fc.tuple(fc.constantFrom('', '', '!'), fc.array(word, { minLength: 1, maxLength: 4 }))
    .map(([sign, words]) => `${sign}${words.join('/')}`)
  const path = fc.array(fc.constantFrom('a', 'b', 'ab', 'ba', '*', '.a'), { minLength: 1, maxLength: 4 })
    .map(names => names.join('/'))
  fc.assert(fc.property(fc.array(line, { maxLength: 5 }), fc.array(path, { minLength: 1, maxLength: 8 }),
    (lines, paths) => {
      const text = lines.join('\n')
      const rules = readIgnoreFile(text)
      const inside = paths.filter(path => !isIgnored(rules, path))
      return JSON.stringify(inside) === JSON.stringify(filesInContext(paths, text))
    }), { numRuns: 2000 })
  t.pass('no counterexample')
})
