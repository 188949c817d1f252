import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSocket, SITE } from '../configs/client.js'

const REQUEST = `GET /page HTTP/1.1\r\nHost: ${SITE}\r\n\r\n`
const RESPONSE_MS = 15_000

/** @type {import('../configs/types.js').Behaviour} */
export default {
  isSlow: true,
  title: 'a connection is used again that was idle for one second longer than the router in front keeps it (Heroku ' +
    '90 s, Render 120 s, Fly.io, assumed, 120 s, others 60 s)',
  async run (subject) {
    const idleMs = (subject.routerIdleSeconds + 1) * 1000
    const socket = await openSocket(subject, idleMs + 2 * RESPONSE_MS)
    const ended = once(socket, 'close').then(() => 'closed', () => 'closed')
    const started = performance.now()
    socket.on('error', () => {})
    try {
      for (const isFirst of [true, false]) {
        const data = once(socket, 'data', { signal: AbortSignal.timeout(RESPONSE_MS) }).then(String, () => '')
        socket.write(REQUEST)
        const reply = await Promise.race([data, ended])
        if (!reply.startsWith('HTTP/1.1 200')) return `the ${isFirst ? 'first' : 'second'} request got "${reply}"`
        if (isFirst && await Promise.race([sleep(idleMs, '', { ref: false }), ended]) === 'closed') {
          return `it was closed after ${Math.round((performance.now() - started) / 1000)} s`
        }
      }
      return null
    } finally {
      socket.destroy()
    }
  }
}
