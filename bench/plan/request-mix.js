/** The requests of a load that sends more than one: paths, or requests with headers, methods and bodies (pure). */

/** @import { Load, MixedRequest, Unit } from '../types.js' */

/**
 * Requests of a mix.
 *
 * @typedef {object} Mixed
 * @property {MixedRequest[]} requests different ones
 * @property {number[]} sequence indices of `requests`, in the order of the load
 */

/**
 * Returns the different requests of a load and their sequence.
 *
 * @param {Pick<Load, 'paths' | 'requests' | 'sequence'>} load
 * @returns {Mixed | null} null: the load repeats one request
 */
export function findMix ({ paths, requests, sequence }) {
  if (requests) return { requests, sequence: sequence ?? requests.map((_, index) => index) }
  if (!paths) return null
  const indices = new Map([...new Set(paths)].map((path, index) => [path, index]))
  return {
    requests: [...indices.keys()].map(path => ({ path })),
    sequence: paths.map(path => /** @type {number} */ (indices.get(path)))
  }
}

/**
 * Returns the load with its sequence continued after a number of requests. Keeps the order of the requests, by which
 * the expected responses are numbered.
 *
 * @param {Load} load
 * @param {number} sent number of requests
 * @returns {Load} the same load if it repeats one request
 */
export function continueMix (load, sent) {
  const mix = findMix(load)
  if (!mix) return load
  const { paths, ...rest } = load
  const { requests, sequence } = mix
  const start = sent % sequence.length
  return { ...rest, requests, sequence: [...sequence.slice(start), ...sequence.slice(0, start)] }
}

/**
 * Returns the load without some requests.
 *
 * @param {Load} load that sends several
 * @param {{ has: (name: string) => boolean }} names of requests
 * @returns {Load}
 */
export function withoutRequests (load, names) {
  const { requests, sequence } = /** @type {Mixed} */ (findMix(load))
  const kept = sequence.flatMap(index => names.has(nameRequest(requests[index])) ? [] : [requests[index]])
  return { ...load, ...toMixLoad(kept, load.headers) }
}

/**
 * Names a request so that different requests have different names.
 *
 * @param {MixedRequest} request
 * @returns {string} "/app.js", "POST /cart (Content-Type: application/json, body 0a1b2c3d)"
 */
export function nameRequest ({ path, method = 'GET', headers = {}, body }) {
  const parts = [
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...body ? [`body ${body.id?.slice(0, 8)}`] : []
  ]
  return `${method === 'GET' ? '' : `${method} `}${path}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`
}

/**
 * Returns the fields of a load that sends these requests in turn. Paths and common headers, which every engine with a
 * list of paths can send, if the requests differ only by their paths.
 *
 * @param {MixedRequest[]} drawn in the order of the load
 * @param {Record<string, string>} headers of the load, which replace those of the requests
 * @returns {Pick<Load, 'path' | 'headers' | 'paths' | 'requests' | 'sequence'>}
 */
export function toMixLoad (drawn, headers) {
  const given = new Set(Object.keys(headers).map(name => name.toLowerCase()))
  const sent = drawn.map(request => withoutHeaders(request, given))
  const [{ path, headers: common }] = sent
  const isPlain = sent.every(({ method, body, headers }) => !method && !body && isSame(headers, common))
  if (isPlain) return { path, paths: sent.map(({ path }) => path), headers: { ...common, ...headers } }
  const requests = [...new Map(sent.map(request => [nameRequest(request), request])).values()]
  const indices = new Map(requests.map((request, index) => [nameRequest(request), index]))
  const sequence = sent.map(request => /** @type {number} */ (indices.get(nameRequest(request))))
  return { path, requests, sequence, headers }
}

/**
 * @param {MixedRequest} request
 * @param {Set<string>} names in lower case
 * @returns {MixedRequest}
 */
function withoutHeaders ({ headers = {}, ...request }, names) {
  const left = Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase()))
  return { ...request, ...left.length > 0 && { headers: Object.fromEntries(left) } }
}

/** @type {(a?: Record<string, string>, b?: Record<string, string>) => boolean} */
const isSame = (a = {}, b = {}) => JSON.stringify(a) === JSON.stringify(b)

/**
 * Returns the number of requests of one unit: all of one pass, if a load of several is counted by page views.
 * @param {Unit} unit
 * @param {Pick<Load, 'paths' | 'requests' | 'sequence'>} load
 */
export const countRequestsPerUnit = (unit, load) => unit === 'pages' ? findMix(load)?.sequence.length ?? 1 : 1
