/** A server that ends while a response is in flight. */
import { once } from 'node:events'
import { request } from '../../bench/load/scenario-client.js'
import { endListener, listenerFor, toDrain } from '../../bench/topology/listener.js'

/** @import { AddressInfo } from 'node:net' @import { Test } from 'tap' */

/**
 * Returns the outcomes of a request that is in flight when the server begins to end, and of one after its end.
 * @param {Test} t
 * @param {boolean} drains
 */
export async function toFollow (t, drains) {
  const server = listenerFor(undefined, 60)
  const end = drains ? toDrain(server) : (/** @type {() => void} */ done) => endListener(server, done)
  /** @type {() => void} */
  let respond = () => {}
  server.on('request', (/** @type {unknown} */ _, /** @type {any} */ response) => {
    respond = () => response.end('response')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {AddressInfo} */ (server.address())
  const target = { url: '', socketPath: null, host: '127.0.0.1', port }
  const arrived = once(server, 'request')
  const inFlight = request(target, { path: '/' })
  await arrived
  const ended = new Promise(resolve => end(() => resolve(null)))
  respond()
  const { outcome } = await inFlight
  await ended
  const { outcome: later } = await request(target, { path: '/' })
  t.equal(server.listening, false)
  return { inFlight: outcome, later }
}
