/** Outputs of records, each by the kind of its record. */
import { kindOf } from '../../bench/run/kinds.js'
import * as answers from '../../bench/features/publish/answers-text.js'
import * as json from '../../bench/report/facts/facts.js'
import * as md from '../../bench/report/markdown.js'
import * as text from '../../bench/report/text.js'

/** @import { Question } from '../../bench/features/publish/questions.js' */
/** @import { RunRecord } from '../../bench/types.js' */

/** @type {(record: RunRecord, options?: Parameters<typeof text.renderText>[2]) => string} */
export const renderText = (record, options) => text.renderText(record, kindOf(record), options)
/** @type {(record: RunRecord, options?: Parameters<typeof text.renderBrief>[2]) => string} */
export const renderBrief = (record, options) => text.renderBrief(record, kindOf(record), options)
/** @param {RunRecord} record */
export const findAnswer = record => kindOf(record).answer(record)
/** @param {RunRecord} record */
export const toAnswer = record => findAnswer(record).text
/** @param {RunRecord} record */
export const markdown = record => md.markdown(record, kindOf(record))
/** @param {RunRecord} record */
export const toJson = record => json.toJson(record, kindOf(record))
/** @type {(question: Question, records: RunRecord[]) => answers.Answer} */
export const answerTo = (question, records) => answers.answerTo(question, records, kindOf)
