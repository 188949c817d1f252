/** Differences of the measured and the recommended configuration as text for a terminal (pure). */
import { joinSections, toStyle, wrap } from './wrap.js'

/** @import { ConfigDifference, ConfigExplanation } from '../types.js' */

/** Most directives of a difference that are printed whole. Of more, the first one and the names of the others are. */
const MOST_WHOLE = 4

/**
 * @param {ConfigExplanation[]} explanations of the proxy, and of a proxy in the server's place
 * @param {{ spec: string, columns?: number }} options spec: topology
 */
export function explainText (explanations, { spec, columns }) {
  const width = toStyle(columns).columns
  const count = explanations.reduce((sum, { differences }) =>
    differences.reduce((inner, { measured, recommended }) => inner + measured.length + recommended.length, sum), 0)
  return joinSections([
    wrap(`${spec}: ${count} directives are only in the measured (-) or only in the recommended configuration (+).`,
      width),
    ...explanations.flatMap(({ title, differences }) => {
      const [production, suite] = split(differences)
      return [
        ...titledList(`${title}, for production:`, production, width),
        ...titledList(`${title}, for the measurement only:`, suite, width)
      ]
    })
  ])
}

/** Separates the differences that add something to the recommended configuration. @param {ConfigDifference[]} all */
const split = all => [all.filter(({ recommended }) => recommended.length > 0),
  all.filter(({ recommended }) => recommended.length === 0)]

/**
 * @param {string} title
 * @param {ConfigDifference[]} differences
 * @param {number} width
 * @returns {string[][]}
 */
const titledList = (title, differences, width) =>
  differences.length === 0 ? [] : [[title], ...groupByReason(differences).map(group => toLines(group, width))]

/**
 * Puts differences with the same reason together.
 * @param {ConfigDifference[]} differences
 */
function groupByReason (differences) {
  /** @type {Map<string, ConfigDifference>} */
  const groups = new Map()
  for (const difference of differences) {
    const reason = difference.reason ?? 'The reason is not written down.'
    const { measured = [], recommended = [] } = groups.get(reason) ?? {}
    groups.set(reason, {
      name: difference.name,
      reason,
      measured: [...measured, ...shorten(difference.measured)],
      recommended: [...recommended, ...shorten(difference.recommended)]
    })
  }
  return [...groups.values()]
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

/**
 * @param {ConfigDifference} difference
 * @param {number} width
 */
const toLines = ({ measured, recommended, reason }, width) => [
  ...measured.flatMap(text => wrap(text, width, { first: '- ', rest: '    ' })),
  ...recommended.flatMap(text => wrap(text, width, { first: '+ ', rest: '    ' })),
  ...wrap(String(reason), width, { first: '    ' })
]
