/** Servers that a test starts itself. */
import { once } from 'node:events'
import net from 'node:net'

/** @import { Test } from 'tap' */

/**
 * Listens on a free port of the loopback interface until the test ends.
 * @param {Test} t
 * @param {net.Server} [server] left out: one that answers nothing
 * @returns {Promise<number>} port
 */
export async function listening (t, server = net.createServer()) {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.close()
    if ('closeAllConnections' in server) /** @type {import('node:http').Server} */ (server).closeAllConnections()
  })
  return /** @type {net.AddressInfo} */ (server.address()).port
}
