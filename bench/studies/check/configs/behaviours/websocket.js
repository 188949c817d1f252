import { once } from 'node:events'
import { openSocket } from '../client.js'

/** @type {import('../types.js').Behaviour} */
export default {
  title: 'a WebSocket is opened, and its data passes in both directions',
  async run (subject) {
    const socket = await openSocket(subject)
    let seen = ''
    socket.setEncoding('latin1').on('data', data => { seen += data }).on('error', () => {})
    socket.write('GET /socket HTTP/1.1\r\nHost: example.com\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n')
    const limit = AbortSignal.timeout(10_000)
    const until = async (/** @type {string} */ part) => {
      while (!seen.includes(part)) await once(socket, 'data', { signal: limit })
    }
    try {
      await until('\r\n\r\n')
      if (!seen.startsWith('HTTP/1.1 101')) return `the upgrade got "${seen.split('\r\n')[0]}"`
      // Sent as it is: the app echoes bytes, and proxies pass an upgraded connection on without reading frames.
      socket.write('echo of the check')
      await until('echo of the check')
      return null
    } catch {
      return `the echo did not arrive; seen: "${seen.slice(0, 60)}"`
    } finally {
      socket.destroy()
    }
  }
}
