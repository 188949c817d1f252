/** Starts the child process with the clients of a rollout in the network of a build. */
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { HopbenchError } from '../../../errors.js'
import { toAddress } from '../../../load/scenario-client.js'
import { converse, readLastLines } from '../../../machine/process.js'
import { attempt } from '../../../shared/attempt.js'

const CHILD = fileURLToPath(new URL('visits-child.js', import.meta.url))
const END_SECONDS = 2 // The child ends by itself after its last line.

/**
 * @param {{ url: string, enter: string[], dir: string }} target enter: argv prefix that enters the network of the
 *   clients; dir: folder of a log
 * @param {object} order of the child, without the address
 * @returns {{ read: (seconds: number) => Promise<any>, end: () => void, close: () => Promise<void> }} read: returns the
 *   next value of the child, or ends the child and rejects with gate-refused; end: lets visits end
 */
export function startClient ({ url, enter, dir }, order) {
  const log = join(dir, 'clients.log')
  const child = converse({ name: 'the clients of a rollout', argv: [process.execPath, CHILD], enter, log })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  // The child may have ended.
  child.stdin.on('error', () => {})
  child.stdin.write(`${JSON.stringify({ ...order, address: toAddress({ url, socketPath: null }) })}\n`)
  return {
    async read (seconds) {
      const over = new AbortController()
      const late = sleep(seconds * 1000, null, { signal: over.signal }).catch(() => null)
      const line = await Promise.race([lines.next(), late])
      over.abort()
      const value = attempt(() => JSON.parse(String(line?.value)), () => null)
      if (value !== null) return value
      await child.ends(0)
      const why = line === null ? `its clients returned nothing within ${seconds} s` : 'its clients have ended'
      throw new HopbenchError('gate-refused', { name: 'app', why, output: readLastLines(log) })
    },
    end: () => { child.stdin.write('end\n') },
    close: () => child.ends(END_SECONDS)
  }
}
