/**
 * Names that one process of this machine holds at a time, as Unix sockets. The kernel gives a name back when its holder
 * ends, however it ends: nothing stale is left, and nobody has to judge whether a process id is still the same process.
 * A request for a name that is taken is answered with its holder; a process that waits keeps that connection, whose end
 * is the end of the wait.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getErrorCode } from '../errors.js'

/**
 * @import { Socket } from 'node:net'
 * @import { Holder } from './shapes.js'
 */

const ANSWER_MS = 1000 // A holder answers at once; one that is stopped does not, and holds all the same.
const LONGEST_ANSWER = 65536
/** A holder may end between two of our steps. */
const TRIES = 5

/**
 * @param {string} name
 * @param {Record<string, any>} about what others learn about this process
 * @returns {Promise<{ release: () => void } | { holder: Holder }>} where names cannot be held at all (no such sockets,
 * no folder for them) everybody gets them
 */
export async function hold (name, about) {
  const address = addressOf(name)
  for (let tries = 0; tries < TRIES; tries++) {
    const release = await take(address, about)
    if (release) return { release }
    const holder = await ask(address)
    if (holder) return { holder }
    // Nobody listens: on Linux the name is free again, elsewhere the file of a killed holder is in the way.
    if (!isAbstract(address)) rmSync(address, { force: true })
  }
  return { release: () => {} }
}

/** On Linux in no file system (abstract, unix(7)): it needs no folder and no space, and every account finds it. */
function addressOf (/** @type {string} */ name) {
  const id = `hopbench-${createHash('sha256').update(name).digest('hex').slice(0, 24)}`
  return process.platform === 'linux' ? `\0${id}` : join(tmpdir(), `${id}.sock`)
}

const isAbstract = (/** @type {string} */ address) => address.startsWith('\0')

/** @returns {Promise<(() => void) | null>} null: it is taken */
async function take (/** @type {string} */ address, /** @type {Record<string, any>} */ about) {
  const waiting = /** @type {Set<Socket>} */ (new Set())
  const server = createServer(socket => {
    waiting.add(socket)
    socket.on('error', () => {}).on('close', () => waiting.delete(socket))
    // Neither those that wait nor the name are a reason to stay.
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
 * @returns {Promise<Holder | null>} null: nobody holds it
 */
async function ask (address) {
  const socket = connect(address)
  try {
    await once(socket, 'connect')
  } catch {
    return null
  }
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
      // Any account may hold the name, and say what it likes without end.
      if (text.includes('\n') || text.length > LONGEST_ANSWER) done()
    }).on('close', done)
  })
  return { about: parsed(text), gone: gone.then(() => {}), leave: () => socket.destroy() }
}

function parsed (/** @type {string} */ text) {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}
