/** Errors of a trial: how many there are, and whether they are more than a stray one (pure). */
import { ERROR_SHARE_LIMIT } from './thresholds.js'

/** @import { Sample } from '../types.js' */

/** Are a trial's errors more than a stray one? @param {Pick<Sample, 'errors' | 'requests'>} sample */
export const showsErrors = ({ errors, requests }) => errorsOf(errors) > ERROR_SHARE_LIMIT * requests

/** All errors of a trial, of whatever kind. @param {Sample['errors']} errors */
export const errorsOf = ({ non2xx, timeouts, resets, mismatches }) => non2xx + timeouts + resets + mismatches

/** Is an answer of this status an error? What is neither 2xx nor 304 (Not Modified) is no answer to a GET that the gate
 * has let pass: also a redirect. @param {number} status */
export const isErrorStatus = status => (status < 200 || status > 299) && status !== 304
