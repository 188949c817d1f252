/** Tests that configuration files are read by the rules of nginx's lexer. */
import fc from 'fast-check'
import t from '../../support/tap.js'
import { parseConfig } from '../../../bench/features/own-config/syntax.js'

/** @import { Directive } from '../../../bench/features/own-config/types.js' */

/** Directive: name, arguments, and directives of a block. @typedef {[string, string[], Plain[] | null]} Plain */

/**
 * @param {Directive[]} directives
 * @returns {Plain[]}
 */
const toPlain = directives => directives.map(({ name, args, children }) =>
  [name, args.map(({ value }) => value), children ? toPlain(children) : null])

/**
 * Returns the text of a word in one of the forms that nginx reads.
 * @param {string} word
 * @param {number} way
 * @returns {string}
 */
function write (word, way) {
  const quote = ['"', "'", ''][way % 3]
  if (quote) return quote + word.replaceAll(/["'\\]/g, '\\$&') + quote
  return /^[\w$./:-]+$/.test(word) ? word : write(word, 0)
}

const RUNS = 25
const name = fc.stringMatching(/^[a-z_]{1,8}$/)
const blank = fc.constantFrom(' ', '\n', '\t', '  # a; { comment }\n', '\r\n')
const word = fc.tuple(fc.stringMatching(/^[\w$./:;{}# '"\\-]{1,12}$/), fc.nat())

/** Directives with their text. */
const { directives } = fc.letrec((/** @type {(name: string) => import('fast-check').Arbitrary<any>} */ tie) => ({
  directive: fc.tuple(name, fc.array(word, { maxLength: 3 }), fc.option(tie('directives')), blank),
  directives: fc.array(tie('directive'), { maxLength: 4, depthIdentifier: 'block' })
}))

/**
 * @param {any[]} directives
 * @returns {string}
 */
const toText = directives => directives.map(([name, words, block, blank]) =>
  [name, ...words.map((/** @type {[string, number]} */ [text, way]) => write(text, way))].join(blank) + blank +
  (block ? `{${blank}${toText(block)}}` : ';') + blank).join('')

/**
 * @param {any[]} directives
 * @returns {Plain[]}
 */
const toExpected = directives => directives.map(([name, words, block]) =>
  [name, words.map((/** @type {[string]} */ [text]) => text), block ? toExpected(block) : null])

t.test('reads what was written, in quotes, over lines and between comments', async t => {
  fc.assert(fc.property(directives, written => {
    const expected = toExpected(/** @type {any[]} */ (written))
    t.strictSame(toPlain(parseConfig(toText(/** @type {any[]} */ (written)), 'f')), expected)
  }), { numRuns: RUNS })
})

/**
 * @param {Directive[]} directives
 * @returns {Directive[]}
 */
const flatten = directives => directives.flatMap(directive => [directive, ...flatten(directive.children ?? [])])

t.test('the place of each word is that of its text', async t => {
  fc.assert(fc.property(directives, written => {
    const text = toText(/** @type {any[]} */ (written))
    const all = flatten(parseConfig(text, 'f'))
    t.strictSame(all.map(({ from, to }) => parseConfig(text.slice(from, to), 'f').length), all.map(() => 1))
    t.strictSame(all.map(({ from }) => text.slice(0, from).split('\n').length), all.map(({ line }) => line))
    const args = all.flatMap(({ args }) => args)
    const again = args.map(({ from, to }) => parseConfig(`a ${text.slice(from, to)};`, 'f')[0].args[0].value)
    t.strictSame(again, args.map(({ value }) => value))
  }), { numRuns: RUNS })
})

t.test('reads any text without an error', async t => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), text => {
    t.ok(Array.isArray(parseConfig(text, 'f')))
  }), { numRuns: RUNS })
  t.strictSame(toPlain(parseConfig('a { b 1; } } c "x\n', 'f')), [['a', [], [['b', ['1'], null]]]])
  t.equal(parseConfig('a {'.repeat(100_000), 'f').length, 1)
})

t.test('reads variables in braces, regular expressions and escapes', async t => {
  const variable = '$' + '{b}c'
  t.strictSame(toPlain(parseConfig(`a ${variable} ~^/x\\.y$ "\\t\\q";`, 'f')),
    [['a', [variable, '~^/x\\.y$', '\t\\q'], null]])
})
