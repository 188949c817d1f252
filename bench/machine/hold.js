/**
 * Names that one process of this machine holds at a time, as Unix sockets. The kernel releases a name when its holder
 * ends for any reason, so that no stale lock remains and no PID needs to be checked. A request for a held name is
 * answered with a description of its holder. The connection stays open until the holder releases the name, which ends
 * the wait.
 */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getErrorCode } from '../errors.js'
import { sha256 } from '../shared/sha256.js'
import { parseJson } from './files/system-files.js'

/** @import { Socket } from 'node:net' */

// Limit for a reply. A holder replies at once; one that is stopped does not, and still holds the name.
const ANSWER_MS = 1000
const MAX_ANSWER = 65536
/** Attempts, because a holder can end between two steps. */
const TRIES = 5

/**
 * Holds a name, or returns its holder.
 * @param {string} name
 * @param {Record<string, any>} about description of this process for others
 * @returns {Promise<{ release: () => void } | { holder: NonNullable<Awaited<ReturnType<typeof ask>>> }>} Where names
 * cannot be held at all (without such sockets or a folder for them), each process gets the name.
 */
export async function hold (name, about) {
  const address = toSocketAddress(name)
  for (let tries = 0; tries < TRIES; tries++) {
    const release = await take(address, about)
    if (release) return { release }
    const holder = await ask(address)
    if (holder) return { holder }
    // Without a listener the name is free on Linux. Elsewhere the socket file of a killed holder is in the way.
    if (process.platform !== 'linux') rmSync(address, { force: true })
  }
  return { release: () => {} }
}

/**
 * Returns the socket's address. On Linux it is abstract (unix(7)): it needs no folder and no space, and every account
 * finds it.
 */
function toSocketAddress (/** @type {string} */ name) {
  const id = `hopbench-${sha256(name).slice(0, 24)}`
  return process.platform === 'linux' ? `\0${id}` : join(tmpdir(), `${id}.sock`)
}

/** @returns {Promise<(() => void) | null>} releases the name; null: the name is held */
async function take (/** @type {string} */ address, /** @type {Record<string, any>} */ about) {
  /** @type {Set<Socket>} */
  const waiting = new Set()
  const server = createServer(socket => {
    waiting.add(socket)
    socket.on('error', () => {}).on('close', () => waiting.delete(socket))
    // Do not keep the process alive for the name or for those that wait for it.
    socket.unref()
    socket.write(`${JSON.stringify(about)}\n`)
  })
  try {
    server.listen({ path: address, exclusive: true })
    await once(server, 'listening')
  } catch (error) {
    if (getErrorCode(error) === 'EADDRINUSE') return null
    return () => {}
  }
  server.unref()
  return () => {
    server.close()
    for (const socket of waiting) socket.destroy()
  }
}

/**
 * @param {string} address
 * @returns {Promise<{ about: Record<string, any>, gone: Promise<void>, leave: () => void } | null>} null: the name is
 * free; about: description of its holder, empty without a reply; gone: resolves when the name is released; leave: ends
 * the wait
 */
async function ask (address) {
  const socket = connect(address)
  const isConnected = await once(socket, 'connect').then(() => true, () => false)
  if (!isConnected) return null
  const gone = new Promise(resolve => socket.on('error', () => {}).on('close', () => resolve(undefined)))
  const text = await new Promise(resolve => {
    let text = ''
    const timer = setTimeout(() => resolve(text), ANSWER_MS)
    const done = () => {
      clearTimeout(timer)
      resolve(text)
    }
    socket.setEncoding('utf8').on('data', data => {
      text += data
      // Limit the reply, because any account may hold the name and send without end.
      if (text.includes('\n') || text.length > MAX_ANSWER) done()
    }).on('close', done)
  })
  return { about: parseJson(text) ?? {}, gone: gone.then(() => {}), leave: () => socket.destroy() }
}
