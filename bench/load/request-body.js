/** The bodies of requests and the requests of a mix, as engines need them. */
import { isFileRequest } from '../plan/file-prefixes.js'
import { findMix } from '../plan/request-mix.js'

/** @import { Load, MixedRequest, Target } from '../types.js' */

export { findMix }

const BODY_FILE = 'request.body'
const MIX_FILE = 'requests.json'

/** Decodes the body of a load; null: none. @param {Pick<Load, 'body'>} load */
export const decodeBody = ({ body }) => body ? Buffer.from(body.base64 ?? '', 'base64') : null

/**
 * Returns the file that an engine reads the body from.
 * @param {Pick<Load, 'body'>} load
 * @param {string} dir the engine's folder
 * @returns {{ files: Record<string, Buffer>, file: string | null }} file: its path; null: no body
 */
export function toBodyFile (load, dir) {
  const body = decodeBody(load)
  return body ? { files: { [BODY_FILE]: body }, file: `${dir}/${BODY_FILE}` } : { files: {}, file: null }
}

/**
 * Returns the requests that checker.js sends in turn.
 *
 * @param {Pick<Load, 'path'> & Partial<Load>} load
 * @returns {MixedRequest[]}
 */
export const toRequests = ({ path, method, body, ...load }) => findMix(load)?.requests ?? [{ path, method, body }]

/**
 * Returns the file from which the engines in Node read a mix, because an environment variable is too short for it.
 *
 * @param {Load} load
 * @param {Pick<Target, 'expectMix' | 'filePrefixes'>} target
 * @param {string} dir the engine's folder
 * @returns {{ files: Record<string, string>, file: string | null }} file: its path; null: no mix
 */
export function toMixFile (load, { expectMix, filePrefixes }, dir) {
  const mix = findMix(load)
  if (!mix) return { files: {}, file: null }
  const requests = mix.requests.map((request, i) => ({
    ...request,
    expectBytes: expectMix?.[i]?.bytes ?? null,
    ...filePrefixes && { kind: isFileRequest(filePrefixes, request) ? 'files' : 'app' }
  }))
  return { files: { [MIX_FILE]: JSON.stringify({ ...mix, requests }) }, file: `${dir}/${MIX_FILE}` }
}

/** Methods that --method takes. HEAD is excluded because its responses have no body, and generators wait for a body. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Methods that an engine without restrictions sends with a body, and without one. */
export const ANY_METHOD = { withBody: METHODS, without: METHODS }
