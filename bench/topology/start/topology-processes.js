/** Processes of a topology by role: starting, pausing, and ending them. */
import { join } from 'node:path'
import { signalWhenHandled } from '../../machine/handles-signal.js'
import { groupMembers } from '../../machine/probe.js'
import { died, start } from '../../machine/process.js'
import { textWithoutSecrets } from '../../shared/secrets.js'
import { getServerLog } from '../app-watch.js'
import { INHERITED } from '../confinement/confinement.js'
import { findGivenUp } from './start-server.js'

/** @import { Child, ProcessSpec } from '../../machine/types.js' */
/** @import { Description, ServedProgram } from '../../types.js' @import { StartOptions } from './start.js' */

export class TopologyProcesses {
  /** @type {Child[]} */
  #server = []
  /** @type {Child[]} */
  #proxy = []
  /** Processes that pass on readings of counters. @type {Child[]} */
  #relays = []

  /**
   * @param {Description} description
   * @param {StartOptions} startOptions
   */
  constructor (description, startOptions) {
    this.description = description
    this.startOptions = startOptions
  }

  /**
   * @param {ServedProgram} program
   * @param {number} i index of the process among those of the server
   */
  launchServer (program, i) {
    const confinement = this.#confinement
    const child = start({
      ...this.#toSpec('server', program),
      ...confinement && { inherit: INHERITED, cwd: confinement.dir },
      ...confinement?.enter.length && { enter: confinement.enter },
      log: this.getServerLog(i)
    })
    this.#server[i] = child
    return child
  }

  /** Returns the file with the output of a process of the server. @param {number} i index of the process */
  getServerLog (i) {
    return getServerLog(this.description.command, this.#confinement?.dir ?? this.startOptions.dir, i)
  }

  get #confinement () {
    return this.description.server ? this.startOptions.confinement : null
  }

  /** @param {ServedProgram} program */
  launchProxy (program) {
    const child = start(this.#toSpec('proxy', program))
    this.#proxy.push(child)
    return child
  }

  /**
   * Replaces a process of a Node server.
   * @param {number} i index of the process
   * @param {() => Promise<void>} untilUp waits until the new process serves
   * @param {{ overlaps: boolean }} options overlaps: the old process ends after the new one serves
   */
  async replaceServer (i, untilUp, { overlaps }) {
    const old = this.#server[i]
    const program = this.description.server?.processes[i]
    if (!program) throw new Error('the topology has no such process')
    if (!overlaps) await old.stop()
    try {
      this.launchServer(program, i)
      await untilUp()
    } finally {
      if (overlaps) await old.stop()
    }
  }

  /** Returns the index of a process of the server; -1: a manager started it. @param {number} pid */
  findServer (pid) {
    return this.#server.findIndex(child => child.pid === pid)
  }

  /**
   * Sends a signal to a manager, not to its workers, when the manager handles it.
   * @param {number} i index of the process
   * @param {NodeJS.Signals} signal
   */
  async signalServer (i, signal) {
    await signalWhenHandled(this.#server[i], signal)
  }

  /**
   * Sends a signal to the first process of the proxy, not to its workers, when that process handles it.
   * @param {NodeJS.Signals} signal
   */
  async signalProxy (signal) {
    await signalWhenHandled(this.#proxy[0], signal)
  }

  /** @param {ProcessSpec} spec */
  launchRelay (spec) {
    this.#relays.push(start(spec))
  }

  /**
   * Returns the PIDs of the process groups by role. Workers of a manager belong to its group, those of PM2 too.
   * Excludes the process that waits outside for the end of a PID namespace.
   */
  pids () {
    const server = getMembers(this.#server)
    if (this.#confinement?.by !== 'namespace') return { proxy: getMembers(this.#proxy), server }
    const leaders = this.#server.map(child => child.pid)
    return { proxy: getMembers(this.#proxy), server: server.filter(pid => !leaders.includes(pid)) }
  }

  /** Returns an error if a process ended by itself or a manager gave up its workers. */
  findFailure () {
    const dead = [...this.#server, ...this.#proxy, ...this.#relays].find(child => child.ended())
    if (dead) return died(dead)
    const processes = this.description.server?.processes ?? []
    return processes.map(({ gaveUp }, i) => findGivenUp(this.#server[i], gaveUp)).find(Boolean) ?? null
  }

  /** Pauses the proxy first, so that no write to a paused process blocks. */
  pause () {
    for (const child of [...this.#proxy, ...this.#server]) child.pause()
  }

  /** Pauses the server alone, so that every response comes from the proxy. */
  pauseServer () {
    for (const child of this.#server) child.pause()
  }

  resumeServer () {
    for (const child of this.#server) child.resume()
  }

  resume () {
    for (const child of [...this.#server, ...this.#proxy]) child.resume()
  }

  /** Ends the proxy before the server, because the proxy would log the server's end as errors. */
  async stop () {
    for (const group of [this.#relays, this.#proxy, this.#server]) await Promise.all(group.map(child => child.stop()))
  }

  /**
   * @param {'server' | 'proxy'} role
   * @param {ServedProgram} program
   * @returns {ProcessSpec}
   */
  #toSpec (role, { argv, env, cwd }) {
    const { name, dir, network, cores, secrets } = this.startOptions
    return {
      name: `the ${role} of ${name}`,
      argv,
      env,
      cwd: cwd ?? dir,
      enter: network.enterServed,
      cores,
      log: join(dir, `${role}.log`),
      ...secrets && { shown: text => textWithoutSecrets(text, secrets) }
    }
  }
}

/** @param {Child[]} children */
const getMembers = children => children.length > 0 ? groupMembers(children.map(child => child.pid)) : []
