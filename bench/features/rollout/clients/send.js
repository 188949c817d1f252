/** Sends a request as a browser does. */
import { request } from '../../../load/scenario-client.js'

/** @import { Agent } from 'node:http' */
/** @import { ClientType } from '../types.js' */
/** @import { Result } from '../../../load/scenario-client.js' */
/** @import { PlayAddress } from '../../../types.js' */

/** Most time for a response. Users leave a page after about as long. */
const TIMEOUT_MS = 10_000
/** Connections of a browser to an origin over HTTP/1.1. */
export const CONNECTIONS = 6
/** Limit of a response, which is kept for its hash. */
export const MAX_BYTES = 32 * 2 ** 20

/**
 * Sends a GET, and sends it once again on a new connection if the server had closed the kept one before a byte of a
 * response, as browsers do.
 * @param {PlayAddress} address
 * @param {{ client: ClientType, path: string, agent: Agent, timeoutMs?: number }} order
 * @returns {Promise<Result & { isRepeated: boolean }>} of the last request
 */
export async function sendAsBrowser (address, { client, path, agent, timeoutMs = TIMEOUT_MS }) {
  // Servers send a page in place of a missing file only to a client that accepts pages.
  const accept = client === 'page' || client === 'idle' ? 'text/html,application/xhtml+xml,*/*;q=0.8' : '*/*'
  const headers = { Accept: accept, 'Accept-Encoding': 'identity' }
  const order = { path, headers, timeoutMs, maxBytes: MAX_BYTES }
  const first = await request(address, { ...order, agent })
  const isRepeated = first.outcome === 'reset' && first.isKept && first.isSilent
  return { ...isRepeated ? await request(address, order) : first, isRepeated }
}
