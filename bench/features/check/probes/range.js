// Range requests.
import { differs, fail, pass, rfc9110 } from '../outcome.js'
import { DATA } from '../site.js'

/** @import { CheckResponse, Finding, Topic } from '../types.js' */

const LAST = DATA.length - 1
const IGNORED = differs('200 with the whole file: ranges are not supported')

/**
 * Whether the server ignored Range, which is allowed.
 *
 * @param {CheckResponse} response
 */
const isWhole = response => response.status === 200 && response.body.equals(DATA)

/**
 * @param {CheckResponse} response
 * @param {number} first
 * @param {number} last
 */
function part (response, first, last) {
  if (isWhole(response)) return IGNORED
  if (response.status !== 206) return fail(`status ${response.status}`)
  const [wanted, found] = [`bytes ${first}-${last}/${DATA.length}`, response.headers['content-range']]
  if (found !== wanted) return fail(`Content-Range: ${found}, not ${wanted}`)
  if (response.body.equals(DATA.subarray(first, last + 1))) return pass('206')
  return fail(`206 with other bytes than ${first} to ${last}`)
}

/**
 * @param {string} name
 * @param {string} title
 * @param {string} section of RFC 9110
 * @param {string} range
 * @param {(response: CheckResponse) => Finding} judge
 */
const probe = (name, title, section, range, judge) => rfc9110(name, title, section, async ({ request }) =>
  judge(await request('/data.txt', { Range: range })))

/** Parts that may replace two requested ones, 0-9 and 20-29: one of them, or both joined (RFC 9110, 15.3.7). */
const IN_PLACE_OF_TWO = [[0, 9], [20, 29], [0, 29]]

/**
 * Checks the response to the request for two parts.
 *
 * @param {CheckResponse} response
 */
function multipart (response) {
  const { 'content-type': type = 'none', 'content-range': range = 'no Content-Range' } = response.headers
  const boundary = /^multipart\/byteranges;.*boundary="?([^";]+)/i.exec(type)?.[1]
  if (!boundary) {
    const sent = IN_PLACE_OF_TWO.find(([first, last]) => part(response, first, last).outcome === 'pass')
    return sent ? differs(`206 with ${range} only`) : fail(`206 of type ${type} with ${range}`)
  }
  const parts = response.body.toString('latin1').split(`--${boundary}`).slice(1, -1)
    .map(text => text.slice(text.indexOf('\r\n\r\n') + 4, -2))
  const isRight = parts.join('|') === `${DATA.subarray(0, 10)}|${DATA.subarray(20, 30)}`
  return isRight ? pass('206, both parts') : fail('206 with other parts than those requested')
}

/**
 * Checks that an invalid Range is ignored, or refused.
 *
 * @param {CheckResponse} response
 * @param {number[]} rejections statuses that reject it
 */
function judgeInvalid (response, rejections) {
  const { status, headers } = response
  if (isWhole(response)) return pass('200 with the whole file')
  if (rejections.includes(status)) return pass(`${status}`)
  return fail(`status ${status}: read as ${headers['content-range'] ?? 'nothing'}`)
}

/** @type {Topic} */
export default {
  topic: 'Range',
  probes: [
    probe('range', 'a part: bytes=0-99', '14.1.2', 'bytes=0-99', response => part(response, 0, 99)),
    probe('range-open', 'from an offset on: bytes=9000-', '14.1.2', 'bytes=9000-',
      response => part(response, 9000, LAST)),
    probe('range-suffix', 'the last bytes: bytes=-5', '14.1.2', 'bytes=-5', response => part(response, LAST - 4, LAST)),
    probe('range-beyond', 'an end beyond the file is cut: bytes=9990-99999', '14.1.2', 'bytes=9990-99999',
      response => part(response, 9990, LAST)),
    probe('range-first', 'the first byte alone: bytes=0-0', '14.1.2', 'bytes=0-0', response => part(response, 0, 0)),
    probe('range-multiple', 'two parts, one of them, or both joined: bytes=0-9,20-29', '15.3.7', 'bytes=0-9,20-29',
      response => {
        if (isWhole(response)) return differs('200 with the whole file: several parts are not supported')
        return response.status === 206 ? multipart(response) : fail(`status ${response.status}`)
      }),
    probe('range-unsatisfiable', 'a part that is not there is 416 without the file', '15.5.17', 'bytes=99999-',
      response => {
        if (isWhole(response)) return IGNORED
        if (response.status !== 416) return fail(`status ${response.status}`)
        if (response.body.includes(DATA.subarray(0, 500))) return fail('416 with the body of the file')
        const { 'content-range': range } = response.headers
        if (range === `bytes */${DATA.length}`) return pass('416')
        return differs(`416 with ${range ? `Content-Range: ${range}` : 'no Content-Range'}`)
      }),
    probe('range-unit', 'a unit that is not known is ignored: lines=0-4', '14.2', 'lines=0-4',
      response => judgeInvalid(response, [])),
    probe('range-invalid', 'an end before the start is ignored or refused: bytes=9-2', '14.2', 'bytes=9-2',
      response => judgeInvalid(response, [400, 416]))
  ]
}
