/** Limits the size of incoming messages. */

/** Size of the largest message, the configurations and logs of a run, with room for JSON's escapes. */
const MESSAGE_BYTES = 96 << 20
/** Length of "Content-Length: 12345678" and the other header that the base protocol of JSON-RPC permits. */
const HEADER_BYTES = 256
const END = '\r\n\r\n'
const HEADER = /^Content-Length: (\d{1,9})(?:\r\nContent-Type: [\w/; =-]+)?$/

/**
 * Passes valid messages and fails at the first invalid header, because the JSON-RPC reader behind it would buffer input
 * without limit.
 *
 * @param {AsyncIterable<Buffer>} chunks
 */
export async function * framesOnly (chunks) {
  let header = ''
  let left = 0
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      if (left > 0) {
        const length = Math.min(left, chunk.length - at)
        left -= length
        at += length
        continue
      }
      header += String.fromCharCode(chunk[at++])
      if (header.endsWith(END)) {
        const length = Number(HEADER.exec(header.slice(0, -END.length))?.[1] ?? NaN)
        if (!(length > 0 && length <= MESSAGE_BYTES)) throw new Error('it sent a message without an acceptable length')
        left = length
        header = ''
      } else if (header.length > HEADER_BYTES) throw new Error('it sent data without the header of a message')
    }
    yield chunk
  }
}
