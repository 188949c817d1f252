/** Reads the requests that a child in Node sends in turn (bench/load/request-body.js writes them). */
import { readFileSync } from 'node:fs'

/** @import { MixedRequest, RequestKind } from '../../types.js' */

/**
 * @typedef {object} Sent a request of a mix
 * @property {string} path
 * @property {string} method
 * @property {Record<string, string>} headers besides those of the load
 * @property {Buffer | undefined} body
 * @property {number | null} expectBytes of the response's body on the wire; null: not compared
 * @property {RequestKind} [kind] left out: the files of the app are unknown
 */

/** @typedef {{ requests: Sent[], sequence: number[] }} Mix sequence: indices of `requests` */

/**
 * @param {string | null} file
 * @returns {Mix | null} null: one request is repeated
 */
export function readMix (file) {
  if (file === null) return null
  const { requests, sequence } = JSON.parse(readFileSync(file, 'utf8'))
  return { requests: requests.map(toSent), sequence }
}

/**
 * Returns a request with its defaults and its decoded body.
 * @param {MixedRequest & Partial<Pick<Sent, 'expectBytes' | 'kind'>>} request
 * @returns {Sent}
 */
export const toSent = ({ path, method = 'GET', headers = {}, body, expectBytes = null, kind }) =>
  ({ path, method, headers, expectBytes, kind, body: body && Buffer.from(body.base64 ?? '', 'base64') })
