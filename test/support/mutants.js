/** Mutants of a module: its text with one change each, which at least one test should notice. */
import ts from 'typescript'

/**
 * @typedef {object} Mutant
 * @property {number} line in the module, from 1
 * @property {string} from replaced text
 * @property {string} to
 * @property {string} text of the whole module with the change
 */

/**
 * Replacements of operators. A comparison has two mutants: another boundary, and the opposite.
 * @type {Record<string, string[]>}
 */
const OPERATORS = {
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&']
}
/**
 * Replacements of methods.
 * @type {Record<string, string>}
 */
const METHODS = { min: 'max', max: 'min', some: 'every', every: 'some', floor: 'ceil', ceil: 'floor' }

/**
 * Returns all mutants of a module, in the order of its text.
 * @param {string} text of the module
 * @returns {Mutant[]}
 */
export function makeMutants (text) {
  const source = ts.createSourceFile('module.js', text, ts.ScriptTarget.Latest, true)
  /** @type {Mutant[]} */
  const mutants = []
  /**
   * @param {ts.Node} node
   * @param {string} to
   */
  const replace = (node, to) => mutants.push({
    line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1,
    from: node.getText(),
    to,
    text: text.slice(0, node.getStart()) + to + text.slice(node.getEnd())
  })
  /** @param {ts.Node} node */
  const visit = node => {
    for (const [part, to] of getChanges(node)) replace(part, to)
    node.forEachChild(visit)
  }
  visit(source)
  return mutants
}

/**
 * Returns the changes of one node of the syntax tree, without those of the nodes below.
 * @param {ts.Node} node
 * @returns {[ts.Node, string][]} the node that is replaced, and its text
 */
function getChanges (node) {
  if (ts.isBinaryExpression(node)) {
    const operator = node.operatorToken
    return (OPERATORS[operator.getText()] ?? []).map(to => [operator, to])
  }
  if (ts.isPrefixUnaryExpression(node) && ['!', '-'].includes(node.getText()[0])) {
    return [[node, node.operand.getText()]]
  }
  if (ts.isIfStatement(node)) return [[node.expression, `!(${node.expression.getText()})`]]
  if (ts.isConditionalExpression(node)) return [[node.condition, `!(${node.condition.getText()})`]]
  if (ts.isNumericLiteral(node)) return [[node, `(${node.getText()} + 1)`]]
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [[node, 'false']]
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [[node, 'true']]
  const method = ts.isPropertyAccessExpression(node) ? METHODS[node.name.text] : undefined
  return ts.isPropertyAccessExpression(node) && method !== undefined ? [[node.name, method]] : []
}
