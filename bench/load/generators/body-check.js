/** Compares the bodies that an autocannon client gets with what they should be, byte for byte and as they come.
 * autocannon's own expectBody turns each chunk into text first: binary and compressed bodies, and a character that lies
 * across two chunks, then differ from themselves. */

/** @typedef {object} Client what is used of autocannon's client, which has no types
 * @property {{ addBody: (chunk: Buffer) => void, setHeaders: (headers: object) => void }} pipelinedRequests
 * @property {{ verifyBody?: () => boolean }} opts */

/** For autocannon's `setupClient`, with one request at a time on a connection.
 * @param {Buffer | null} expected null: bodies are not looked at, nor kept @returns {(client: any) => void} */
export const comparesBodies = expected => (/** @type {Client} */ client) => {
  const queue = client.pipelinedRequests
  if (!expected) {
    queue.addBody = () => {}
    return
  }
  let length = 0
  let same = true
  const setHeaders = queue.setHeaders.bind(queue)
  // With the headers a body begins anew, also after a connection that broke in the middle of one.
  queue.setHeaders = headers => {
    length = 0
    same = true
    setHeaders(headers)
  }
  queue.addBody = chunk => {
    const end = length + chunk.length
    // Beyond its end there is nothing to compare with: the length decides.
    same &&= end <= expected.length && chunk.compare(expected, length, end) === 0
    length = end
  }
  client.opts.verifyBody = () => same && length === expected.length
}
