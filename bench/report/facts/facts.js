/** Prints the facts of a record as texts, and the record with them as JSON. */
import { changeText, countInvalid, printReason, stillChangedText } from './reason-texts.js'
import { findWarningText } from './warning-texts.js'
import { isSuggested } from '../../shared/commands.js'
import { count, listing, micros, percent, plural, rate } from '../../shared/format.js'
import { groupBy } from '../../shared/group-by.js'
import { STATIC_CODE, STATIC_FILE } from '../../shared/http/static-code.js'

/** @import { Advice, AdviceParams, AdvisedServer, ArmResult, ChangeWhy, ChangeWhyParams } from '../../types.js' */
/** @import { ClaimResult, ClaimWhy, ClaimWhyParams, Contrast, ContrastWhyParams, Drift } from '../../types.js' */
/** @import { Kind, OpenLoop, Reason, RunRecord, Warning } from '../../types.js' */
/** @import { Comparison } from '../../judge/runs/compare-runs.js' */

/**
 * @typedef {{ text: string, command: string | null }} Sentence command: printed after the text and a colon. It is one
 * that hopbench suggests (isSuggested()), because readers copy it; null: there is none
 */

const BOTH_WAITED = 'neither the load generator nor the served side was busy: each waited for the other'

/** Returns the command of a fact if hopbench suggests such a command. @param {{ command?: string }} fact */
const getCommand = ({ command }) => command !== undefined && isSuggested(command) ? command : null

/**
 * Prints a warning.
 *
 * @param {Warning} warning
 * @returns {{ code: string, text: string, remedy: Sentence }}
 */
export function printWarning (warning) {
  const { text, remedy } = findWarningText(warning)
  return { code: warning.code, text, remedy: { text: remedy, command: getCommand(warning) } }
}

/**
 * Prints a recommendation.
 *
 * @param {Advice} advice
 * @returns {Sentence}
 */
export const printAdvice = advice =>
  ({ text: adviceTexts[advice.code](/** @type {never} */ (advice.params)), command: getCommand(advice) })

/**
 * Prints the reason behind the verdict of a contrast.
 *
 * @param {Pick<Contrast, 'why'>} contrast
 * @returns {string | null} a clause
 */
export const printContrastWhy = ({ why }) => why && contrastWhyTexts[why.code](/** @type {never} */ (why.params))

/**
 * Prints the reasons behind the status of a claim.
 *
 * @param {Pick<ClaimResult, 'why'>} claim
 * @returns {string} clauses
 */
export const printClaimWhy = ({ why }) => why.map(printClaimFact).join('; ')

/** @param {ClaimWhy} fact */
const printClaimFact = ({ code, params }) => claimWhyTexts[code](/** @type {never} */ (params))

/**
 * Prints the reason behind a comparison of two runs.
 *
 * @param {ChangeWhy} why
 * @returns {string} a clause
 */
export const printChangeWhy = ({ code, params }) => changeWhyTexts[code](/** @type {never} */ (params))

/** Joins a sentence and its command in one line. @param {Sentence} sentence */
export const inOneLine = ({ text, command }) => command === null ? text : `${text}: ${command}`

/**
 * Adds texts to the reasons in the result of an arm.
 *
 * @param {ArmResult} arm
 */
const printArm = arm => ({
  ...arm,
  ...arm.boundWhy && { boundText: BOTH_WAITED },
  invalid: withText(arm.invalid),
  invalidTrials: arm.invalidTrials.map(trial => ({ ...trial, reason: withText(trial.reason) }))
})

/**
 * Returns a reason with its text; null remains null.
 *
 * @template {Reason | null} T
 * @param {T} reason
 */
export const withText = reason => reason && { ...reason, text: printReason(reason) }

/**
 * Adds texts to the reasons in an open loop.
 *
 * @param {OpenLoop} openLoop
 */
const printOpenLoop = openLoop =>
  ({ ...openLoop, arms: openLoop.arms.map(arm => ({ ...arm, why: withText(arm.why) })) })

/**
 * Adds a text to each fact of a record, for readers of the JSON of the command line.
 *
 * @param {RunRecord} record
 */
export const printRecord = record => ({
  ...record,
  arms: record.arms.map(printArm),
  ...record.openLoop && { openLoop: printOpenLoop(record.openLoop) },
  contrasts: record.contrasts.map(contrast =>
    ({ ...contrast, why: contrast.why && { ...contrast.why, text: printContrastWhy(contrast) } })),
  claims: record.claims.map(claim => ({
    ...claim, why: claim.why.map(fact => ({ ...fact, text: printClaimFact(fact) }))
  })),
  warnings: record.warnings.map(warning => {
    const { text, remedy } = printWarning(warning)
    return { ...warning, text, remedy: inOneLine(remedy) }
  }),
  recommendation: record.recommendation.map(advice => ({ ...advice, text: inOneLine(printAdvice(advice)) }))
})

/**
 * Replaces the facts of a comparison by texts, which programs expect in the JSON of the command line.
 *
 * @param {Comparison} comparison
 */
export const printComparisonFacts = comparison => ({
  ...comparison,
  contrasts: comparison.contrasts.map(printChange),
  costs: comparison.costs.map(printChange),
  arms: comparison.arms.map(printChange),
  ratesApart: comparison.ratesApart && printChangeWhy(comparison.ratesApart)
})

/**
 * Replaces the reason in a part of a comparison by its text.
 *
 * @template {{ why: ChangeWhy | null }} T
 * @param {T} change
 */
const printChange = change => ({ ...change, why: change.why && printChangeWhy(change.why) })

/** Texts of the recommendation of a static server. bench/judge/recommendation.js decides what is recommended. */

/** Most failures named beside a recommendation. `hopbench check` prints all of them. */
const MAX_NAMED = 3

/** Title of the probe of RFC 9110, 13.2.2, and its usual observation, which is about one of two requests. */
const PRECEDENCE = {
  title: 'If-None-Match counts and If-Modified-Since beside it does not',
  saw: '200 with the whole file: If-None-Match is ignored',
  text: 'a matching If-None-Match gets no 304 if If-Modified-Since contradicts it'
}

/** Prints an observation in a failed probe. @param {AdvisedServer['failures'][number]} failure */
const observation = ({ title, saw }) =>
  title === PRECEDENCE.title && saw === PRECEDENCE.saw ? PRECEDENCE.text : saw || title

/** Prints the rate, CPU time and memory of a server. @param {AdvisedServer} server */
const figures = ({ perSecond, cpuMicros, memoryMiB }) =>
  `${rate(perSecond)} req/s at ${micros(cpuMicros)} µs of CPU per request and ${count(memoryMiB)} MiB`

/**
 * Prints a factor and its basis. Rounds a lower bound down.
 * @param {number} factor
 * @param {string} other name of the slower server
 * @param {{ isLeast?: boolean, isByMedians?: boolean }} basis
 */
const times = (factor, other, { isLeast = false, isByMedians = false }) =>
  `${isLeast ? 'at least ' : ''}${(isLeast ? Math.floor(factor * 10) / 10 : factor).toFixed(1)} times ${other}` +
  (isByMedians ? ' by the medians' : '')

/**
 * Lists the observations in failed probes: crashes first, then the other failures. Limits their number.
 *
 * @param {AdvisedServer['failures']} failures
 */
function listFailures (failures) {
  const crashes = failures.filter(({ died }) => died)
  const others = failures.filter(({ died }) => !died)
  const crash = crashes.length === 1
    ? `it crashes in "${crashes[0].title}"`
    : `it crashes in ${others.length === 0 ? 'all' : crashes.length} of them`
  const observed = [...groupBy(others, observation)].map(([text, { length }]) =>
    length > 1 ? `${text} (${length} probes)` : text)
  const texts = [...crashes.length > 0 ? [crash] : [], ...observed]
  const unnamed = texts.length - MAX_NAMED
  return listing([...texts.slice(0, MAX_NAMED), ...unnamed > 0 ? [`${unnamed} more`] : []])
}

/** Prints the result of the check. A recommended server has failed no safety probe. @param {AdvisedServer} server */
const checkSentence = ({ failures }) => failures.length === 0
  ? 'The check found no failure.'
  : `The check found ${plural(failures.length, 'failure')}, none of them of safety: ${listFailures(failures)}.`

/**
 * Prints the recommended settings, and whether the figures are those with these settings.
 * @param {AdvisedServer} server
 */
const settingsSentence = ({ settings, isMeasuredSo }) => settings
  ? ` Set ${listing(settings)}: the check is of that form${isMeasuredSo ? '' : ', and the rate was measured without'}.`
  : ''

/**
 * Names the servers that are not shown to be slower, and why the recommended one comes before them.
 * @param {AdviceParams['node-serves']} server
 */
function alikeSentence ({ alike = [] }) {
  if (alike.length === 0) return ''
  const list = alike.map(({ arm, perSecond, memoryMiB, failures }) =>
    `${arm} (${rate(perSecond)} req/s, ${count(memoryMiB)} MiB, ${plural(failures, 'failure')})`)
  return ` Not shown to be slower: ${listing(list)}.`
}

/** Texts by code. @type {{ [Code in keyof AdviceParams]: (params: AdviceParams[Code]) => string }} */
export const adviceTexts = {
  'files-alike': ({ files }) =>
    `The rates below are over ${count(files)} files, each requested as often as the others.`,

  'proxy-serves': server => {
    const lead = server.timesNode === null
      ? ''
      : `, ${times(server.timesNode, 'the recommended Node server in one process', server)}`
    return `Where a proxy may serve the files, use ${server.arm}: ${figures(server)}${lead}. ${checkSentence(server)}`
  },

  'node-serves': server => {
    const rank = server.others === 0
      ? 'only one measured that fails no safety probe'
      : `best of ${count(server.others + 1)} that fail no safety probe as recommended` +
        (server.names ? ` (${listing([server.arm, ...server.names])})` : '')
    return `From Node itself use ${server.arm}: ${figures(server)}, the ${rank}. ${checkSentence(server)}` +
      settingsSentence(server) + alikeSentence(server)
  },

  'node-code': ({ server }) => {
    const packages = STATIC_CODE[server]?.packages ?? []
    return `Its packages are ${listing(packages)} (npm install ${packages.join(' ')}). The file ${STATIC_FILE} with ` +
      'the code in docs/static.md serves the folder public beside it, and this writes a deploy kit of it'
  },

  'node-from-disk': server =>
    `${server.inMemory} holds every file in memory and does not see one that is replaced: where files are many or ` +
    `change, use ${server.arm}: ${figures(server)}. ${checkSentence(server)}${settingsSentence(server)}`,

  'more-processes': server =>
    `With more processes ${server.arm} reaches ${figures(server)}, ${times(server.times, server.than, server)}.`,

  unsafe: ({ server, failures, withSettings, withoutSettings }) =>
    `${server} is not recommended: ${withSettings ? 'with its recommended settings, too, ' : ''}it fails ` +
    `${plural(failures.length, 'safety probe')} (${listFailures(failures)})` +
    `${withoutSettings ? ', and no setting of it removes all' : ''}.`,

  'unsafe-as-shipped': ({ server, failures, settings }) =>
    `${settings.length > 0 ? `As shipped ${server}` : `With Debian's default site ${server}`} fails ` +
    `${plural(failures.length, 'safety probe')} (${listFailures(failures)}); with ` +
    `${settings.length > 0 ? listing(settings) : 'the recommended configuration'} it does not.`,

  'not-checked': ({ servers }) => `Not checked yet, and so not recommended: ${listing(servers)}. Check with`,

  'checked-under': ({ day, node, otherRuntimes }) => {
    const excluded = otherRuntimes.length > 0
      ? `; arms under ${listing(otherRuntimes)} were not checked there and are not recommended`
      : ''
    return `The check of safety ran on ${day} under Node ${node}${excluded}.`
  }
}

/** Prints why a bound does not decide. @param {{ arm: string }} params */
const notSaturatedText = ({ arm }) => `only a bound of the ratio is known, because ${arm} was not saturated`

/** Prints how a ratio changed within starts, and what to do. @param {Drift} params */
const driftText = ({ change }) =>
  `within a start the ratio ${changeText(change)}, so the arms were not warm: give the warm-up more time with --warm-up`

const GENERATOR_BOUND_BOTH = 'the load generator was the bottleneck in both arms'
const BOUNDS_BOTH = 'the load generator was the bottleneck in one arm, and the other was not saturated'

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
  'too-few-starts': ({ starts }) => starts === 1
    ? 'one start does not show how starts differ: measure longer (--budget)'
    : `${starts} starts differ too much for an interval: measure longer (--budget)`,
  'not-steady': stillChangedText,
  drift: driftText,
  'generator-bound-both': () => GENERATOR_BOUND_BOTH,
  'bounds-both': () => BOUNDS_BOTH,
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
  'bounds-both': () => `${BOUNDS_BOTH}: the ratio is unknown`,
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
  'no-step-measured': () => 'no step was measured',
  'published-first-error': ({ connections }) => `published: ${firstErrorText(connections)}`
}

/**
 * Prints a record as JSON for programs: its answer first, and its facts with their texts.
 *
 * @param {RunRecord} record
 * @param {Kind} kind
 * @returns {string} ends with a line break
 */
export const toJson = (record, kind) =>
  `${JSON.stringify({ answer: kind.answer(record), ...kind.printFacts(record) }, null, 2)}\n`
