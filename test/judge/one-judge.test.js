/** Tests that only bench/judge sets verdicts. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import ts from 'typescript'
import { PROJECT } from '../../bench/plan/plugins.js'

/** Functions of bench/judge that return a verdict of an interval. */
const JUDGES = ['toVerdict', 'judgeInterval', 'judgeRatio', 'judgeBounded', 'noChange']

/**
 * Returns where a source sets a verdict or imports a function that does. A verdict that is read and passed on under its
 * name, as in `{ verdict }`, is not set.
 * @param {string} text
 * @returns {string[]} the expressions
 */
function findVerdicts (text) {
  const source = ts.createSourceFile('source.js', text, ts.ScriptTarget.Latest, true)
  /** @type {string[]} */
  const found = []
  const isVerdict = (/** @type {ts.Node} */ name) =>
    (ts.isIdentifier(name) || ts.isStringLiteral(name)) && name.text === 'verdict'
  /** @param {ts.Node} node */
  const visit = node => {
    const isSet = (ts.isPropertyAssignment(node) && isVerdict(node.name)) ||
      (ts.isVariableDeclaration(node) && isVerdict(node.name) && node.initializer !== undefined) ||
      (ts.isBindingElement(node) && isVerdict(node.propertyName ?? node.name) && node.initializer !== undefined) ||
      (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
        ((ts.isPropertyAccessExpression(node.left) && isVerdict(node.left.name)) || isVerdict(node.left) ||
        (ts.isElementAccessExpression(node.left) && isVerdict(node.left.argumentExpression))))
    const isImported = ts.isImportSpecifier(node) && JUDGES.includes((node.propertyName ?? node.name).getText())
    if (isSet || isImported) found.push(node.getText())
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

t.test('finds each way to set a verdict', async t => {
  const cases = ["f({ verdict: 'slower' })", "contrast.verdict = 'slower'", "contrast['verdict'] = 'slower'",
    "const verdict = low > 1 ? 'faster' : 'slower'", "const { verdict = 'slower' } = contrast", "verdict = 'slower'",
    "import { judgeInterval } from '../judge/verdict.js'", "const all = { ...contrast, 'verdict': 'slower' }"]
  for (const text of cases) t.equal(findVerdicts(text).length, 1, text)
  for (const text of ['const { verdict } = contrast', 'f({ verdict })', "if (contrast.verdict === 'slower') f()",
    "import { isHeldBack } from '../judge/verdict.js'"]) t.strictSame(findVerdicts(text), [], text)
})

t.test('no file outside bench/judge sets a verdict', async t => {
  const folders = ['bench', 'servers', 'proxy']
  const files = folders.flatMap(folder => readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.js')).map(file => join(folder, file)))
  const read = files.map(file => ({ file, text: readFileSync(join(PROJECT, file), 'utf8') }))
    .filter(({ text }) => /verdict/i.test(text))
  const setting = read.map(({ file, text }) => ({ file, found: findVerdicts(text) }))
    .filter(({ found }) => found.length > 0)
  const isJudge = (/** @type {{ file: string }} */ { file }) => file.startsWith('bench/judge/')
  t.ok(setting.some(isJudge), 'bench/judge does')
  t.strictSame(setting.filter(file => !isJudge(file)), [])
})
