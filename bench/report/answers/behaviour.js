/** Runs with a scenario as answers to questions (pure). */
import { behaviourAnswer } from '../behaviour-answer.js'
import { ABOUT_BEHAVIOUR } from './about-behaviour.js'

/** @import { RunRecord } from '../../types.js' */
/** @import { Question } from './questions.js' */

/** @typedef {NonNullable<Question['forms']>[number]} AnswerForm */

/** The form that the run has stored. @type {AnswerForm[]} */
const AS_STORED = [{}]

/**
 * Returns the answer of a run in each form that the question declares, or in that of the run.
 * @param {Pick<Question, 'forms'>} question
 * @param {RunRecord} record
 * @returns {string[]} the answer first
 */
export const behaviourSentences = ({ forms = AS_STORED }, record) => forms.map(form =>
  behaviourAnswer(withForm(record, form), { requests: form.requests, unit: form.unit }))

/**
 * Returns the answer of a run that belongs to another question, in the first form of its own question.
 * @param {RunRecord} record
 */
export function relatedSentence (record) {
  const question = ABOUT_BEHAVIOUR.find(({ experiment }) => experiment === record.experiment)
  return `${record.question} ${behaviourSentences(question ?? {}, record)[0]}`
}

/**
 * Returns a run with the words of a form in place of those that were stored.
 * @param {RunRecord} record
 * @param {AnswerForm} form
 * @returns {RunRecord}
 */
export function withForm (record, { figure, group, names }) {
  const { answer } = record.plan
  return {
    ...record,
    plan: {
      ...record.plan,
      answer: {
        ...answer,
        ...figure !== undefined && { figure },
        ...group !== undefined && { group },
        ...names && { names: { ...answer?.names, ...names } }
      }
    }
  }
}
