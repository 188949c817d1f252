/** Sends received bytes back from a second thread, so that a round trip includes two switches between threads. */
import { createConnection, createServer } from 'node:net'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'

/** @import { AddressInfo, Socket } from 'node:net' */

const LOOPBACK = '127.0.0.1'

/**
 * Starts the thread and connects to it.
 *
 * @returns {Promise<{ socket: Socket, close: () => Promise<unknown> }>}
 */
export async function connectToEcho () {
  const worker = new Worker(new URL(import.meta.url))
  const port = await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
  const socket = createConnection({ host: LOOPBACK, port, noDelay: true })
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return {
    socket,
    close () {
      socket.destroy()
      return worker.terminate()
    }
  }
}

if (!isMainThread) {
  const server = createServer({ noDelay: true }, socket => socket.on('data', data => socket.write(data)))
  server.listen(0, LOOPBACK, () => parentPort?.postMessage(/** @type {AddressInfo} */ (server.address()).port))
}
