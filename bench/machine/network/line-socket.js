/** Requests and replies of one line each over a socket, as counters of other processes are read. */

const REPLY_MS = 5000 // A process that is alive replies at once, or after the blocking work of its own code.

/**
 * Sends a line and waits for the reply.
 * @param {import('node:net').Socket} socket connected
 * @param {string} line without its end
 * @param {string} name of the other process, for the error
 * @returns {Promise<string | null>} null: the other process has closed the connection
 * @throws {Error} when there is no reply in time
 */
export function exchangeLine (socket, line, name) {
  return new Promise((resolve, reject) => {
    const settle = (/** @type {() => void} */ finish) => {
      clearTimeout(timer)
      socket.off('data', onData).off('close', onClose)
      finish()
    }
    const onData = (/** @type {Buffer} */ data) => settle(() => resolve(String(data)))
    const onClose = () => settle(() => resolve(null))
    const timer = setTimeout(
      () => settle(() => reject(new Error(`${name} did not respond within ${REPLY_MS / 1000} s`))),
      REPLY_MS
    )
    socket.on('data', onData).on('close', onClose)
    socket.write(`${line}\n`)
  })
}
