/** All contrasts of a run as the answer to a question (pure). */
import { capitalize, count } from '../../shared/format.js'
import { judgeBound, printRatioShare } from '../bounds.js'
import { printChange } from '../share-text.js'

/** @import { Contrast, RunRecord } from '../../types.js' */
/** @import { Question } from './questions.js' */

/**
 * Lists all contrasts: first the differences, the largest first, then those without a difference, then open ones.
 * @param {Question} question
 * @param {RunRecord} record
 * @returns {string[]}
 */
export function everySentences ({ names = {}, base, crossover }, { arms, contrasts: stored }) {
  const contrasts = stored.map(contrast => judgeBound(contrast, arms))
  const distance = (/** @type {Contrast} */ { ratio }) => Math.abs(Math.log(Number(ratio)))
  const list = (/** @type {Contrast['verdict'][]} */ ...verdicts) => contrasts
    .filter(({ verdict }) => verdicts.includes(verdict))
    .sort((a, b) => distance(b) - distance(a))
    .map(contrast => {
      const { arm, baseline } = contrast
      const against = baseline === contrasts[0].baseline ? '' : `, against ${baseline}`
      return `by ${printRatioShare(contrast, arms, printChange)} with ${names[arm] ?? `${arm}${against}`}`
    })
    .join('; ')
  const [different, same, open] = [list('faster', 'slower'), list('no-difference'), list('inconclusive')]
  const load = capitalize(loadClause(arms)) + (base ? `, against ${base},` : '')
  return [
    different ? `${load} throughput changes ${different}.` : 'No difference was shown.',
    ...crossover ? crossoverSentence(crossover, contrasts) : [],
    ...same ? [`No relevant change: ${same}.`] : [],
    ...open ? [`Open on this machine: ${open}.`] : []
  ]
}

/** @param {RunRecord['arms']} arms */
function loadClause (arms) {
  const [{ load: { path, connections } }] = arms
  const isSamePath = arms.every(arm => arm.load.path === path)
  return `${isSamePath ? `with ${path} ` : ''}over ${count(connections)} connections`
}

/**
 * Reports the sizes between which a directive begins to pay.
 * @param {NonNullable<Question['crossover']>} crossover
 * @param {Contrast[]} contrasts
 * @returns {string[]} one sentence; empty: no contrast shows a gain, or the first one does
 */
function crossoverSentence ({ directive, without }, contrasts) {
  const found = without.flatMap(name => contrasts.find(({ arm }) => arm === name) ?? [])
  const first = found.findIndex(({ verdict }) => verdict === 'slower')
  if (first < 1) return []
  const [before, at] = [found[first - 1], found[first]]
  return [`${directive} pays from somewhere between ${before.baseline} and ${at.baseline}.`]
}
