/**
 * Starts a command that serves and waits until it responds. Fails early when the command listens on another address
 * or ends.
 */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import net from 'node:net'
import { HopbenchError, isHopbenchError } from '../../errors.js'
import { isReachable, isTaken, findListeners, printListener } from '../../machine/kernel-counts.js'
import { groupMembers } from '../../machine/probe.js'
import { findHolder } from './port-holder.js'
import { waitUntilListening } from './wait-until-listening.js'

/** @import { Child } from '../../machine/types.js' @import { Address, CommandDescription } from '../../types.js' */

/** Fails if the command listens on another port, or another process holds its port, for this long. */
const ELSEWHERE_MS = 3000

/**
 * @param {CommandDescription} command
 * @param {object} options
 * @param {string} options.name
 * @param {(process: CommandDescription['processes'][number], i: number) => Child} options.launch
 * @param {(listen: Address) => Promise<boolean>} options.isResponding readiness probe
 * @throws {HopbenchError} process-died, app-ended, app-elsewhere, not-ready, port-in-use
 */
export async function startCommand ({ processes, readySeconds }, { name, launch, isResponding }) {
  const children = processes.map(launch)
  await Promise.all(children.map(async (child, i) => {
    const { listen } = processes[i]
    const watch = new ListenWatch(child, listen, name)
    const isUp = async () => await watch.isListening() && isResponding(listen)
    try {
      await waitUntilListening(child, listen, isUp, readySeconds)
    } catch (error) {
      if (child.ended()?.code === 0) throw new HopbenchError('app-ended', { name, output: child.tail() })
      if (!isHopbenchError(error, 'not-ready') || watch.hasListened) throw error
      const unopened = listen.kind === 'unix' ? '$SOCKET' : '$PORT'
      throw new HopbenchError('not-ready', { name, seconds: readySeconds, unopened, output: child.tail() },
        { cause: error })
    }
  }))
}

/** Looks for the process of a command that listens. */
class ListenWatch {
  #elsewhereSince = Infinity
  /** Whether the command has listened at its address. */
  hasListened = false

  /**
   * @param {Child} child
   * @param {Address} listen
   * @param {string} name
   */
  constructor (child, listen, name) {
    this.child = child
    this.listen = listen
    this.name = name
  }

  /** @throws {HopbenchError} app-elsewhere, port-in-use */
  async isListening () {
    const { listen } = this
    const members = groupMembers(this.child.groups())
    const listeners = findListeners(members)
    const isUp = listen.kind === 'unix'
      ? existsSync(listen.path) && await connects(listen.path)
      : listeners.some(listener => listener.port === listen.port && isReachable(listener))
    if (isUp) {
      this.hasListened = true
      return true
    }
    const isPortTaken = listen.kind === 'tcp' && isTaken(members, listen.port) &&
      !listeners.some(({ port }) => port === listen.port)
    const now = performance.now()
    this.#elsewhereSince = isPortTaken || listeners.length > 0 ? Math.min(this.#elsewhereSince, now) : Infinity
    if (now - this.#elsewhereSince <= ELSEWHERE_MS) return false
    const output = this.child.tail()
    if (isPortTaken) {
      const holder = findHolder(listen, this.child.enter)
      throw new HopbenchError('port-in-use', { what: `Port ${listen.port}`, holder, output })
    }
    throw new HopbenchError('app-elsewhere', {
      name: this.name,
      where: [...new Set(listeners.map(printListener))].join(' and '),
      wanted: listen.kind === 'unix' ? 'the socket in $SOCKET' : `127.0.0.1:${listen.port}`,
      sign: listen.kind === 'unix' ? '$SOCKET' : '$PORT',
      output
    })
  }
}

/**
 * @param {string} path
 * @returns {Promise<boolean>}
 */
async function connects (path) {
  const socket = net.connect(path)
  const isConnected = await once(socket, 'connect').then(() => true, () => false)
  socket.destroy()
  return isConnected
}
