/** Differences of the measured and the recommended configuration as text for a terminal (pure). */
import { groupBy } from '../../../shared/group-by.js'
import { joinSections, toStyle, wrap } from '../../../report/wrap.js'

/** @import { ConfigDifference, ConfigExplanation } from '../types.js' */

/** Most directives of a difference that are printed whole. Of more, the first one and the names of the others are. */
const MOST_WHOLE = 4

/**
 * @param {ConfigExplanation[]} explanations of the proxy, and of a proxy in the server's place
 * @param {{ spec: string, columns?: number }} options spec: topology
 */
export function explainText (explanations, { spec, columns }) {
  const width = toStyle(columns).columns
  const count = explanations.flatMap(({ differences }) => differences)
    .flatMap(({ measured, recommended }) => [...measured, ...recommended]).length
  return joinSections([
    wrap(`${spec}: ${count} directives are only in the measured (-) or only in the recommended configuration (+).`,
      width),
    ...explanations.flatMap(({ title, differences }) => {
      const [production, suite] = [true, false].map(isForProduction =>
        differences.filter(({ recommended }) => (recommended.length > 0) === isForProduction))
      return [
        ...titledList(`${title}, for production:`, production, width),
        ...titledList(`${title}, for the measurement only:`, suite, width)
      ]
    })
  ])
}

/**
 * Prints differences under a title, those with the same reason together.
 * @param {string} title
 * @param {ConfigDifference[]} differences
 * @param {number} width
 * @returns {string[][]}
 */
function titledList (title, differences, width) {
  if (differences.length === 0) return []
  const toLines = (/** @type {string[][]} */ texts, /** @type {string} */ first) =>
    wrap(texts.flatMap(shorten), width, { first, rest: '    ' })
  const groups = groupBy(differences, ({ reason }) => reason ?? 'The reason is not written down.')
  return [[title], ...[...groups].map(([reason, group]) => [
    ...toLines(group.map(({ measured }) => measured), '- '),
    ...toLines(group.map(({ recommended }) => recommended), '+ '),
    ...wrap(reason, width, { first: '    ' })
  ])]
}

/**
 * Shortens many directives that differ in one word only.
 * @param {string[]} texts
 */
function shorten (texts) {
  if (texts.length <= MOST_WHOLE) return texts
  const words = texts.map(text => text.split(/[\s;]+/))
  const varying = words[0].findIndex((spec, i) => words.some(other => other[i] !== spec))
  return [texts[0], `… and the same with ${words.slice(1).map(list => list[varying]).join(', ')}`]
}
