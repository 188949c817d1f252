/** Behaviours of connections, uploads, streams and restarts. */
import { once } from 'node:events'
import { randomBytes } from 'node:crypto'
import { Agent, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { sha256 } from '../../../shared/sha256.js'
import { HOST, PAGE, SITE, ask, openSocket, openWebSocket } from '../configs/client.js'

/** @import { Behaviour } from '../configs/types.js' */

/** Most time until a request is in the log. */
const LOG_SECONDS = 10
const IDLE_REQUEST = `GET /page HTTP/1.1\r\nHost: ${SITE}\r\n\r\n`
const IDLE_RESPONSE_MS = 15_000
const RESTART_INTERVAL_MS = 10
/**
 * Time before and after the restarts. A kit takes the end of a process within its first second for a failed start.
 */
const RESTART_CALM_MS = 1200
/** Longest response, because clients should not wait until the proxy tries a process again. */
const RESTART_MAX_MS = 1000
/** Seconds of a slow head, above nginx's default client_header_timeout of 60 s. */
const HEAD_SECONDS = 80
/** Duration of a slow upload, above 60 s, a common limit for a whole request. */
const UPLOAD_SECONDS = 90
const UPLOAD_RATE = 1000 // bytes a second
const UPLOAD_BYTES = UPLOAD_SECONDS * UPLOAD_RATE
const EVENTS = 5
/** Time for which the WebSocket may be idle: longer than any platform waits. */
const WEBSOCKET_MS = 120_000
const NO_UPGRADES = {
  varnish: 'Varnish passes on no upgrade, because it does not read the requests after one'
}

/** @type {Record<string, Behaviour>} */
export default {
  'access-log': {
    title: 'the access log has a line with the status for each request, at most 10 s later',
    notOffered: {
      varnish: 'varnishncsa writes the log of Varnish, as a service of its own',
      systemd: 'nginx writes no log file: journalctl shows its access log'
    },
    async run (subject) {
      await ask(subject, '/logged-page')
      for (let i = 0; i < LOG_SECONDS; i++) {
        const lines = subject.readLogs().split('\n').filter(line => line.includes('/logged-page'))
        if (lines.some(line => line.includes('200'))) return null
        await sleep(1000)
      }
      return 'no line of the request was logged'
    }
  },
  addresses: {
    title: 'other machines can reach the proxy: it listens on all addresses',
    async run ({ port, tls }) {
      // A proxy that listens on 127.0.0.1 only cannot be reached at 127.0.0.2, which on Linux is this machine too.
      const { status, body } = await ask({ host: '127.0.0.2', port, tls }, '/page', { limitMs: 5000 })
      return status === 200 ? null : `status ${status}: ${body.slice(0, 60)}`
    }
  },
  'closed-connection': {
    title: 'a GET that meets the end of a kept connection to the app is sent again, and a POST with a body is not',
    notOffered: { apache: 'Apache closes the connection of the client, which may send the request again' },
    async run (subject) {
      /** Sends a request after another one on the same connection, so that the proxy uses a connection that it kept. */
      const sendSecond = async (/** @type {Parameters<typeof ask>[2]} */ request) => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 })
        await ask(subject, '/pid', { agent })
        const { status } = await ask(subject, '/closed', { ...request, agent })
        agent.destroy()
        return status
      }
      const [get, post] = [await sendSecond({}), await sendSecond({ method: 'POST', body: Buffer.from('order=1') })]
      /** @type {Record<string, number>} */
      const got = JSON.parse((await ask(subject, '/closed/count')).body)
      if (get !== 200) return `GET: status ${get}`
      if (got.POST > 1) return `the app got the POST ${got.POST} times`
      return got.GET > 1 && post !== 200 ? null : 'the proxy used no kept connection'
    }
  },
  failover: {
    title: 'one second after one of two processes died, no request fails',
    processes: 2,
    isTimed: true,
    async run (subject) {
      // Lets the proxy open connections to both processes.
      for (let i = 0; i < 10; i++) await ask(subject, '/page')
      const { body: pid } = await ask(subject, '/pid')
      process.kill(Number(pid), 'SIGKILL')
      await sleep(1000)
      /** @type {string[]} */
      const failures = []
      for (let i = 0; i < 40; i++) {
        const started = performance.now()
        const { status } = await ask(subject, '/page')
        const ms = performance.now() - started
        if (status !== 200) failures.push(`status ${status} after ${Math.round(ms)} ms`)
        else if (ms > 1000) failures.push(`a response after ${Math.round(ms)} ms`)
      }
      return failures.length === 0 ? null : `${failures.length} of 40 requests: ${failures[0]}`
    }
  },
  'idle-connection': {
    isSlow: true,
    title: 'a connection is used again that was idle for one second longer than the router in front keeps it (Heroku ' +
      '90 s, Render 120 s, Fly.io, assumed, 120 s, others 60 s)',
    async run (subject) {
      const idleMs = (subject.routerIdleSeconds + 1) * 1000
      const socket = await openSocket(subject, idleMs + 2 * IDLE_RESPONSE_MS)
      const ended = once(socket, 'close').then(() => 'closed', () => 'closed')
      const started = performance.now()
      socket.on('error', () => {})
      try {
        for (const isFirst of [true, false]) {
          const data = once(socket, 'data', { signal: AbortSignal.timeout(IDLE_RESPONSE_MS) }).then(String, () => '')
          socket.write(IDLE_REQUEST)
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
  },
  'large-upload': {
    title: 'an upload of 10 MB arrives whole',
    async run (subject) {
      const body = randomBytes(10_000_000)
      const reply = await ask(subject, '/upload', { method: 'POST', body, limitMs: 60_000 })
      const expected = JSON.stringify({ bytes: body.length, sha256: sha256(body) })
      return reply.body === expected ? null : `status ${reply.status}: ${reply.body.slice(0, 80)}`
    }
  },
  'rolling-restart': {
    title: 'a restart of one process of the app after the other loses no request, and delays none by more than 1 s',
    processes: 4,
    isTimed: true,
    async run (subject) {
      /** @type {string[]} */
      const failures = []
      const send = async () => {
        const startMs = performance.now()
        const { status } = await ask(subject, PAGE.path)
        const ms = Math.round(performance.now() - startMs)
        if (status !== PAGE.status) failures.push(`status ${status} after ${ms} ms`)
        else if (ms > RESTART_MAX_MS) failures.push(`a response after ${ms} ms`)
      }
      /** @type {Promise<void>[]} */
      const sent = []
      const timer = setInterval(() => sent.push(send()), RESTART_INTERVAL_MS)
      try {
        await sleep(RESTART_CALM_MS)
        await subject.restartProcesses()
        await sleep(RESTART_CALM_MS)
      } finally {
        clearInterval(timer)
      }
      await Promise.all(sent)
      return failures.length === 0 ? null : `${failures.length} of ${sent.length} requests: ${failures[0]}`
    }
  },
  'slow-headers': {
    isSlow: true,
    title: 'a client that sends the head of a request byte by byte is disconnected within 80 s, and others are served',
    async run (subject) {
      const sockets = await Promise.all(Array.from({ length: 50 }, () => openSocket(subject)))
      const isOpen = () => sockets.some(socket => !socket.destroyed)
      for (const socket of sockets) {
        socket.on('error', () => {}).resume()
        socket.write('GET / HTTP/1.1\r\nHost: example.com\r\nX-Slow: ')
      }
      for (let i = 0; i < (subject.headSeconds ?? HEAD_SECONDS) && isOpen(); i++) {
        for (const socket of sockets) if (!socket.destroyed) socket.write('x')
        const isAsked = i % 10 === 0
        if (isAsked && (await ask(subject, PAGE.path)).status !== PAGE.status) return 'another client was not served'
        await sleep(1000)
      }
      const open = sockets.filter(socket => !socket.destroyed).length
      for (const socket of sockets) socket.destroy()
      return open === 0 ? null : `${open} of 50 connections were still open`
    }
  },
  'slow-upload': {
    isSlow: true,
    title: 'an upload over 90 s arrives whole',
    notOffered: { traefik: 'Traefik limits a whole request, so that a limit for slow heads ends slow uploads, too' },
    async run (subject) {
      const socket = await openSocket(subject)
      const seen = text(socket).catch(error => String(error))
      socket.write('POST /upload HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n' +
        `Content-Length: ${UPLOAD_BYTES}\r\n\r\n`)
      for (let i = 0; i < UPLOAD_SECONDS && socket.writable; i++) {
        socket.write('x'.repeat(UPLOAD_RATE))
        await sleep(1000)
      }
      const response = await Promise.race([seen, sleep(10_000, 'no response', { ref: false })])
      socket.destroy()
      return response.includes(`"bytes":${UPLOAD_BYTES}`) ? null : `got "${response.slice(0, 80)}"`
    }
  },
  streaming: {
    title: 'each server-sent event arrives before the app sends the next one',
    async run (subject) {
      const limit = AbortSignal.timeout(20_000)
      const request = httpRequest({ host: HOST, port: subject.port, path: '/events', agent: false, signal: limit })
      request.on('error', () => {}).end()
      let arrived = 0
      try {
        const [response] = await once(request, 'response', { signal: limit })
        for await (const events of response) {
          arrived += String(events).split('data:').length - 1
          if (arrived >= EVENTS) break
          await ask(subject, '/next')
        }
      } catch {}
      request.destroy()
      return arrived === EVENTS ? null : `only ${arrived} of ${EVENTS} events arrived`
    }
  },
  websocket: {
    title: 'a WebSocket is opened, and its data passes in both directions',
    notOffered: NO_UPGRADES,
    async run (subject) {
      const socket = await openWebSocket(subject)
      const hasEcho = await socket.echo('echo of the check')
      socket.close()
      return hasEcho ? null : 'the echo did not arrive'
    }
  },
  'websocket-stop': {
    isSlow: true,
    title: 'SIGTERM ends it while a WebSocket is open, before the platform would kill it (docker 10 s, others 30 s)',
    notOffered: NO_UPGRADES,
    async run (subject) {
      const socket = await openWebSocket(subject, WEBSOCKET_MS)
      try {
        if (!await socket.echo('echo of the check')) return 'the WebSocket did not work'
        subject.askToEnd()
        const late = sleep(subject.stopSeconds * 1000, true, { ref: false })
        const isLate = await Promise.race([subject.exited.then(() => false), late])
        return isLate ? `it was still running ${subject.stopSeconds} s after SIGTERM` : null
      } finally {
        socket.close()
      }
    }
  }
}
