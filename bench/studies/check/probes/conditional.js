// Conditional requests with ETag and Last-Modified.
import { differs, fail, findWorst, pass, rfc9110, worst } from '../outcome.js'
import { DATA } from '../site.js'

/** @import { CheckResponse, Context, Topic } from '../types.js' */

const NO_ETAG = differs('it sends no ETag')
const NO_DATE = differs('it sends no Last-Modified')
/** Headers that a 304 must repeat (RFC 9110, 15.4.5). */
const REPEATED = ['etag', 'cache-control', 'vary', 'expires', 'content-location']

/** @param {Context} context */
const validators = async ({ request }) => {
  const { headers } = await request('/data.txt')
  return { headers, etag: headers.etag, modified: headers['last-modified'] }
}

/**
 * Creates a probe of If-None-Match with a value that matches the ETag of the file.
 *
 * @param {string} name
 * @param {string} title
 * @param {(etag: string) => string} toValue
 * @param {string} meant
 */
const matchProbe = (name, title, toValue, meant) => rfc9110(name, title, '13.1.2', async context => {
  const { etag } = await validators(context)
  return etag ? unchanged(await context.request('/data.txt', { 'If-None-Match': toValue(etag) }), meant) : NO_ETAG
})

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
const whole = (response, why) =>
  response.status === 200 && response.body.equals(DATA)
    ? pass('200 with the file')
    : fail(`status ${response.status}, although ${why}`)

/**
 * @param {string} date an HTTP date
 * @param {number} hours
 */
const later = (date, hours) => new Date(Date.parse(date) + hours * 3600_000).toUTCString()

/** @type {Topic} */
export default {
  topic: 'Conditional requests',
  probes: [
    rfc9110('validators', 'responses carry ETag and Last-Modified', '8.8', async context => {
      const { etag, modified } = await validators(context)
      return etag && modified ? pass('both') : differs(etag ? 'no Last-Modified' : modified ? 'no ETag' : 'neither')
    }),
    matchProbe('etag', 'If-None-Match with the ETag is 304', etag => etag, 'If-None-Match'),
    matchProbe('etag-list', 'If-None-Match finds the ETag in a list', etag => `"other", ${etag}`, 'the list'),
    matchProbe('etag-star', 'If-None-Match: * is 304 for any file', () => '*', 'the star'),
    matchProbe('etag-weak', 'If-None-Match compares weakly: W/"x" is "x"',
      etag => etag.startsWith('W/') ? etag.slice(2) : `W/${etag}`, 'the weak form'),
    rfc9110('etag-other', 'If-None-Match with another ETag gets the file', '13.1.2', async context =>
      whole(await context.request('/data.txt', { 'If-None-Match': '"other"' }), 'the ETag is another one')),
    rfc9110('not-modified-head', '304 repeats ETag, Cache-Control and Vary', '15.4.5', async context => {
      const { etag, headers } = await validators(context)
      if (!etag) return NO_ETAG
      const response = await context.request('/data.txt', { 'If-None-Match': etag })
      if (response.status !== 304) return differs('there is no 304')
      const missing = REPEATED.filter(name => headers[name] !== undefined && response.headers[name] === undefined)
      return missing.length === 0 ? pass('all there') : fail(`304 without ${missing.join(', ')}`)
    }),
    rfc9110('modified', 'If-Modified-Since with Last-Modified is 304', '13.1.3', async context => {
      const { modified } = await validators(context)
      return modified
        ? unchanged(await context.request('/data.txt', { 'If-Modified-Since': modified }), 'If-Modified-Since')
        : NO_DATE
    }),
    rfc9110('modified-older', 'If-Modified-Since with an older or unreadable date gets the file', '13.1.3',
      async context => {
        const { modified } = await validators(context)
        if (!modified) return NO_DATE
        return worst([
          whole(await context.request('/data.txt', { 'If-Modified-Since': later(modified, -24) }), 'the file is newer'),
          whole(await context.request('/data.txt', { 'If-Modified-Since': 'yesterday' }), 'the date cannot be read')
        ])
      }),
    rfc9110('precedence', 'If-None-Match counts and If-Modified-Since beside it does not', '13.2.2', async context => {
      const { etag, modified } = await validators(context)
      if (!etag || !modified) return etag ? NO_DATE : NO_ETAG
      return worst([
        whole(
          await context.request('/data.txt', { 'If-None-Match': '"other"', 'If-Modified-Since': later(modified, 1) }),
          'the ETag is another one'
        ),
        unchanged(
          await context.request('/data.txt', { 'If-None-Match': etag, 'If-Modified-Since': later(modified, -24) }),
          'If-None-Match'
        )
      ])
    }),
    rfc9110('if-range', 'If-Range with a validator that holds gets the part', '13.1.5', async context => {
      const { etag, modified } = await validators(context)
      // A weak ETag is not allowed in If-Range, so the date is used instead.
      const validator = etag && !etag.startsWith('W/') ? etag : modified
      if (!validator) return differs('it sends no validator that can be used')
      const response = await context.request('/data.txt', { Range: 'bytes=0-9', 'If-Range': validator })
      if (response.status === 206) {
        return response.body.equals(DATA.subarray(0, 10))
          ? pass('206')
          : fail(`206 with ${response.body.length} bytes, not 10`)
      }
      return response.status === 200 ? differs('200 with the whole file') : fail(`status ${response.status}`)
    }),
    rfc9110('if-range-stale', 'If-Range with one that does not hold gets the whole file', '13.1.5', async context => {
      const { modified } = await validators(context)
      const staleValidators = {
        'the ETag is another one': '"other"',
        ...modified && { 'the date is another one': later(modified, -24) }
      }
      return findWorst(Object.entries(staleValidators), async ([why, validator]) =>
        whole(await context.request('/data.txt', { Range: 'bytes=0-9', 'If-Range': validator }), why))
    })
  ]
}
