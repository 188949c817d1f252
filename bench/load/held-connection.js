/** Holds a connection to a server, so that something can happen to the server meanwhile. */
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { converse } from '../machine/process.js'

const CLIENT = fileURLToPath(new URL('generators/held-client.js', import.meta.url))
/** Limit for a line of the client, which has a limit of its own. */
const LINE_MS = 8000

/**
 * Open request, kept connection after a response, response without an end, or upgraded connection.
 * @typedef {'request' | 'idle' | 'stream' | 'websocket'} HeldType
 */
/**
 * keepAlive: value of the header; isLast: the server closes the connection after this response.
 * @typedef {{ status: number, keepAlive: string | null, isLast: boolean }} HeldResponse
 */
/**
 * Address and request. dir: folder for the output of the client.
 * @typedef {{ url: string, socketPath?: string | null, enter: string[], path: string, headers?: Record<string, string>,
 *   dir: string }} HeldOrder
 */

/**
 * isOpen: whether the connection is held; first: response on the new connection; send: sends the last line, or on
 * an idle connection another request; readReply: returns the response to that; complete: does both; waitForClose:
 * returns the milliseconds after which the server closed the connection, null: later than the limit.
 * @typedef {{ isOpen: boolean, first: HeldResponse | null, send: () => Promise<void>,
 *   readReply: () => Promise<HeldResponse | null>, complete: () => Promise<HeldResponse | null>,
 *   waitForClose: (ms: number) => Promise<number | null>, close: () => Promise<void> }} HeldConnection
 */

/**
 * Opens a connection: with a request that lacks its last line, or with a response.
 * @param {HeldType} type
 * @param {HeldOrder} order
 * @returns {Promise<HeldConnection>}
 */
export async function holdConnection (type, { url, enter, dir, ...request }) {
  const { hostname: host, port } = new URL(url)
  const client = converse({
    name: 'a held connection', argv: [process.execPath, CLIENT], log: join(dir, 'held.log'), enter
  })
  const lines = createInterface({ input: client.stdout })
  // The client may have ended.
  client.stdin.on('error', () => {})
  // All are read from now on, because a server may close the connection at any time.
  const read = (/** @type {string} */ event) => new Promise(resolve => {
    lines.on('line', line => {
      const value = JSON.parse(line)
      if (event in value) resolve(value[event])
    }).once('close', () => resolve(null))
  })
  const [open, opened, sent, reply, closed] = ['open', 'first', 'sent', 'reply', 'closed'].map(read)
  const within = (/** @type {number} */ ms, /** @type {Promise<any>} */ value) =>
    Promise.race([value, sleep(ms, null, { ref: false })])
  client.stdin.write(`${JSON.stringify({ type, host, port: Number(port), ...request })}\n`)
  const isOpen = await within(LINE_MS, open) === true
  const send = async () => {
    client.stdin.write('\n')
    await within(LINE_MS, sent)
  }
  const readReply = () => within(LINE_MS, reply)
  return {
    isOpen,
    first: await within(0, opened),
    send,
    readReply,
    complete: () => send().then(readReply),
    waitForClose: ms => within(ms, closed),
    async close () {
      lines.close()
      await client.ends(0)
    }
  }
}
