/** What a request carries, as an engine needs it. */

/** @import { Load } from '../types.js' */

const FILE = 'request.body'

/** @param {Pick<Load, 'body'>} load @returns {Buffer | null} null: nothing */
export const bodyOf = ({ body }) => body ? Buffer.from(body.base64 ?? '', 'base64') : null

/** @param {Pick<Load, 'body'>} load @param {string} dir the engine's folder
 * @returns {{ files: Record<string, Buffer>, file: string | null }} file: where it will lie; null: there is nothing */
export function bodyFile (load, dir) {
  const body = bodyOf(load)
  return body ? { files: { [FILE]: body }, file: `${dir}/${FILE}` } : { files: {}, file: null }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Of an engine that sends whatever it gets. */
export const ANY_METHOD = { withBody: METHODS, without: METHODS }
