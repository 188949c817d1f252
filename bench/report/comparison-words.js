/** What a comparison of two runs comes to, in sentences (pure). @import { Verdict } from '../analysis/change.js'
 * @import { ComparedPair, Comparison } from '../analysis/compare-runs.js' */
import { listing, percent } from '../shared/format.js'
import { unitOf } from '../shared/units.js'

/** @type {Record<Verdict, string>} */
export const VERDICTS = {
  faster: 'faster',
  slower: 'slower',
  cheaper: 'cheaper',
  costlier: 'costlier',
  'no-difference': 'as before',
  inconclusive: 'inconclusive',
  invalid: 'not measured',
  'not-comparable': 'not compared'
}

/** @type {(pair: { arm: string, baseline: string }) => string} */
export const pairName = ({ arm, baseline }) => `${arm} ÷ ${baseline}`

/** @param {Comparison} comparison @returns {string[]} sentences, what decides the exit code first */
export function conclusion (comparison) {
  const { margin, sees } = comparison
  const beyond = `by more than ${percent(margin)}`
  const deciding = decidingRows(comparison)
  const named = (/** @type {Verdict[]} */ ...verdicts) =>
    deciding.filter(({ verdict }) => verdicts.includes(verdict)).map(({ name }) => name)
  const [slower, costlier, open] = [named('slower'), named('costlier'), named('inconclusive', 'invalid')]
  return [
    ...slower.length > 0 ? [`Slower ${beyond}: ${listing(slower)}.`] : [],
    ...costlier.length > 0 ? [`Costlier ${beyond}: ${listing(costlier)}.`] : [],
    ...slower.length + costlier.length === 0
      ? [deciding.length > 0 ? `Nothing is shown to be slower ${beyond}.` : 'There was nothing to compare.']
      : [],
    ...open.length > 0 ? [`Inconclusive: ${listing(open)}.`] : [],
    ...deciding.length > 0
      ? [
          sees === null
            ? 'Some figures had too few blocks to detect a slowdown of any size.'
            : `Detectable slowdown of any figure at 80 % power: ${percent(sees)}.`
        ]
      : [],
    ...startsSentence(comparison),
    ...whatDecided(comparison)
  ]
}

/** @param {Comparison} comparison @returns {string[]} */
function startsSentence ({ runs, starts, arms }) {
  if (arms.length === 0) return []
  const { before, after } = starts
  if (before > 1 && after > 1) return [`The intervals are over starts: ${before} before, ${after} now.`]
  if (before < 2 && after < 2) {
    return ['Both runs have one start: what another start of the same programs would show is not in the intervals.']
  }
  const single = before < after ? runs.before : runs.after
  return [`${single} has one start: how far another one may differ is estimated from the starts of the other run.`]
}

/** @param {Comparison} comparison @returns {string[]} */
function whatDecided ({ ratesApart, contrasts, differences }) {
  // With rates the reader sees which of the two has moved.
  const turned = ratesApart !== null && contrasts.some(({ verdict }) => verdict === 'faster')
  return [
    ...ratesApart !== null
      ? [`Rates did not decide, because ${ratesApart}: ratios within each run and CPU time against the baseline's did.`]
      : [
          'The intervals include the noise within each run, but not what changes between runs, such as the speed ' +
        `of a shared machine${differences.length > 0 ? ', and these two runs differ in their set-up' : ''}.`
        ],
    ...ratesApart !== null && contrasts.length === 0
      ? [
          'A run of one arm has no ratios: give it a second one that does not change, as in hopbench run http-json ' +
        './my-app.js.'
        ]
      : [],
    ...turned ? ['An arm that became faster against its baseline may instead have a baseline that became slower.'] : []
  ]
}

/** Everything that decides, under the name that tables have for it. @param {Comparison} comparison
 * @returns {{ name: string, verdict: Verdict }[]} */
function decidingRows ({ contrasts, costs, arms, ratesApart, unit }) {
  const pairs = (/** @type {ComparedPair[]} */ list, /** @type {string} */ what) =>
    list.map(pair => ({ name: `${pairName(pair)}${what}`, verdict: pair.verdict }))
  return [
    ...pairs(contrasts, ''),
    ...pairs(costs, ` in CPU time for each ${unitOf(unit).per}`),
    ...ratesApart === null
      ? arms.map(({ arm, verdict }) => ({ name: `${arm} in ${unitOf(unit).perSecond}`, verdict }))
      : []
  ].filter(({ verdict }) => verdict !== 'not-comparable')
}

/** Why some rows are not compared, each said once. @param {Comparison} comparison @returns {string[]} */
export const reasons = (
  { contrasts, costs, arms, ratesApart }
) => [...new Set([...contrasts, ...costs, ...ratesApart === null ? arms : []].flatMap(row => {
  if (row.why === null) return []
  return [`${'baseline' in row ? pairName(row) : row.arm} is ${VERDICTS[row.verdict]}: ${row.why}.`]
}))]
