/** Parses HTTP/1.1 responses from the bytes of a connection (pure). */

/**
 * @typedef {object} Message
 * @property {number} status
 * @property {Record<string, string>} headers names in lower case; repeated ones joined by ", "
 * @property {Buffer} body without chunks
 * @property {boolean} complete false: a part of the body is missing
 * @property {Buffer} surplus bytes after the message on the same connection
 */

const HEAD_END = '\r\n\r\n'

/**
 * @param {Buffer} bytes
 * @param {{ method: string, closed: boolean }} request closed: whether the connection is closed
 * @returns {Message | null} null: the head is not complete yet
 */
export function readMessage (bytes, { method, closed }) {
  const end = bytes.indexOf(HEAD_END)
  if (end === -1) return null
  const [statusLine, ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine)?.[1] ?? NaN)
  const headers = parseHeaders(lines)
  const rest = bytes.subarray(end + HEAD_END.length)
  // Skips informational responses (100, 103).
  if (status < 200) return readMessage(rest, { method, closed })
  return { status, headers, ...parseBody(rest, { status, headers, method, closed }) }
}

/** @param {string[]} lines */
function parseHeaders (lines) {
  /** @type {Record<string, string>} */
  const headers = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    const [name, value] = [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value
  }
  return headers
}

/**
 * Determines the length of the body (RFC 9112, section 6.3).
 *
 * @param {Buffer} rest
 * @param {{ status: number, headers: Record<string, string>, method: string, closed: boolean }} message
 */
function parseBody (rest, { status, headers, method, closed }) {
  const none = Buffer.alloc(0)
  if (method === 'HEAD' || status === 204 || status === 304) return { body: none, complete: true, surplus: rest }
  if (/\bchunked\b/i.test(headers['transfer-encoding'] ?? '')) return unchunk(rest)
  if (headers['content-length'] !== undefined) {
    const length = Number(headers['content-length'])
    return { body: rest.subarray(0, length), complete: rest.length >= length, surplus: rest.subarray(length) }
  }
  return { body: rest, complete: closed, surplus: none }
}

/** @param {Buffer} rest */
function unchunk (rest) {
  const chunks = []
  for (let at = 0; ;) {
    const lineEnd = rest.indexOf('\r\n', at)
    const size = lineEnd === -1 ? NaN : parseInt(rest.toString('latin1', at, lineEnd), 16)
    const start = lineEnd + 2
    if (!Number.isFinite(size) || rest.length < start + size + 2) {
      return { body: Buffer.concat(chunks), complete: false, surplus: Buffer.alloc(0) }
    }
    if (size === 0) return { body: Buffer.concat(chunks), complete: true, surplus: rest.subarray(start + 2) }
    chunks.push(rest.subarray(start, start + size))
    at = start + size + 2
  }
}
