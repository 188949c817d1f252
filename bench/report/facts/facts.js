/** Prints the facts of a record as texts. */
import { adviceTexts } from './advice-texts.js'
import { printReason } from './reason-texts.js'
import { findWarningText } from './warning-texts.js'
import { changeWhyTexts, claimWhyTexts, contrastWhyTexts } from './why-texts.js'
import { isSuggested } from '../../shared/commands.js'

/** @import { Advice, ArmResult, ChangeWhy, ClaimResult, ClaimWhy, Contrast } from '../../types.js' */
/** @import { OpenLoop, Reason, RunRecord, Warning } from '../../types.js' */
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
export function printClaimWhy ({ why }) {
  return why.map(printClaimFact).join('; ')
}

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
