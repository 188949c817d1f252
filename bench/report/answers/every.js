/** All contrasts of a run as the answer to a question (pure). */
import { capitalize, count, listing } from '../../shared/format.js'
import { judgeBound, printRatioShare } from '../bounds.js'
import { printChange } from '../share-text.js'

/** @import { Contrast, RunRecord } from '../../types.js' */
/** @import { Question } from './questions.js' */

/**
 * Words for a directive by the verdict of the arm without it.
 * @type {[Contrast['verdict'], string][]}
 */
const SIZE_WORDS = [
  ['slower', 'pays'],
  ['faster', 'costs throughput'],
  ['no-difference', 'makes no difference'],
  ['inconclusive', 'its effect is open']
]

/**
 * Lists all contrasts: first the differences, the largest first, then those without a difference, then open ones.
 * @param {Question} question
 * @param {RunRecord} record
 * @returns {string[]}
 */
export function everySentences ({ names = {}, base, bySize }, { arms, contrasts: stored }) {
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
    ...bySize ? sizesSentence(bySize, contrasts) : [],
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
 * Reports the effect of a directive by the size of the files.
 * @param {NonNullable<Question['bySize']>} bySize
 * @param {Contrast[]} contrasts
 * @returns {string[]} one sentence at most
 */
function sizesSentence ({ directive, without }, contrasts) {
  const found = without.flatMap(name => contrasts.find(({ arm }) => arm === name) ?? [])
  const clauses = SIZE_WORDS.flatMap(([verdict, words]) => {
    const sizes = found.filter(contrast => contrast.verdict === verdict).map(({ baseline }) => baseline)
    return sizes.length === 0 ? [] : [`${words} at ${listing(sizes)}`]
  })
  return clauses.length === 0 ? [] : [`By the size of the files, ${directive} ${clauses.join('; ')}.`]
}
