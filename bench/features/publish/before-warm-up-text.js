/** Sentence about figures that are older than the measured warm-up (pure). */
import { isBeforeWarmUp } from './before-warm-up.js'

/** @import { RunRecord } from '../../types.js' */

/**
 * @param {RunRecord[]} records runs that a text is based on
 * @param {{ method?: string }} [page] method: docs/method.md, as the page links to it; left out: the terminal
 * @returns {string | null} null: each run waited for the steady state, or has no server of hopbench
 */
export function beforeWarmUpSentence (records, { method } = {}) {
  if (!records.some(isBeforeWarmUp)) return null
  const compiling = 'they contain time in which V8 was compiling'
  return method === undefined
    ? `The figures of Node are older than the measured warm-up: ${compiling}.`
    : `The figures of Node on this page are older than the measured warm-up ([method](${method}#warm-up)): ` +
      `${compiling}, and will be measured anew.`
}
