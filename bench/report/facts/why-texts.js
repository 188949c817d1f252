/** Texts for the reasons behind the verdict of a contrast, the status of a claim and a comparison of two runs. */
import { count, percent, plural } from '../../shared/format.js'
import { countInvalid, printReason } from './reason-texts.js'
import { changeText, stillChangedText } from './steady-words.js'

/** @import { ChangeWhyParams, ClaimWhyParams, ContrastWhyParams, Drift } from '../../types.js' */

/** Prints why a bound does not decide. @param {{ arm: string }} params */
const notSaturatedText = ({ arm }) => `only a bound of the ratio is known, because ${arm} was not saturated`

/** Prints how a ratio changed within starts, and what to do. @param {Drift} params */
const driftText = ({ change }) =>
  `within a start the ratio ${changeText(change)}, so the arms were not warm: give the warm-up more time with --warm-up`

const GENERATOR_BOUND_BOTH = 'the load generator was the bottleneck in both arms'

/**
 * Adds to a text that more time on this machine would not lead to a verdict.
 * @type {(text: string, params: { unattainable?: true }) => string}
 */
const attainable = (text, { unattainable }) => unattainable ? `${text}: not attainable on this machine` : text

/**
 * Texts by code: clauses.
 * @type {{ [Code in keyof ContrastWhyParams]: (params: ContrastWhyParams[Code]) => string }}
 */
export const contrastWhyTexts = {
  'arm-invalid': ({ arm, reason }) => `${arm}: ${printReason(reason)}`,
  'too-few-blocks': ({ blocks, needed, lost }) => [
    `${blocks} of the ${needed} blocks that an interval of this level needs`,
    ...lost.map(({ arm, invalid, trials, reason }) =>
      `${countInvalid({ invalid, trials, arm })}: ${printReason(reason)}`)
  ].join('; '),
  'too-few-starts': ({ starts }) => `${starts} starts differ too much for an interval: measure longer (--budget)`,
  'not-steady': stillChangedText,
  drift: driftText,
  'generator-bound-both': () => GENERATOR_BOUND_BOTH,
  'generator-bound-arm': params =>
    attainable('the load generator was the bottleneck in the arm, which may be faster than this shows', params),
  'generator-bound-baseline': params =>
    attainable('the load generator was the bottleneck in the baseline, which may be faster than this shows', params),
  'not-saturated': notSaturatedText,
  'interval-too-wide': params => attainable('the interval includes both no difference and a relevant one', params),
  'below-noise-floor': ({ floor }) => `the difference is below the noise floor (A/A) of ${percent(floor)}`
}

/** Texts by code: clauses. @type {{ [Code in keyof ChangeWhyParams]: (params: ChangeWhyParams[Code]) => string }} */
export const changeWhyTexts = {
  'nothing-valid': () => 'nothing valid was measured',
  'one-start': () => 'one start does not show the variation between starts',
  'arm-invalid': ({ arm, reason }) => `${arm}: ${printReason(reason)}`,
  'other-arm': ({ arm = 'it' }) => `${arm} is another arm than before`,
  'load-bound': ({ arm }) =>
    arm === undefined ? 'the load was its bottleneck' : `the load was the bottleneck in ${arm}`,
  'not-steady': stillChangedText,
  drift: driftText,
  'units-differ': ({ before, after }) => `the one counted ${before}, the other ${after}`,
  'machines-differ': ({ differences }) => `the machines differ (${differences.join(', ')})`,
  'speed-unknown': () => "the machine's speed was not recorded",
  'rates-left-out': () => '--no-rates was given'
}

/** Prints from how many connections on errors came. @param {number | null} connections null: no errors came */
const firstErrorText = connections =>
  connections === null ? 'no errors at any step' : `errors from ${count(connections)} connections on`

/** Prints one step of a claimed order of arms, or its negation. @param {ClaimWhyParams['order-fails']} params */
const orderText = ({ more, less, margin, of }, isNegated = false) => {
  const verb = of === 'rate' ? ['is', 'is not', 'faster'] : ['takes', 'does not take', 'more']
  return `${more} ${verb[isNegated ? 1 : 0]} ${percent(margin)} ${verb[2]} than ${less}`
}

/** Prints how many cores a claim needs and how many there are. @param {ClaimWhyParams['too-few-cores']} params */
function coresText ({ needed, cores, left }) {
  const some = cores === 1 ? 'one core' : `${cores} cores`
  const available = left === cores
    ? `the served side has ${some} here`
    : `of ${some} here the load leaves ${left.toFixed(1)} to the served side`
  return `it is about ${needed} processes side by side, and ${available}`
}

/** Prints why a ratio is a bound or unknown. @param {ClaimWhyParams['generator-bound']} params */
function boundText ({ arm, known }) {
  if (arm === null) return `${GENERATOR_BOUND_BOTH}: the ratio is unknown`
  return `the load generator was the bottleneck in ${arm}: the ratio is only a bound (${known.replace('-', ' ')})`
}

/** Texts by code: clauses. @type {{ [Code in keyof ClaimWhyParams]: (params: ClaimWhyParams[Code]) => string }} */
export const claimWhyTexts = {
  'arm-not-run': ({ arm }) => `the arm ${arm} was not part of this run`,
  'arm-invalid': ({ arm, reason }) => `${arm} is invalid: ${printReason(reason)}`,
  'too-few-cores': coresText,
  'no-published-ratio': () => 'no ratio was published',
  'single-arm': () => 'it names a single arm',
  'too-few-blocks': ({ arm, baseline, blocks, needed }) =>
    `${arm} against ${baseline} has ${plural(blocks, 'valid block')}, and an interval needs ${needed}`,
  'not-steady': stillChangedText,
  drift: driftText,
  'ratio-place': ({ place, tolerance }) =>
    `the interval lies ${place} a factor of ${tolerance} of the published ratio`,
  'order-holds': ({ margin }) => `every step is beyond ${percent(margin)}`,
  'order-fails': params => orderText(params, true),
  'order-open': params => `whether ${orderText(params)} is open`,
  'flat-holds': ({ first, margin }) => `every arm is within ${percent(margin)} of ${first}`,
  'flat-fails': ({ arm, first, margin }) => `${arm} is not within ${percent(margin)} of ${first}`,
  'flat-open': ({ arm, first, margin }) => `whether ${arm} is within ${percent(margin)} of ${first} is open`,
  'not-a-listed-contrast': ({ arm, baseline, level }) =>
    `${arm} against ${baseline} is not a listed contrast: its ${percent(level)} interval is not adjusted for it`,
  'generator-bound': boundText,
  'not-saturated': notSaturatedText,
  'trials-agree': () => 'every trial agrees',
  'trials-disagree': ({ arm, logged, in: where }) => {
    const subject = logged === null ? 'errors' : `"${logged}" in the error log`
    return `${arm} had ${subject} in ${where === 'some' ? 'only some' : where} of its trials`
  },
  'too-few-trials': ({ arm, trials, needed }) => trials === 0
    ? `no trial of ${arm} is conclusive`
    : `${plural(trials, 'trial')} of ${arm} ${trials === 1 ? 'is' : 'are'} conclusive, and ${needed} are needed`,
  'no-steps': ({ protocol }) => `the protocol ${protocol} does not step up the connections until errors come`,
  'no-whole-block': () => 'no block reached its first errors or its last step',
  'published-first-error': ({ connections }) => `published: ${firstErrorText(connections)}`
}
