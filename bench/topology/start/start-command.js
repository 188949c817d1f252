/**
 * Starts a command that serves and waits until it responds. Fails early when the command listens on another address
 * or ends.
 */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import net from 'node:net'
import { relative, resolve } from 'node:path'
import { HopbenchError, isHopbenchError, shellWord } from '../../errors.js'
import { SOCKETS_MS, isReachable, isTaken, findListeners, printListener } from '../../machine/kernel-counts.js'
import { readPlainFile } from '../../machine/files/plain-files.js'
import { cpuSecondsBetween, groupMembers, readCpuSeconds } from '../../machine/probe.js'
import { attempt } from '../../shared/attempt.js'
import { findService } from '../../shared/first-response.js'
import { findHolder, waitUntilListening } from './wait-until-listening.js'

/** @import { Child } from '../../machine/types.js' @import { Address, CommandDescription } from '../../types.js' */
/** @import { Fault } from '../../shared/first-response.js' */

/** Fails if the command listens on another port, or another process holds its port, for this long. */
const ELSEWHERE_MS = 3000
/** Share of a core that a command uses at least if it is still computing its first response. */
const BUSY_SHARE = 0.1
/** Most bytes of a script. A larger file is a program. */
const MAX_SCRIPT_BYTES = 2 ** 20

/**
 * @param {CommandDescription} command
 * @param {object} options
 * @param {string} options.name
 * @param {(process: CommandDescription['processes'][number], i: number) => Child} options.launch
 * @param {(listen: Address, output: string) => Promise<Fault | null>} options.findFault looks at the first response
 * @param {boolean} [options.isPrivate] whether a private network separates the command from other programs
 * @throws {HopbenchError} process-died, app-ended, app-elsewhere, not-ready, gate-refused, port-in-use
 */
export async function startCommand ({ processes, readySeconds }, { name, launch, findFault, isPrivate }) {
  const children = processes.map(launch)
  await Promise.all(children.map(async (child, i) => {
    const { listen } = processes[i]
    const watch = new ListenWatch(child, listen, name)
    try {
      await waitUntilListening(child, listen, () => watch.isUp(findFault), readySeconds, SOCKETS_MS)
    } catch (error) {
      throw watch.explain(error, { ...processes[i], readySeconds, isPrivate })
    }
    // The gate rejects wrong responses.
    const { fault } = watch
    if (fault?.isMissing) throw new HopbenchError('gate-refused', { name, ...fault.params, output: child.tail() })
  }))
}

/** Looks for the process of a command that listens. */
class ListenWatch {
  #elsewhereSince = Infinity
  /** PIDs of the command. @type {number[]} */
  members = []
  /** Fault of the latest response. @type {Fault | null} */
  fault = null
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

  /**
   * Returns whether the command listens and has sent a response, or never will.
   * @param {(listen: Address, output: string) => Promise<Fault | null>} findFault
   * @throws {HopbenchError} app-elsewhere, port-in-use
   */
  async isUp (findFault) {
    if (!await this.isListening()) return false
    const [before, startedAt] = [readCpuSeconds(this.members), performance.now()]
    this.fault = await findFault(this.listen, this.child.tail())
    const used = cpuSecondsBetween(before, readCpuSeconds(this.members))
    const isBusy = used > BUSY_SHARE * (performance.now() - startedAt) / 1000
    return !this.fault?.isWaiting || (this.fault.isMissing && !isBusy)
  }

  /**
   * Returns the error of a command that did not get ready.
   * @param {unknown} error
   * @param {{ argv: string[], cwd: string, readySeconds: number, isPrivate?: boolean }} command
   */
  explain (error, { readySeconds, isPrivate, ...command }) {
    const { child, fault, name } = this
    const output = child.tail()
    const app = { name, output, ...findService({ output, isPrivate }) }
    if (child.ended()?.code === 0) return new HopbenchError('app-ended', app)
    if (isHopbenchError(error, 'process-died')) {
      const how = String(error.details.how)
      return new HopbenchError('process-died', { how, ...app, ...findCarriageReturn(output, command) })
    }
    if (!isHopbenchError(error, 'not-ready')) return error
    const add = ['--ready-within', `${2 * readySeconds}s`]
    if (fault === null) {
      const unopened = this.hasListened ? undefined : this.listen.kind === 'unix' ? '$SOCKET' : '$PORT'
      return new HopbenchError('not-ready', { seconds: readySeconds, unopened, add, ...app }, { cause: error })
    }
    const { why, ...rest } = fault.params
    const more = rest.add ? rest : { remedy: 'Allow more time with --ready-within if it still starts.', add }
    const late = `${why} (${readySeconds} s after its start)`
    return new HopbenchError('gate-refused', { name, why: late, ...more, output })
  }

  /** @throws {HopbenchError} app-elsewhere, port-in-use */
  async isListening () {
    const { listen } = this
    const members = this.members = groupMembers(this.child.groups())
    const listeners = findListeners(members)
    const isUp = listen.kind === 'unix'
      ? existsSync(listen.path) && await connects(listen.path)
      : listeners.some(listener => listener.port === listen.port && isReachable(listener))
    if (isUp) {
      this.hasListened = true
      return true
    }
    const hasPort = listen.kind === 'tcp' && listeners.some(({ port }) => port === listen.port)
    const isPortTaken = listen.kind === 'tcp' && !hasPort && isTaken(members, listen.port)
    const now = performance.now()
    this.#elsewhereSince = isPortTaken || listeners.length > 0 ? Math.min(this.#elsewhereSince, now) : Infinity
    if (now - this.#elsewhereSince <= ELSEWHERE_MS) return false
    const output = this.child.tail()
    if (isPortTaken) {
      const holder = findHolder(listen, this.child.enter)
      throw new HopbenchError('port-in-use', { what: `Port ${listen.port}`, holder, output })
    }
    const other = hasPort ? undefined : listeners.find(isReachable)
    throw new HopbenchError('app-elsewhere', {
      name: this.name,
      where: [...new Set(listeners.map(printListener))].join(' and '),
      wanted: listen.kind === 'unix' ? 'the socket in $SOCKET' : `127.0.0.1:${listen.port}`,
      sign: listen.kind === 'unix' ? '$SOCKET' : hasPort ? '$HOST' : '$PORT',
      ...other && { add: ['--listen', String(other.port)] },
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

/**
 * Finds a script of a command whose first line ends with a carriage return, because no interpreter has such a name.
 * @param {string} output of the command, which can name the script of another one
 * @param {{ argv: string[], cwd: string }} command
 * @returns {{ how?: string, remedy?: string }} empty: there is no such script
 */
function findCarriageReturn (output, { argv, cwd }) {
  const [, ...failed] = output.split(/:? *(?:not found|bad interpreter|No such file)/).reverse()
  const words = [...argv.at(-1)?.split(/\s+/) ?? [], ...failed.map(text => text.trim().split(/[\s:]+/).at(-1) ?? '')]
  const read = (/** @type {string} */ word) =>
    attempt(() => readPlainFile(resolve(cwd, word), { maxBytes: MAX_SCRIPT_BYTES }).toString('latin1'), () => '')
  const script = words.find(word => /^#![^\n]*\r\n/.test(read(word)))
  if (script === undefined) return {}
  const file = shellWord(relative('', resolve(cwd, script)))
  return {
    how: `cannot start ${script}, whose lines end with a carriage return`,
    remedy: `Remove the carriage returns: sed -i 's/\\r$//' ${file}`
  }
}
