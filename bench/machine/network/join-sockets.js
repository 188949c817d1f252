/** Joins listeners to other addresses. */
import net from 'node:net'

/** @import { ListenOptions, NetConnectOpts } from 'node:net' */

/**
 * Passes on each connection to another address.
 * @param {ListenOptions} listen
 * @param {NetConnectOpts} target
 * @param {{ head?: string, onConnection?: () => void }} [options] head: sent first to the target
 */
export const joinSockets = (listen, target, { head = '', onConnection = () => {} } = {}) => net.createServer(client => {
  onConnection()
  const server = net.connect({ ...target, noDelay: true })
  if (head) server.write(head)
  client.pipe(server).pipe(client)
  // pipe does not pass on errors, so a refused connection has to close the other side.
  client.on('error', () => {}).on('close', () => server.destroy())
  server.on('error', () => {}).on('close', () => client.destroy())
}).listen(listen)
