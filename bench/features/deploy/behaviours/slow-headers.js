import { setTimeout as sleep } from 'node:timers/promises'
import { PAGE, ask, openSocket } from '../configs/client.js'

/** Seconds of the attempt, above nginx's default client_header_timeout of 60 s. */
const SECONDS = 80

/** @type {import('../configs/types.js').Behaviour} */
export default {
  isSlow: true,
  title: 'a client that sends the head of a request byte by byte is disconnected within 80 s, and others are served',
  async run (subject) {
    const sockets = await Promise.all(Array.from({ length: 50 }, () => openSocket(subject)))
    const isOpen = () => sockets.some(socket => !socket.destroyed)
    for (const socket of sockets) {
      socket.on('error', () => {}).resume()
      socket.write('GET / HTTP/1.1\r\nHost: example.com\r\nX-Slow: ')
    }
    for (let i = 0; i < (subject.headSeconds ?? SECONDS) && isOpen(); i++) {
      for (const socket of sockets) if (!socket.destroyed) socket.write('x')
      if (i % 10 === 0 && (await ask(subject, PAGE.path)).status !== PAGE.status) return 'another client was not served'
      await sleep(1000)
    }
    const open = sockets.filter(socket => !socket.destroyed).length
    for (const socket of sockets) socket.destroy()
    return open === 0 ? null : `${open} of 50 connections were still open`
  }
}
