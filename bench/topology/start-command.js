/** Starts a command that serves, and waits until it listens where it should and answers, or says why it never will:
 * where else it listens, that it went into the background, or that it ended. */
import { existsSync } from 'node:fs'
import net from 'node:net'
import { HopbenchError } from '../errors.js'
import { isReachable, isTaken, listenersOf, printListener, processesWith } from '../machine/kernel-counts.js'
import { groupMembers } from '../machine/probe.js'
import { waitUntil } from '../machine/process.js'
import { nameTakenAddress } from './address-in-use.js'
import { MARK } from './describe-command.js'

/** @import { Child } from '../machine/shapes.js' @import { Address, CommandDescription } from '../types.js' */

/** A command that listens elsewhere for so long, or finds another process in its place, has made up its mind. */
const ELSEWHERE_MS = 3000

/** @typedef {CommandDescription['processes'][number]} CommandProcess */

/** @param {CommandDescription} command @param {{ name: string, launch: (process: CommandProcess, i: number) => Child,
 * answers: (listen: Address) => Promise<boolean> }} how answers: whether a request is answered there
 * @returns {Promise<Child[]>}
 * @throws {HopbenchError} process-died, app-ended, app-forked, app-elsewhere, not-ready, port-in-use */
export async function startCommand ({ processes, readySeconds }, { name, launch, answers }) {
  const children = processes.map(launch)
  await Promise.all(children.map(async (child, i) => {
    const { listen, env } = processes[i]
    const look = lookAt(child, listen, { name, answers })
    try {
      await nameTakenAddress(listen, () => waitUntil(child, look, { timeoutSeconds: readySeconds }))
    } catch (error) {
      throw child.ended() ? await whyEnded(child, { name, listen, mark: env[MARK], error }) : error
    }
  }))
  return children
}

/** @param {Child} child @param {Address} listen
 * @param {{ name: string, answers: (listen: Address) => Promise<boolean> }} how @returns {() => Promise<boolean>} */
function lookAt (child, listen, { name, answers }) {
  let elsewhereSince = Infinity
  return async () => {
    const members = groupMembers([child.pid])
    if (await isListening(members, listen)) return answers(listen)
    const others = listenersOf(members)
    const taken = listen.kind === 'tcp' && isTaken(members, listen.port)
    elsewhereSince = taken || others.length > 0 ? Math.min(elsewhereSince, performance.now()) : Infinity
    if (performance.now() - elsewhereSince > ELSEWHERE_MS) {
      if (taken) throw new HopbenchError('port-in-use', { what: `Port ${listen.port}`, output: child.tail() })
      throw new HopbenchError('app-elsewhere', {
        name,
        where: [...new Set(others.map(printListener))].join(' and '),
        wanted: listen.kind === 'unix' ? 'the socket in $SOCKET' : `127.0.0.1:${listen.port}`,
        sign: listen.kind === 'unix' ? '$SOCKET' : '$PORT',
        output: child.tail()
      })
    }
    return false
  }
}

/** @param {number[]} members @param {Address} listen */
async function isListening (members, listen) {
  if (listen.kind === 'unix') return existsSync(listen.path) && await connects(listen.path)
  return listenersOf(members).some(listener => listener.port === listen.port && isReachable(listener))
}

/** @param {string} path @returns {Promise<boolean>} */
const connects = path => new Promise(resolve => {
  const socket = net.connect(path)
  const end = (/** @type {boolean} */ answer) => {
    socket.destroy()
    resolve(answer)
  }
  socket.on('connect', () => end(true)).on('error', () => end(false))
})

/** A shell that ended may have left a process that serves. @param {Child} child
 * @param {{ name: string, listen: Address, mark: string, error: unknown }} about @returns {Promise<unknown>} */
async function whyEnded (child, { name, listen, mark, error }) {
  const { code } = child.ended() ?? { code: null }
  if (code !== 0) return error
  const left = processesWith(MARK, mark)
  const serves = listen.kind === 'unix' ? existsSync(listen.path) : listenersOf(left).length > 0
  for (const pid of left) kill(pid)
  const output = child.tail()
  return left.length > 0 || serves
    ? new HopbenchError('app-forked', { name, output })
    : new HopbenchError('app-ended', { name, output })
}

/** @param {number} pid */
function kill (pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
