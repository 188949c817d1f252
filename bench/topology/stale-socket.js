/** A Unix socket's file outlives a process that was killed, and the next one then finds its address in use. */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import net from 'node:net'

/** Removes the file where nobody listens on it any more; one that is in use stays. @param {string} path */
export async function removeStale (path) {
  const socket = net.connect(path)
  try {
    await once(socket, 'connect')
  } catch (error) {
    // ECONNREFUSED: the file is there, its process is not. ENOENT: nothing to remove.
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ECONNREFUSED') rmSync(path, { force: true })
  } finally {
    socket.destroy()
  }
}
