/** Facts about one trial (pure). */
import { CLIENT_SHARE_LIMIT, ERROR_SHARE_LIMIT } from './thresholds.js'

/** @import { Sample } from '../types.js' */

/**
 * Code of a trial in which a process of the arm ended by itself. The arm is not measured again.
 * @type {'process-died'}
 */
export const DIED = 'process-died'

/** Counts of a trial that was not made or broke off. */
export const EMPTY = {
  requests: 0,
  seconds: 0,
  rps: 0,
  errors: { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 },
  cpuSeconds: { load: 0, proxy: 0, server: 0, idle: 0 },
  memoryMiB: { proxy: 0, server: 0 },
  proof: {
    upstreamConnectionsPerRequest: null,
    cacheHitRatio: null,
    cacheExpiries: null,
    socketType: /** @type {'none'} */ ('none')
  }
}

/**
 * Returns whether a trial had more errors than an occasional one, among its requests or among its clients. Clients
 * without a connection send no requests, so they are few beside those of the others.
 * @param {Pick<Sample, 'errors' | 'requests' | 'requestsPerUnit' | 'unserved'>} sample
 */
export const showsErrors = sample => errorsOf(sample.errors) > ERROR_SHARE_LIMIT * countRequests(sample) ||
  (sample.unserved !== undefined && sample.unserved.clients > CLIENT_SHARE_LIMIT * sample.unserved.of)

/**
 * Returns the number of requests of a trial that counts them or page views.
 * @param {Pick<Sample, 'requests' | 'requestsPerUnit'>} sample
 */
export const countRequests = ({ requests, requestsPerUnit = 1 }) => Math.round(requests * requestsPerUnit)

/** Counts the errors of a trial, of all kinds. @param {Sample['errors']} errors */
export const errorsOf = ({ non2xx, timeouts, resets, mismatches }) => non2xx + timeouts + resets + mismatches

/**
 * Returns whether a status is an error: neither 2xx nor 304 (Not Modified). A redirect is an error too, because the
 * gate has already accepted only direct responses.
 * @param {number} status
 */
export const isErrorStatus = status => (status < 200 || status > 299) && status !== 304
