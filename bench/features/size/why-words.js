/** Texts for the reasons in a sizing: why a goal does not hold, or an offering or a prediction has no figure. */
import { printReason } from '../../report/facts/reason-texts.js'
import { count } from '../../shared/format.js'

/** @import { SizingWhy, SizingWhyParams } from '../../types.js' */

/** Texts by code: clauses. @type {{ [Code in keyof SizingWhyParams]: (params: SizingWhyParams[Code]) => string }} */
export const sizingWhyTexts = {
  'requests-failed': ({ failed, requests }) => `${failed} of ${requests} requests failed`,
  'trial-invalid': ({ reason }) => printReason(reason),
  'too-slow': ({ p99Ms, reason }) => {
    const slow = `one in a hundred took ${(p99Ms ?? NaN).toFixed(1)} ms or longer`
    return reason ? `${slow}, and ${printReason(reason)}` : slow
  },
  'no-cpu-promised': () => 'no CPU is promised',
  'memory-too-small': ({ neededMiB, usedMiB }) =>
    `its memory is too small: one process needs ${neededMiB} MiB, ${usedMiB} MiB under load and a quarter free`,
  'nothing-served': () => 'nothing was served',
  'too-few-instances': ({ most, limit }) =>
    `${limit === '--max' ? limit : 'its provider'} allows at most ${most} ${most === 1 ? 'instance' : 'instances'}`,
  'too-many-requests': ({ most }) => `its provider accepts at most ${count(most)} requests a second`,
  'too-many-connections': ({ most, needed }) =>
    `its provider accepts at most ${count(most)} connections, and ${count(needed)} requests would be in flight`,
  'no-price': () => 'its provider publishes no price',
  'goal-missed': () => 'an instance did not hold the goal under its limits',
  'too-few-cores': ({ cores, needed }) =>
    `${cores} of the machine's cores served, and the law needs ${needed} different numbers of processes with a core ` +
    'for each'
}

/**
 * Prints a reason of a sizing.
 *
 * @param {SizingWhy | null} [why]
 * @returns {string | null} a clause
 */
export const printSizingWhy = (why = null) => why && sizingWhyTexts[why.code](/** @type {never} */ (why.params))

/**
 * Prints the reasons of rows, each once.
 * @param {{ why: SizingWhy | null }[]} rows
 * @returns {string} clauses; empty: the rows have no reasons
 */
export const printReasonsOf = rows => [...new Set(rows.flatMap(({ why }) => printSizingWhy(why) ?? []))].join('; ')
