/** Holds a request in flight, so that something can happen to its server meanwhile. */
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { converse } from '../../machine/process.js'

const CLIENT = fileURLToPath(new URL('clients/held-request.js', import.meta.url))
/** Limit for a line of the client, which has a limit of its own. */
const LINE_MS = 8000

/**
 * Sends a request but for its last line.
 * @param {{ url: string, enter: string[], path: string, headers?: Record<string, string>, dir: string }} order
 *   dir: folder for the output of the client
 * @returns {Promise<{ isOpen: boolean, complete: () => Promise<boolean>, close: () => Promise<void> }>} isOpen: whether
 *   the connection was accepted; complete: sends the last line, and returns whether a response arrived
 */
export async function holdRequest ({ url, enter, path, headers, dir }) {
  const { hostname, port } = new URL(url)
  const client = converse({
    name: 'a request in flight',
    argv: [process.execPath, CLIENT],
    log: join(dir, 'held.log'),
    enter
  })
  const lines = createInterface({ input: client.stdout })
  // The client may have ended.
  client.stdin.on('error', () => {})
  const over = new AbortController()
  /** Returns the next line, or an empty one if there is none until the signal. @param {AbortSignal} signal */
  const nextLine = signal => once(lines, 'line', { signal }).then(([line]) => String(line), () => '')
  client.stdin.write(`${JSON.stringify({ host: hostname, port: Number(port), path, headers })}\n`)
  const isOpen = await nextLine(AbortSignal.timeout(LINE_MS)) === 'open'
  // Read from now on, because a server that drops the request ends it before its last line.
  const reply = nextLine(over.signal)
  return {
    isOpen,
    async complete () {
      client.stdin.write('\n')
      setTimeout(() => over.abort(), LINE_MS).unref()
      return await reply === 'response'
    },
    async close () {
      over.abort()
      lines.close()
      await client.ends(0)
    }
  }
}
