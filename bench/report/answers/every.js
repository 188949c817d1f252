/** All contrasts of a run as the answer to a question (pure). */
import { capitalize, count, listing } from '../../shared/format.js'
import { printRatioShare } from '../bounds.js'
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
export function everySentences ({ names = {}, base, beside = {}, bySize }, { arms, contrasts }) {
  const distance = (/** @type {Contrast} */ { ratio }) => Math.abs(Math.log(Number(ratio)))
  const print = (/** @type {Contrast} */ contrast) => {
    const { arm, baseline } = contrast
    const against = baseline === contrasts[0].baseline ? '' : `, against ${baseline}`
    return `${printRatioShare(contrast, arms, printChange)} with ${names[arm] ?? `${arm}${against}`}`
  }
  const valid = contrasts.filter(({ verdict }) => verdict !== 'invalid')
  const companions = new Map(valid.flatMap(({ arm }) => {
    const companion = valid.find(contrast => contrast.arm === beside[arm])
    return companion ? [[arm, companion]] : []
  }))
  const printBeside = (/** @type {Contrast} */ companion) =>
    `, and by ${print(companion)}${companion.verdict === 'inconclusive' ? ', which is open' : ''}`
  const list = (/** @type {Contrast['verdict'][]} */ ...verdicts) => contrasts
    .filter(contrast => verdicts.includes(contrast.verdict) && ![...companions.values()].includes(contrast))
    .sort((a, b) => distance(b) - distance(a))
    .map(contrast => {
      const companion = companions.get(contrast.arm)
      return `by ${print(contrast)}${companion ? printBeside(companion) : ''}`
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
  const crossover = findCrossover(found)
  return clauses.length === 0
    ? []
    : [`By the size of the files, ${directive} ${clauses.join('; ')}.${
        crossover.length > 0 ? ` It begins to pay between ${crossover.join(' and ')}.` : ''}`]
}

/**
 * Finds the sizes between which a directive begins to pay: the largest at which it costs, and the smallest above it at
 * which it pays.
 * @param {Contrast[]} contrasts of the arms without it, the smallest files first
 * @returns {string[]} two sizes; empty: it does not cost at a size and pay at a larger one
 */
function findCrossover (contrasts) {
  const costs = contrasts.findLastIndex(({ verdict }) => verdict === 'faster')
  const pays = costs === -1 ? undefined : contrasts.slice(costs).find(({ verdict }) => verdict === 'slower')
  return pays ? [contrasts[costs].baseline, pays.baseline] : []
}
