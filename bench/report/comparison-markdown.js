/** A comparison of two runs as Markdown, for the summary of a build or a pull request (pure). */
import { estimateText, interval, NONE, percent } from '../shared/format.js'
import { unitOf } from '../shared/units.js'
import { conclusion, pairName, reasons, VERDICTS } from './comparison-words.js'
import { cell, markdownTable } from './markdown.js'

/** @import { Change } from '../analysis/change.js' */
/** @import { ComparedArm, ComparedPair, Comparison } from '../analysis/compare-runs.js' */

const MOST_DIFFERENCES = 40 // Lines of differences; whole configurations would hide the rest of a build's summary.

const HEAD = ['figure', 'before', 'now', 'change', 'verdict', 'detectable'].map(text =>
  ({ text, numeric: text !== 'figure' && text !== 'verdict' }))

/**
 * @param {Comparison} comparison
 * @returns {string} ends with a line break
 */
export function comparisonMarkdown (comparison) {
  const { runs, differences, only } = comparison
  const [first, ...others] = conclusion(comparison)
  const sentences = [
    ...others,
    ...reasons(comparison),
    ...only.before.map(name => `${name} is no longer measured.`),
    ...only.after.map(name => `${name} was not measured before.`)
  ]
  return [
    `**${cell(first)}**`,
    '',
    ...markdownTable(comparisonTable(comparison)),
    '',
    ...sentences.map(sentence => `- ${cell(sentence)}`),
    '',
    `<sub>${cell(`${runs.after} against ${runs.before}`)}</sub>`,
    '',
    ...differences.length === 0
      ? []
      : [
        `<details><summary>Differences between them (${differences.length})</summary>`,
        '',
        ...differences.slice(0, MOST_DIFFERENCES)
          .map(({ what, before, after }) => `- ${cell(`${what}: ${before} → ${after}`)}`),
        ...differences.length > MOST_DIFFERENCES ? ['- …'] : [],
        '',
        '</details>',
        ''
        ]
  ].join('\n')
}

/** @param {Comparison} comparison */
export const comparisonTable = ({ contrasts, costs, arms, unit }) => ({
  head: HEAD,
  rows: [
    ...contrasts.map(pair => pairRow(pair, 'relative throughput')),
    ...costs.map(pair => pairRow(pair, `CPU time for each ${unitOf(unit).per}`)),
    ...arms.map(arm => armRow(arm, unit))
  ]
})

/**
 * @param {ComparedPair} pair
 * @param {string} figure
 */
const pairRow = (pair, figure) => [
  `${pairName(pair)}, ${figure}`, estimateText(pair.before), estimateText(pair.after), ...changeCells(pair)
]

/**
 * @param {ComparedArm} arm
 * @param {Comparison['unit']} unit
 */
function armRow (arm, unit) {
  const { perSecond, print } = unitOf(unit)
  const [before, after] = arm.rates.map(rate =>
    rate ? `${print(rate.median)} (${interval(print(rate.low || NaN), print(rate.high))})` : NONE)
  return [`${arm.arm}, ${perSecond}`, before, after, ...changeCells(arm)]
}

/** @param {Change} change */
const changeCells = ({ verdict, sees, ...change }) => [estimateText(change), VERDICTS[verdict], percent(sees)]
