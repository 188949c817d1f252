/** The body of requests, as engines need it. */

/** @import { Load } from '../types.js' */

const FILE = 'request.body'

/** Decodes the body of a load; null: none. @param {Pick<Load, 'body'>} load */
export const decodeBody = ({ body }) => body ? Buffer.from(body.base64 ?? '', 'base64') : null

/**
 * Returns the file that an engine reads the body from.
 * @param {Pick<Load, 'body'>} load
 * @param {string} dir the engine's folder
 * @returns {{ files: Record<string, Buffer>, file: string | null }} file: its path; null: no body
 */
export function bodyFile (load, dir) {
  const body = decodeBody(load)
  return body ? { files: { [FILE]: body }, file: `${dir}/${FILE}` } : { files: {}, file: null }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Methods of an engine that sends any method. */
export const ANY_METHOD = { withBody: METHODS, without: METHODS }
