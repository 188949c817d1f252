// Conditional requests with ETag and Last-Modified.
import { differs, fail, findWorst, pass, rfc9110, worst } from '../outcome.js'
import { DATA } from '../site.js'

/** @import { CheckResponse, Finding, Topic } from '../types.js' */

const NO_ETAG = differs('it sends no ETag')
const CONTRADICTED = 'a matching If-None-Match gets no 304 if If-Modified-Since contradicts it'
const NO_DATE = differs('it sends no Last-Modified')
/** Headers that a 304 must repeat (RFC 9110, 15.4.5). */
const REPEATED = ['etag', 'cache-control', 'vary', 'expires', 'content-location']

/**
 * Creates a probe that reads the validators of the file first.
 *
 * @param {string} name
 * @param {string} title
 * @param {string} section of RFC 9110
 * @param {(validators: { headers: Record<string, string>, etag?: string, modified?: string,
 *   get: (headers: Record<string, string>) => Promise<CheckResponse> }) => Promise<Finding>} run headers: of the file
 *   without a condition; get: requests the file with a condition
 */
const probe = (name, title, section, run) => rfc9110(name, title, section, async ({ request }) => {
  const { headers } = await request('/data.txt')
  const get = (/** @type {Record<string, string>} */ condition) => request('/data.txt', condition)
  return run({ headers, etag: headers.etag, modified: headers['last-modified'], get })
})

/**
 * Creates a probe of If-None-Match with a value that matches the ETag of the file.
 *
 * @param {string} name
 * @param {string} title
 * @param {(etag: string) => string} toValue
 * @param {string} meant
 */
const matchProbe = (name, title, toValue, meant) => probe(name, title, '13.1.2', async ({ etag, get }) =>
  etag ? unchanged(await get({ 'If-None-Match': toValue(etag) }), meant) : NO_ETAG)

/**
 * @param {CheckResponse} response
 * @param {string} meant condition of the request, which is ignored if the whole file is sent
 */
function unchanged (response, meant) {
  const { status, surplus } = response
  if (status === 304) return surplus.length > 0 ? fail(`304 with ${surplus.length} bytes of body`) : pass('304')
  return fail(status === 200 ? `200 with the whole file: ${meant} is ignored` : `status ${status}`)
}

/**
 * @param {CheckResponse} response
 * @param {string} why
 */
function whole ({ status, body }, why) {
  if (status === 200 && body.equals(DATA)) return pass('200 with the file')
  return fail(`status ${status}, although ${why}`)
}

/**
 * @param {string} date an HTTP date
 * @param {number} hours
 */
const later = (date, hours) => new Date(Date.parse(date) + hours * 3600_000).toUTCString()

/** @type {Topic} */
export default {
  topic: 'Conditional requests',
  probes: [
    probe('validators', 'responses carry ETag and Last-Modified', '8.8', async ({ etag, modified }) => {
      if (etag && modified) return pass('both')
      if (etag) return differs('no Last-Modified')
      return differs(modified ? 'no ETag' : 'neither')
    }),
    matchProbe('etag', 'If-None-Match with the ETag is 304', etag => etag, 'If-None-Match'),
    matchProbe('etag-list', 'If-None-Match finds the ETag in a list', etag => `"other", ${etag}`, 'the list'),
    matchProbe('etag-star', 'If-None-Match: * is 304 for any file', () => '*', 'the star'),
    matchProbe('etag-weak', 'If-None-Match compares weakly: W/"x" is "x"',
      etag => etag.startsWith('W/') ? etag.slice(2) : `W/${etag}`, 'the weak form'),
    probe('etag-other', 'If-None-Match with another ETag gets the file', '13.1.2', async ({ get }) =>
      whole(await get({ 'If-None-Match': '"other"' }), 'the ETag is another one')),
    probe('not-modified-head', '304 repeats ETag, Cache-Control and Vary', '15.4.5', async ({ etag, headers, get }) => {
      if (!etag) return NO_ETAG
      const response = await get({ 'If-None-Match': etag })
      if (response.status !== 304) return differs('there is no 304')
      const missing = REPEATED.filter(name => headers[name] !== undefined && response.headers[name] === undefined)
      return missing.length === 0 ? pass('all there') : fail(`304 without ${missing.join(', ')}`)
    }),
    probe('modified', 'If-Modified-Since with Last-Modified is 304', '13.1.3', async ({ modified, get }) =>
      modified ? unchanged(await get({ 'If-Modified-Since': modified }), 'If-Modified-Since') : NO_DATE),
    probe('modified-older', 'If-Modified-Since with an older or unreadable date gets the file', '13.1.3',
      async ({ modified, get }) => modified
        ? worst([
          whole(await get({ 'If-Modified-Since': later(modified, -24) }), 'the file is newer'),
          whole(await get({ 'If-Modified-Since': 'yesterday' }), 'the date cannot be read')
        ])
        : NO_DATE),
    probe('precedence', 'If-None-Match counts and If-Modified-Since beside it does not', '13.2.2',
      async ({ etag, modified, get }) => {
        if (!etag) return NO_ETAG
        if (!modified) return NO_DATE
        const other = whole(await get({ 'If-None-Match': '"other"', 'If-Modified-Since': later(modified, 1) }),
          'the ETag is another one')
        const same = await get({ 'If-None-Match': etag, 'If-Modified-Since': later(modified, -24) })
        const isWhole = same.status === 200
        return worst([other, isWhole ? fail(CONTRADICTED) : unchanged(same, 'If-None-Match')])
      }),
    probe('if-range', 'If-Range with a validator that holds gets the part', '13.1.5', async ({ get, ...found }) => {
      // A weak ETag is not allowed in If-Range, so the date is used instead.
      const validator = found.etag && !found.etag.startsWith('W/') ? found.etag : found.modified
      if (!validator) return differs('it sends no validator that can be used')
      const { status, body } = await get({ Range: 'bytes=0-9', 'If-Range': validator })
      if (status === 200) return differs('200 with the whole file')
      if (status !== 206) return fail(`status ${status}`)
      return body.equals(DATA.subarray(0, 10)) ? pass('206') : fail(`206 with ${body.length} bytes, not 10`)
    }),
    probe('if-range-stale', 'If-Range with one that does not hold gets the whole file', '13.1.5',
      async ({ modified, get }) => {
        const stale = { 'the ETag is another one': '"other"' }
        if (modified) Object.assign(stale, { 'the date is another one': later(modified, -24) })
        return findWorst(Object.entries(stale), async ([why, validator]) =>
          whole(await get({ Range: 'bytes=0-9', 'If-Range': validator }), why))
      })
  ]
}
