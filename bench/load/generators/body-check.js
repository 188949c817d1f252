/** Compares the bodies that an autocannon client receives with the expected one, byte for byte. autocannon's own
 * expectBody converts each chunk to text, so that binary bodies, compressed bodies and characters across two chunks
 * never match. */

/**
 * The used part of autocannon's queue of the requests that wait for a response, which has no types.
 *
 * @typedef {object} Queue
 * @property {(chunk: Buffer) => void} addBody
 * @property {(headers: object) => void} setHeaders
 * @property {() => { req: { expectBytes?: number | null } } | undefined} peek
 * @property {() => number} size
 * @property {() => void} terminateRequest removes the oldest request
 */
/**
 * The used part of autocannon's client.
 *
 * @typedef {object} Client
 * @property {Queue} pipelinedRequests
 * @property {{ verifyBody?: () => boolean }} opts
 */

/**
 * Calls a function when a response begins, also after a connection that broke within a response. Before that, it
 * removes the requests of broken connections, which autocannon leaves in its queue: otherwise each later response would
 * count as that of the request before it.
 * @param {Queue} queue of a client with one request in flight
 * @param {() => void} begin
 */
function onResponse (queue, begin) {
  const setHeaders = queue.setHeaders.bind(queue)
  queue.setHeaders = headers => {
    while (queue.size() > 1) queue.terminateRequest()
    begin()
    setHeaders(headers)
  }
}

/**
 * Returns a function for autocannon's `setupClient`, for one request in flight per connection.
 * @param {Buffer | null} expected null: bodies are neither compared nor kept
 * @returns {(client: any) => void}
 */
export const comparesBodies = expected => (/** @type {Client} */ client) => {
  const queue = client.pipelinedRequests
  if (!expected) {
    queue.addBody = () => {}
    onResponse(queue, () => {})
    return
  }
  let length = 0
  let same = true
  onResponse(queue, () => {
    length = 0
    same = true
  })
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
  onResponse(queue, () => {
    length = 0
    expected = queue.peek()?.req.expectBytes ?? null
  })
  queue.addBody = chunk => { length += chunk.length }
  client.opts.verifyBody = () => expected === null || length === expected
}
