/** Reserves ports of the host's shared loopback for programs that do not listen yet. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { HopbenchError } from '../../errors.js'

/** @import { Server } from 'node:net' */

/** Number of ports tried from the first one on, all of them below the range of ephemeral ports. */
const PORTS_TRIED = 2000
const MAX_PORT = 65535
/** Reserved ports. @type {Map<number, Server | null>} null: this system has no abstract sockets */
const promised = new Map()

/**
 * Returns the requested port of a shared loopback, or the next free one. The kernel could give a port of its choice
 * to an outgoing connection before the program listens.
 * @throws {HopbenchError} no-port
 */
export async function freePort (/** @type {number} */ wanted, /** @type {string} */ address) {
  const last = Math.min(MAX_PORT, wanted + PORTS_TRIED - 1)
  for (let port = wanted; port <= last; port++) {
    if (!await promise(port)) continue
    if (await isFree(port, address)) return port
    releasePort(port)
  }
  throw new HopbenchError('no-port', { from: wanted, to: last, address })
}

export function releasePort (/** @type {number} */ port) {
  promised.get(port)?.close()
  promised.delete(port)
}

/**
 * Reserves a port among all processes of hopbench. On Linux the reservation is an abstract socket, which belongs to the
 * same network and disappears with its process. Elsewhere it is valid in this process only.
 * @returns {Promise<boolean>} whether the port was free
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
 * @param {import('node:net').ListenOptions} address
 * @returns {Promise<Server | null>} null: the address is in use
 */
async function listen (address) {
  const server = createServer(socket => socket.destroy())
  server.listen(address)
  return once(server, 'listening').then(() => server, () => null)
}
