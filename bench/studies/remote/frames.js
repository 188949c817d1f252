/** Messages of another machine as they arrive: of no more than a size, or not at all. */
import { Transform } from 'node:stream'

/** The configurations and logs of a run, the largest of all messages, with room for JSON's escapes. */
export const MESSAGE_BYTES = 96 << 20
/** "Content-Length: 12345678", and what else the base protocol of JSON-RPC over pipes allows beside it. */
const HEADER_BYTES = 256
const END = '\r\n\r\n'
const HEADER = /^Content-Length: (\d{1,9})(?:\r\nContent-Type: [\w/; =-]+)?$/

/** Lets whole headers through, and of each message as many bytes as its header says; ends with an error at the first
 * header that is none. What reads behind it would collect whatever comes, and for ever. @returns {Transform} */
export function framesOnly () {
  let header = ''
  let left = 0
  /** @param {Buffer} chunk */
  const follow = chunk => {
    for (let at = 0; at < chunk.length;) {
      if (left > 0) {
        const part = Math.min(left, chunk.length - at)
        left -= part
        at += part
        continue
      }
      header += String.fromCharCode(chunk[at++])
      if (header.endsWith(END)) {
        const length = Number(HEADER.exec(header.slice(0, -END.length))?.[1] ?? NaN)
        if (!(length > 0 && length <= MESSAGE_BYTES)) throw new Error('it sent a message without an acceptable length')
        left = length
        header = ''
      } else if (header.length > HEADER_BYTES) throw new Error('it sent what is no message')
    }
  }
  return new Transform({
    transform (chunk, _encoding, done) {
      try {
        follow(chunk)
        done(null, chunk)
      } catch (error) {
        done(/** @type {Error} */ (error))
      }
    }
  })
}
