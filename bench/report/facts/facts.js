/** Puts the facts of a record into words. Records of schema 1 stored the words; these are printed as they are. */
import { adviceTexts } from './advice-texts.js'
import { warningTexts } from './warning-texts.js'
import { claimWhyTexts, contrastWhyTexts } from './why-texts.js'

/** @import { Advice, ArmResult, ClaimResult, Contrast, OldWarning, RunRecord, Warning } from '../../types.js' */

/** @typedef {{ text: string, command: string | null }} Sentence a command follows its text and a colon */

const BOTH_WAITED = 'neither the load generator nor the served side was busy: each waited for the other'

/**
 * Looks up the text of a fact. A stored record can have a code or parameters that this version does not know: its code
 * is printed instead.
 *
 * @template Params
 * @template {keyof Params & string} Code
 * @template Text
 * @param {{ [C in keyof Params]: (params: Params[C]) => Text }} texts
 * @param {{ code: Code, params: Params[Code] }} fact
 * @returns {Text | null} null: unknown
 */
function findText (texts, { code, params }) {
  if (!Object.hasOwn(texts, code)) return null
  try {
    return texts[code](params)
  } catch {
    return null
  }
}

/**
 * Separates a command that schema 1 stored at the end of a sentence.
 *
 * @param {string} stored
 * @returns {Sentence}
 */
function splitOldSentence (stored) {
  const at = stored.lastIndexOf(': npm run ')
  if (at === -1) return { text: stored, command: null }
  return { text: stored.slice(0, at), command: stored.slice(at + 2).replace(/\.$/, '') }
}

/**
 * @param {Warning | OldWarning} warning
 * @returns {{ code: string, text: string, remedy: Sentence }}
 */
export function printWarning (warning) {
  if ('text' in warning) return { ...warning, remedy: splitOldSentence(warning.remedy) }
  const { code, command = null } = warning
  const { text, remedy } = findText(warningTexts, warning) ?? { text: `${code}.`, remedy: 'update hopbench.' }
  return { code, text, remedy: { text: remedy, command } }
}

/**
 * @param {Advice | string} advice
 * @returns {Sentence}
 */
export function printAdvice (advice) {
  if (typeof advice === 'string') return splitOldSentence(advice)
  return { text: findText(adviceTexts, advice) ?? `${advice.code}.`, command: advice.command ?? null }
}

/**
 * @param {Pick<Contrast, 'why'>} contrast
 * @returns {string | null} a clause
 */
export function printContrastWhy ({ why }) {
  if (why === null || typeof why === 'string') return why
  return findText(contrastWhyTexts, why) ?? why.code
}

/**
 * @param {Pick<ClaimResult, 'why'>} claim
 * @returns {string} clauses
 */
export function printClaimWhy ({ why }) {
  if (typeof why === 'string') return why
  return why.map(fact => findText(claimWhyTexts, fact) ?? fact.code).join('; ')
}

/** Joins a sentence and its command in one line. @param {Sentence} sentence */
export const inOneLine = ({ text, command }) => command === null ? text : `${text}: ${command}`

/**
 * @param {ArmResult} arm
 * @returns {ArmResult}
 */
const printArm = arm => arm.boundWhy === 'both-waited' ? { ...arm, boundWhy: BOTH_WAITED } : arm

/**
 * Replaces the facts of a record by words, as programs that read the printed JSON expect them. Warnings keep their
 * codes and parameters.
 *
 * @param {RunRecord} record
 * @returns {Omit<RunRecord, 'warnings' | 'recommendation'> & { warnings: OldWarning[], recommendation?: string[] }}
 */
export function printRecord (record) {
  return {
    ...record,
    arms: record.arms.map(printArm),
    contrasts: record.contrasts.map(contrast => ({ ...contrast, why: printContrastWhy(contrast) })),
    claims: record.claims.map(claim => ({ ...claim, why: printClaimWhy(claim) })),
    warnings: record.warnings.map(warning => {
      if ('text' in warning) return warning
      const { text, remedy } = printWarning(warning)
      return { ...warning, text, remedy: inOneLine(remedy) }
    }),
    recommendation: record.recommendation?.map(advice =>
      typeof advice === 'string' ? advice : inOneLine(printAdvice(advice)))
  }
}
