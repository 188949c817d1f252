/** Decisions and edits of several programs (pure). */
import { findAll, getValue } from '../model.js'
import { addTo } from '../mend.js'

/** @import { Directive, OwnSubject } from '../types.js' */
/** @import { Edit, Texts } from '../mend.js' */

/** Sentence about a restart that the proxy does not bridge. */
export const FAILING_RESTART =
  'Pages fail or take long while the processes of the app are restarted one after the other.'

/**
 * Returns the setting with which a configuration decides itself, or null: what it states is no failure.
 * @param {string} name of a directive anywhere
 */
export const findSetting = name => (/** @type {Pick<OwnSubject, 'tree'>} */ { tree }) => {
  const [found] = findAll(tree, name)
  return found ? `it sets ${name} ${getValue(found.directive)} itself (line ${found.directive.line})` : null
}

/**
 * Adds lines to the block of a directive, which gets one if it has none.
 * @param {Texts} texts
 * @param {Directive} directive
 * @param {string[]} lines
 * @returns {Edit[]}
 */
export function addInside (texts, directive, lines) {
  if (lines.length === 0) return []
  if (directive.children && directive.children.length > 0) return addTo(texts, directive, lines)
  const { file, from, to, children } = directive
  const text = texts.get(file) ?? ''
  const [indent] = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', from - 1) + 1)) ?? ['']
  const block = `{\n${lines.map(line => `${indent}\t${line}\n`).join('')}${indent}}`
  return children
    ? [{ file, from: text.lastIndexOf('{', to), to, text: block }]
    : [{ file, from: to, to, text: ` ${block}` }]
}
