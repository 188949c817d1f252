import { setTimeout as sleep } from 'node:timers/promises'
import { text } from 'node:stream/consumers'
import { openSocket } from '../configs/client.js'

/** Duration of the upload, above 60 s, a common limit for a whole request. */
const SECONDS = 90
const BYTES_PER_SECOND = 1000
const TOTAL = SECONDS * BYTES_PER_SECOND

/** @type {import('../configs/types.js').Behaviour} */
export default {
  isSlow: true,
  title: 'an upload over 90 s arrives whole',
  notOffered: { traefik: 'Traefik limits a whole request, so that a limit for slow heads ends slow uploads, too' },
  async run (subject) {
    const socket = await openSocket(subject)
    const seen = text(socket).catch(error => String(error))
    socket.write('POST /upload HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n' +
      `Content-Length: ${TOTAL}\r\n\r\n`)
    for (let i = 0; i < SECONDS && socket.writable; i++) {
      socket.write('x'.repeat(BYTES_PER_SECOND))
      await sleep(1000)
    }
    const response = await Promise.race([seen, sleep(10_000, 'no response', { ref: false })])
    socket.destroy()
    return response.includes(`"bytes":${TOTAL}`) ? null : `got "${response.slice(0, 80)}"`
  }
}
