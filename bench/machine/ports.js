/** Ports of the host's shared loopback, promised to programs that do not listen there yet. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { HopbenchError } from '../errors.js'

/** @import { Server } from 'node:net' */

/** So many ports above the wanted one are tried, all of them below the range of ephemeral ports. */
const PORTS_TRIED = 2000
const HIGHEST_PORT = 65535
/** @type {Map<number, Server | null>} null: this system has no abstract sockets */
const promised = new Map()

/**
 * On a shared loopback the wanted port may be taken: then the next free one. Not one that the kernel picks: until the
 * program listens there, an outgoing connection may get it.
 * @throws {HopbenchError} no-port
 */
export async function freePort (/** @type {number} */ wanted, /** @type {string} */ address) {
  const last = Math.min(HIGHEST_PORT, wanted + PORTS_TRIED - 1)
  for (let port = wanted; port <= last; port++) {
    if (!await promise(port)) continue
    if (await isFree(port, address)) return port
    releasePort(port)
  }
  throw new HopbenchError('no-port', { from: wanted, to: last, address })
}

/** What was promised may be given to another. */
export function releasePort (/** @type {number} */ port) {
  promised.get(port)?.close()
  promised.delete(port)
}

/**
 * Other hopbenches must not promise it, either: an abstract socket of Linux is a claim in the same network that goes
 * with its process. Elsewhere only this process keeps count.
 * @returns {Promise<boolean>} whether nobody else has it
 */
async function promise (/** @type {number} */ port) {
  if (promised.has(port)) return false
  promised.set(port, null)
  if (process.platform !== 'linux') return true
  const claim = await listen({ path: `\0hopbench-port-${port}` })
  if (!claim) {
    promised.delete(port)
    return false
  }
  promised.set(port, claim.unref())
  return true
}

async function isFree (/** @type {number} */ port, /** @type {string} */ host) {
  const server = await listen({ port, host })
  if (!server) return false
  server.close()
  await once(server, 'close')
  return true
}

/**
 * @param {import('node:net').ListenOptions} where
 * @returns {Promise<Server | null>} null: taken
 */
async function listen (where) {
  const server = createServer(socket => socket.destroy())
  server.listen(where)
  return once(server, 'listening').then(() => server, () => null)
}
