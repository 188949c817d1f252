// Range: parts of a file.
import { differs, fail, pass } from '../outcome.js'
import { DATA } from '../site.js'

/** @import { Answer, Finding, Probe, Topic } from '../types.js' */

const LAST = DATA.length - 1
const IGNORED = differs('200 with the whole file: ranges are not supported')

/** A server may ignore Range, and then answers as if it were not there. @param {Answer} answer */
const isWhole = answer => answer.status === 200 && answer.body.equals(DATA)

/**
 * @param {Answer} answer
 * @param {number} first
 * @param {number} last
 */
function part (answer, first, last) {
  if (isWhole(answer)) return IGNORED
  if (answer.status !== 206) return fail(`status ${answer.status}`)
  const [wanted, found] = [`bytes ${first}-${last}/${DATA.length}`, answer.headers['content-range']]
  if (found !== wanted) return fail(`Content-Range: ${found}, not ${wanted}`)
  return answer.body.equals(DATA.subarray(first, last + 1))
    ? pass('206')
    : fail(`206 with other bytes than ${first} to ${last}`)
}

/**
 * @param {string} name
 * @param {string} title
 * @param {string} section of RFC 9110
 * @param {string} range
 * @param {(answer: Answer) => Finding} judge
 * @returns {Probe}
 */
const probe = (name, title, section, range, judge) => ({
  name,
  title,
  rfc: `RFC 9110, ${section}`,
  safety: false,
  run: async ({ ask }) => judge(await ask('/data.txt', { Range: range }))
})

/** Both parts must be there, each after its own head. @param {Answer} answer */
function multipart (answer) {
  const boundary = /^multipart\/byteranges;.*boundary="?([^";]+)/i.exec(answer.headers['content-type'] ?? '')?.[1]
  if (!boundary) {
    return fail(
      `206 of type ${answer.headers['content-type'] ?? 'none'} with ` +
      `${answer.headers['content-range'] ?? 'no Content-Range'}`
    )
  }
  const parts = answer.body.toString('latin1').split(`--${boundary}`).slice(1, -1).map(text =>
    text.slice(text.indexOf('\r\n\r\n') + 4, -2)
  )
  const wanted = [DATA.subarray(0, 10), DATA.subarray(20, 30)].map(String)
  return parts.join('|') === wanted.join('|')
    ? pass('206, both parts')
    : fail('206 with other parts than those asked for')
}

/** @type {Topic} */
export default {
  topic: 'Range',
  probes: [
    probe('range', 'a part: bytes=0-99', '14.1.2', 'bytes=0-99', answer => part(answer, 0, 99)),
    probe('range-open', 'from an offset on: bytes=9000-', '14.1.2', 'bytes=9000-', answer => part(answer, 9000, LAST)),
    probe('range-suffix', 'the last bytes: bytes=-5', '14.1.2', 'bytes=-5', answer => part(answer, LAST - 4, LAST)),
    probe('range-beyond', 'an end beyond the file is cut: bytes=9990-99999', '14.1.2', 'bytes=9990-99999',
      answer => part(answer, 9990, LAST)),
    probe('range-first', 'the first byte alone: bytes=0-0', '14.1.2', 'bytes=0-0', answer => part(answer, 0, 0)),
    probe('range-multiple', 'two parts: bytes=0-9,20-29', '14.6', 'bytes=0-9,20-29', answer => {
      if (isWhole(answer)) return differs('200 with the whole file: several parts are not supported')
      return answer.status === 206 ? multipart(answer) : fail(`status ${answer.status}`)
    }),
    probe('range-unsatisfiable', 'a part that is not there is 416 without the file', '15.5.17', 'bytes=99999-',
      answer => {
        if (isWhole(answer)) return IGNORED
        if (answer.status !== 416) return fail(`status ${answer.status}`)
        if (answer.body.includes(DATA.subarray(0, 500))) return fail('416 with the body of the file')
        const { 'content-range': range } = answer.headers
        return range === `bytes */${DATA.length}`
          ? pass('416')
          : differs(`416 with ${range ? `Content-Range: ${range}` : 'no Content-Range'}`)
      }),
    probe('range-unit', 'a unit that is not known is ignored: lines=0-4', '14.2', 'lines=0-4',
      answer =>
        isWhole(answer)
          ? pass('200 with the whole file')
          : fail(`status ${answer.status}: read as ${answer.headers['content-range'] ?? 'nothing'}`)),
    probe('range-invalid', 'an end before the start is ignored or refused: bytes=9-2', '14.2', 'bytes=9-2',
      answer => {
        if (isWhole(answer)) return pass('200 with the whole file')
        return [400, 416].includes(answer.status)
          ? pass(`${answer.status}`)
          : fail(`status ${answer.status}: read as ${answer.headers['content-range'] ?? 'nothing'}`)
      })
  ]
}
