/** Compares the bodies that an autocannon client receives with the expected one, byte for byte. autocannon's own
 * expectBody converts each chunk to text, so that binary bodies, compressed bodies and characters across two chunks
 * never match. */

/** @typedef {object} Client the used part of autocannon's client, which has no types
 * @property {{ addBody: (chunk: Buffer) => void, setHeaders: (headers: object) => void, peek: () =>
 *   { req: { expectBytes?: number | null } } | undefined }} pipelinedRequests
 * @property {{ verifyBody?: () => boolean }} opts */

/**
 * Returns a function for autocannon's `setupClient`, for one request in flight per connection.
 * @param {Buffer | null} expected null: bodies are neither compared nor kept
 * @returns {(client: any) => void}
 */
export const comparesBodies = expected => (/** @type {Client} */ client) => {
  const queue = client.pipelinedRequests
  if (!expected) {
    queue.addBody = () => {}
    return
  }
  let length = 0
  let same = true
  const setHeaders = queue.setHeaders.bind(queue)
  // Headers begin a new body, also after a connection that broke within a body.
  queue.setHeaders = headers => {
    length = 0
    same = true
    setHeaders(headers)
  }
  queue.addBody = chunk => {
    const end = length + chunk.length
    // A body that is too long differs by its length.
    same &&= end <= expected.length && chunk.compare(expected, length, end) === 0
    length = end
  }
  client.opts.verifyBody = () => same && length === expected.length
}

/**
 * Compares the length of each body with that of its request, where several are sent and one is in flight. The contents
 * are compared by a sampler.
 * @param {any} autocannonClient
 */
export function comparesLengths (autocannonClient) {
  /** @type {Client} */
  const client = autocannonClient
  const queue = client.pipelinedRequests
  let length = 0
  /** @type {number | null} */
  let expected = null
  const setHeaders = queue.setHeaders.bind(queue)
  queue.setHeaders = headers => {
    length = 0
    expected = queue.peek()?.req.expectBytes ?? null
    setHeaders(headers)
  }
  queue.addBody = chunk => { length += chunk.length }
  client.opts.verifyBody = () => expected === null || length === expected
}
